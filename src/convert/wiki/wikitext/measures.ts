import type { Fields } from './frames.ts';
import { type Amount, nameOf, PAIRS, readAmount, type Unit, unitOf, written } from './units.ts';

/** Words between the amounts of a range, in their displayed form. */
const RANGES: ReadonlyMap<string, string> = new Map([['-', '–'], ['–', '–'], ['to', ' to '], ['and', ' and '], ['or',
  ' or '], ['x', ' × '], ['by', ' by '], ['to(-)', ' to '], ['×', ' × '], ['+/-', ' ± '], ['±', ' ± ']]);
const RANGE_TEXTS: ReadonlySet<string> = new Set(RANGES.values());

/** Displayed forms of units that are not converted. */
const SYMBOLS: ReadonlyMap<string, string> = new Map([['sqkm', 'km²'], ['km2', 'km²'], ['m2', 'm²'], ['sqmi', 'sq mi'],
  ['m3', 'm³'], ['km3', 'km³'], ['C', '°C'], ['F', '°F']]);

/** Most ranges have two amounts, volumes three. */
const MOST_AMOUNTS = 6;

/** The conversion that a template requests. */
interface Measure {
  readonly amounts: readonly Amount[];
  /** The text between the amounts. */
  readonly separators: readonly string[];
  readonly unit: Unit;
  /** An additional amount in a smaller unit: 6 ft 1 in. */
  readonly more: { readonly amount: Amount; readonly unit: Unit } | undefined;
  /** Arguments after the unit. */
  readonly rest: readonly string[];
}

interface Style {
  readonly isAmerican: boolean;
  /** Whether the given unit is written as a symbol, and whether the resulting units are. */
  readonly shortIn: boolean;
  readonly shortOut: boolean;
  /** `10-mile`, before a noun. */
  readonly isAdjective: boolean;
  readonly withoutUnits: boolean;
  /** Text after the given unit. */
  readonly middle: string;
}

/**
 * `{{convert}}` with its amount in the requested units, or otherwise in the usual ones: `10 miles (16 km)`. The result
 * is rounded to the precision of the amount, with at least two digits (three for a temperature in kelvins), as in
 * Wikipedia's module. Unknown units and amounts are shown as given.
 */
export function convertedMeasure(fields: Fields, isShort: boolean): string {
  const parts = fields.positional.map((part) => part.trim());
  // The word between unit and noun comes last: `10-foot-long`.
  const middle = fields.first('adj') === 'mid' && parts.length > 2 ? parts.pop()! : '';
  const measure = readMeasure(parts);
  return (measure && inUnits(measure, fields, { ...styleOf(fields, isShort), middle })) ?? asGiven(parts);
}

function inUnits(measure: Measure, fields: Fields, style: Style): string | undefined {
  const { outputs, places } = targetsOf(measure);
  const figures = digitsOf(fields.first('sigfig'), 15);
  const results = outputs.map((codes) => output(measure, codes, style, places, figures));
  if (results.some((result) => result === undefined)) return undefined;
  const given = `${input(measure, style)}${style.middle}`;
  const out = results.join('; ');
  if (out === '') return given;
  const [first, second] = fields.first('order') === 'flip' ? [out, given] : [given, out];
  switch (fields.first('disp')) {
    case 'or':
    case 'slash':
      return `${first} or ${second}`;
    case 'comma':
      return `${first}, ${second}`;
    case 'sqbr':
      return `${first} [${second}]`;
    case 'out':
    case 'output only':
    case 'number':
    case 'num':
      return out;
    case 'table':
    case 'tablecen':
      return `${first} || ${second}`;
    default:
      return `${first} (${second})`;
  }
}

