import { scriptText } from '../tree/scripts.ts';
import type { Cursor } from './cursor.ts';

const UNITS: ReadonlyMap<string, string> = pairs(
  'metre m meter m second s gram g kilogram kg ampere A kelvin K mole mol candela cd hertz Hz newton N pascal Pa ' +
    'joule J watt W coulomb C volt V farad F ohm Ω siemens S weber Wb tesla T henry H lumen lm lux lx becquerel Bq ' +
    'gray Gy sievert Sv katal kat radian rad steradian sr celsius °C degreeCelsius °C degree ° arcminute ′ arcsecond ″ ' +
    'minute min hour h day d hectare ha litre L liter L tonne t electronvolt eV dalton Da astronomicalunit au bel B ' +
    'decibel dB neper Np percent % bar bar angstrom Å byte B bit bit permille ‰ barn b atomicmassunit u nauticalmile M ' +
    'knot kn mmHg mmHg year a',
);
const PREFIXES: ReadonlyMap<string, string> = pairs(
  'quecto q ronto r yocto y zepto z atto a femto f pico p nano n micro µ milli m centi c deci d deca da deka da ' +
    'hecto h kilo k mega M giga G tera T peta P exa E zetta Z yotta Y ronna R quetta Q kibi Ki mebi Mi gibi Gi tebi Ti',
);
/** Units that siunitx also has as abbreviations. */
const SHORT = /^(?:[fpnumkMGTcdh]?(?:m|s|g|A|K|Hz|N|Pa|J|W|C|V|F|H|eV|mol|L|l|bar|dB|B)|(?:k|M|m)?ohm|kWh)$/;
const POWERS: ReadonlyMap<string, string> = pairs('square 2 cubic 3 squared 2 cubed 3');
const COMMANDS: ReadonlySet<string> = new Set(['SI', 'qty', 'si', 'unit', 'num', 'ang', 'numrange', 'SIrange',
  'qtyrange', 'numlist', 'SIlist', 'qtylist', 'numproduct', 'qtyproduct']);

function pairs(list: string): ReadonlyMap<string, string> {
  const words = list.split(' ');
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1]!]] : [])));
}

/** The text of a number or quantity of siunitx, such as `3.5 m/s`; undefined for other macros. */
export function quantity(name: string, cursor: Cursor): string | undefined {
  if (!COMMANDS.has(name)) return undefined;
  cursor.optional();
  if (name === 'si' || name === 'unit') return unitText(cursor.argument());
  if (name === 'ang') return angle(cursor.argument());
  const first = cursor.argument();
  const values = name.endsWith('range')
    ? [numberText(first), '–', numberText(cursor.argument())].join('')
    : name.endsWith('list')
    ? first.split(';').map(numberText).join(', ')
    : numberText(first);
  if (name.startsWith('num')) return values;
  const before = cursor.optional();
  const unit = unitText(cursor.argument());
  const space = /^[°′″]$/.test(unit) || unit === '' || values === '' ? '' : ' ';
  return `${before === undefined ? '' : unitText(before)}${values}${space}${unit}`;
}

/** `1.2e-3` as `1.2 × 10⁻³`. */
function numberText(source: string): string {
  const value = source.replace(/[{}\s~]|\\[,;]/g, '').replace(/\+-|\\pm(?![a-zA-Z])/g, '±').replace(
    /\\(?:times|cdot)(?![a-zA-Z])|x/g,
    ' × ',
  ).replace(/^(.{0,100}?)[eEdD]([+-]?\d{1,6})$/,
    (_, mantissa: string, exponent: string) =>
      `${mantissa === '' ? '' : `${mantissa} × `}10${power(exponent.replace('+', ''))}`);
  return value.replace(/^-/, '−');
}

function angle(source: string): string {
  return source.split(';').map((part, index) => (part.trim() === '' ? '' : `${part.trim()}${'°′″'[index] ?? ''}`)).join(
    '',
  );
}

function power(exponent: string): string {
  return scriptText(exponent, 'super', '1');
}

/** Units named by macros, with `/` before those after `\per`; other text as it is, with its powers raised. */
function unitText(source: string): string {
  const above: string[] = [];
  const below: string[] = [];
  let [prefix, next, per] = ['', '', false];
  const add = (unit: string) => {
    (per ? below : above).push(`${prefix}${unit}${next === '' ? '' : power(next)}`);
    [prefix, next, per] = ['', '', false];
  };
  for (const [, macro, argument, literal] of source.matchAll(/\\([a-zA-Z]+)\s*(?:\{([^{}]{0,40})\})?|([^\\]+)/g)) {
    const list = below.length > 0 ? below : above;
    if (literal !== undefined) literalUnits(literal).forEach(add);
    else if (macro === 'per') per = true;
    else if (PREFIXES.has(macro!)) prefix += PREFIXES.get(macro!)!;
    else if (macro === 'square' || macro === 'cubic') next = POWERS.get(macro)!;
    else if (macro === 'raiseto') next = argument ?? '';
    else if (macro === 'squared' || macro === 'cubed') list.push(`${list.pop() ?? ''}${power(POWERS.get(macro)!)}`);
    else if (macro === 'tothe') list.push(`${list.pop() ?? ''}${power(argument ?? '')}`);
    else if (macro === 'of') list.push(`${list.pop() ?? ''}(${argument ?? ''})`);
    else if (UNITS.has(macro!)) add(UNITS.get(macro!)!);
    else if (SHORT.test(macro!)) add(macro!.replace(/^u/, 'µ').replace('ohm', 'Ω'));
    else if (macro !== 'cancel' && macro !== 'highlight') add(macro!);
  }
  if (prefix !== '') add('');
  if (below.length === 0) return above.join(' ');
  if (above.length === 0) return below.map((unit) => negative(unit)).join(' ');
  return `${above.join(' ')}/${below.length > 1 ? `(${below.join(' ')})` : below[0]!}`;
}

/** Units without macros: `kg.m/s^2` or `m^{-1}`. */
function literalUnits(source: string): string[] {
  return source.split(/[.~\s]+/).map((unit) =>
    unit.replace(/\^\{([^{}]{1,20})\}|\^(\S)/g, (_, group?: string, single?: string) => power(group ?? single!))
      .replace(/[{}]/g, '')
  ).filter((unit) => unit !== '');
}

function negative(unit: string): string {
  return /[⁰¹²³⁴-⁹]$/.test(unit) ? `1/${unit}` : `${unit}⁻¹`;
}