function readMeasure(parts: readonly string[]): Measure | undefined {
  const amounts: Amount[] = [];
  const separators: string[] = [];
  let at = 0;
  for (;; at += 2) {
    const amount = readAmount(parts[at] ?? '');
    if (amount === undefined) return undefined;
    amounts.push(amount);
    const separator = RANGES.get(parts[at + 1]?.toLowerCase() ?? '');
    if (separator === undefined) break;
    separators.push(separator);
    if (amounts.length === MOST_AMOUNTS) return undefined;
  }
  const unit = unitOf(parts[at + 1] ?? '');
  // The tolerance of a temperature is a difference, not a temperature.
  if (unit === undefined || (unit.kind === 'temperature' && separators.includes(' ± '))) return undefined;
  const [smaller, code, ...rest] = parts.slice(at + 2);
  const amount = readAmount(smaller ?? '');
  const unitOfMore = code === undefined ? undefined : unitOf(code);
  const isPair = amount !== undefined && amounts.length === 1 && unitOfMore?.kind === unit.kind &&
    unitOfMore.scale < unit.scale;
  return isPair
    ? { amounts, separators, unit, more: { amount, unit: unitOfMore }, rest }
    : { amounts, separators, unit, more: undefined, rest: parts.slice(at + 2) };
}

/** The resulting units, each as one code or the codes of a pair, and the requested number of decimal places. */
function targetsOf(
  { unit, rest: [first = '', second = ''] }: Measure,
): { outputs: readonly (readonly string[])[]; places: number | undefined } {
  const isNumber = digitsOf(first, 15) !== undefined;
  const pair = PAIRS.get(first);
  const places = digitsOf(isNumber ? first : second, 15);
  if (pair !== undefined) return { outputs: [pair], places };
  const codes = first === '' || isNumber ? unit.into : first.split(/[ +]/).filter((code) => code !== '');
  return { outputs: codes.map((code) => [code]), places };
}

function digitsOf(text: string, most: number): number | undefined {
  return /^-?\d{1,2}$/.test(text) && Math.abs(Number(text)) <= most ? Number(text) : undefined;
}

function styleOf(fields: Fields, isShort: boolean): Omit<Style, 'middle'> {
  const abbr = fields.first('abbr') || (isShort ? 'on' : '');
  const isAdjective = ['on', 'mid'].includes(fields.first('adj'));
  const shortIn = ['on', 'in', '~'].includes(abbr);
  return {
    isAmerican: fields.first('sp').toLowerCase() === 'us',
    shortIn,
    shortOut: !['off', 'in', 'none'].includes(abbr),
    isAdjective: isAdjective && !shortIn,
    withoutUnits: abbr === 'values' || ['number', 'num'].includes(fields.first('disp')),
  };
}

/** The amount as given. */
function input({ amounts, separators, unit, more }: Measure, style: Style): string {
  const shown = amounts.map(({ text }, i) => `${text}${separators[i] ?? ''}`).join('');
  const last = amounts.at(-1)!.value;
  const first = withUnit(shown, unit, style.shortIn, separators.length === 0 && isOne(last), style);
  return more === undefined
    ? first
    : `${first}${style.isAdjective ? '-' : ' '}${
      withUnit(more.amount.text, more.unit, style.shortIn, isOne(more.amount.value), style)
    }`;
}

const isOne = (value: number): boolean => Math.abs(value) === 1;

function withUnit(text: string, unit: Unit, isShort: boolean, one: boolean,
  { isAdjective, isAmerican, withoutUnits }: Style): string
{
  if (withoutUnits) return text;
  // More a word than a symbol.
  if (isShort || unit.one === undefined)
    return `${text} ${unit.symbol === 'acre' ? nameOf(unit, one, isAmerican) : unit.symbol}`;
  return isAdjective
    ? `${text}-${nameOf(unit, true, isAmerican).replaceAll(' ', '-')}`
    : `${text} ${nameOf(unit, one, isAmerican)}`;
}

/** Converts the amounts to another unit, or a pair of units; undefined if it is unknown or of another kind. */
function output(measure: Measure, codes: readonly string[], style: Style, asked: number | undefined,
  figures: number | undefined): string | undefined
{
  const units = codes.map(unitOf);
  if (units.some((unit) => unit?.kind !== measure.unit.kind)) return undefined;
  const smallest = units.at(-1)!;
  const values = measure.amounts.map(({ value }) =>
    inBase(value, measure.unit) +
    (measure.more === undefined ? 0 : measure.more.amount.value * measure.more.unit.scale * (value < 0 ? -1 : 1))
  ).map((base) => (base - smallest.zero) / smallest.scale);
  // Both ends of a range take the precision of the more precise one.
  const places = asked ??
    Math.max(
      ...values.map((value,
        i) => (figures === undefined ? placesOf(measure, i, value, smallest) : significant(value, figures))
      ),
    );
  if (!values.every((value) => Number.isFinite(value) && Math.abs(value) < 1e15)) return undefined;
  const plain = { ...style, isAdjective: false };
  if (units.length > 1) return values.length > 1 ? undefined : pairOf(values[0]!, units as Unit[], places, plain);
  const shown = values.map((value, i) => `${written(value, places)}${measure.separators[i] ?? ''}`).join('');
  return withUnit(shown, smallest, style.shortOut,
    values.length === 1 && isOne(Number(written(values[0]!, places).replaceAll(',', ''))), plain);
}

const inBase = (value: number, { scale, zero }: Unit): number => value * scale + zero;

/** Number of decimal places for the given number of significant digits. */
const significant = (value: number,
  figures: number): number => (value === 0 ? 0 : figures - 1 - Math.floor(Math.log10(Math.abs(value)) + 1e-14));

/**
 * Decimal places of a result: the precision of the amount, shifted by the ratio of the units, with at least two digits.
 */
function placesOf({ amounts, unit, more }: Measure, i: number, value: number, into: Unit): number {
  const amount = more?.amount ?? amounts[i]!;
  // In `2 ft 10 in` the zero is significant.
  const exact = more === undefined ? amount.places : Math.max(0, amount.places);
  if (into.kind === 'temperature') {
    const kelvins = inBase(amounts[i]!.value, unit);
    return Math.max(Math.floor(exact), Math.abs(kelvins) < 1e-8 ? 2 : significant(kelvins, 3));
  }
  if (value === 0) return 0;
  const smallest = more?.unit ?? unit;
  const shift = into.isFine && Number.isInteger(amount.value)
    ? -Math.log10(smallest.scale)
    : Math.log10(into.scale / smallest.scale);
  // Amounts in inches are precise to a fraction of one.
  const finer = more?.unit.symbol === 'in' ? Math.log10(into.scale) + 2 : shift;
  return Math.max(Math.floor(exact + finer + Math.log10(2)), significant(value, 2));
}

/** Splits a value of the smaller unit into both units. */
function pairOf(value: number, [large, small]: readonly Unit[], places: number, style: Style): string {
  const exact = Math.max(0, places);
  const total = Number(Math.abs(value).toFixed(exact));
  const each = Math.round(large!.scale / small!.scale);
  const whole = Math.floor(total / each);
  const sign = value < 0 ? -1 : 1;
  const texts = ([[whole * sign, large!, 0], [total - whole * each, small!, exact]] as const).map((
    [amount, unit, digits],
  ) => withUnit(written(amount, digits), unit, style.shortOut, isOne(amount), style));
  return whole === 0 ? texts[1]! : texts.join(' ');
}

/** A measure in its original unit, if the unit or the amount is unknown. */
function asGiven(positional: readonly string[]): string {
  const parts: string[] = [];
  for (const [i, part] of positional.entries()) {
    const separator = i % 2 === 1 ? RANGES.get(part.toLowerCase()) : undefined;
    if (separator !== undefined) parts.push(separator);
    else if (parts.length > 0 && parts.at(-1) !== '' && !RANGE_TEXTS.has(parts.at(-1)!))
      return `${parts.join('')} ${SYMBOLS.get(part) ?? part}`;
    else parts.push(part);
  }
  return parts.join('');
}
