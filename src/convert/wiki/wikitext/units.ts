/** A number as written in an article. */
export interface Amount {
  readonly value: number;
  /** The displayed form. */
  readonly text: string;
  /** Number of precise decimal places; negative if the number ends in zeros. */
  readonly places: number;
}

const DECIMAL = /^([-+−]?)(\d{1,3}(?:,\d{3}){1,5}|\d{1,15})?(?:\.(\d{1,15}))?(?:e([-+]?\d{1,2}))?$/i;
const FRACTION = /^([-−]?)(?:(\d{1,9})[+ ])?(\d{1,6})(?:\/|⁄)([1-9]\d{0,5})$/;

/**
 * Returns undefined if the text is not a number. Supports thousands separators, exponents, and fractions such as
 * `1+3/4`.
 */
export function readAmount(given: string): Amount | undefined {
  const text = given.trim();
  if (text.length > 40) return undefined;
  const fraction = FRACTION.exec(text);
  if (fraction !== null) return readFraction(fraction);
  const match = DECIMAL.exec(text);
  if (match === null || (match[2] === undefined && match[3] === undefined)) return undefined;
  const [, sign = '', whole = '0', decimals, exponent = '0'] = match;
  const digits = whole.replaceAll(',', '');
  const value = Number(`${sign === '−' || sign === '-' ? '-' : ''}${digits}.${decimals ?? '0'}e${exponent}`);
  const places = (decimals?.length ?? -zerosAtEnd(digits)) - Number(exponent);
  const shown = exponent === '0'
    ? `${sign === '' || sign === '+' ? '' : '−'}${grouped(digits)}${decimals === undefined ? '' : `.${decimals}`}`
    : written(value, Math.max(0, places));
  return { value, text: shown, places };
}

function readFraction([, sign, whole = '', top, bottom]: RegExpExecArray): Amount {
  const value = (Number(whole) + Number(top) / Number(bottom)) * (sign === '' ? 1 : -1);
  return {
    value,
    text: `${sign === '' ? '' : '−'}${whole}${whole === '' ? '' : ' '}${top}/${bottom}`,
    places: Math.max(1, Math.log10(Number(bottom))),
  };
}

/** Formats a number with the given number of decimal places; negative values round to tens and hundreds. */
export function written(value: number, places: number): string {
  const unit = 10 ** -places;
  const rounded = places > 0
    ? Math.abs(value).toFixed(Math.min(places, 15))
    : String(Math.round(Math.abs(value) / unit) * unit);
  if (rounded.includes('e')) return value.toExponential(2);
  const [whole, decimals] = rounded.split('.');
  return `${value < 0 && Number(rounded) !== 0 ? '−' : ''}${grouped(whole!)}${
    decimals === undefined ? '' : `.${decimals}`
  }`;
}

function zerosAtEnd(digits: string): number {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.length - end;
}

/** Adds commas between thousands. */
function grouped(digits: string): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
}

/** The quantity that a unit measures; only units of the same quantity can be converted into each other. */
type Kind = 'length' | 'area' | 'volume' | 'mass' | 'speed' | 'temperature';

/** A unit that the template supports. */
export interface Unit {
  readonly kind: Kind;
  readonly symbol: string;
  /** In full; `metre` and `litre` have British spelling. Absent if the symbol is always used. */
  readonly one?: string;
  readonly many?: string;
  /** Size in the base unit of its kind: metre, square metre, cubic metre, kilogram, metre per second, kelvin. */
  readonly scale: number;
  /** The zero point of this unit, in its base unit. */
  readonly zero: number;
  /** Codes of the default output units. */
  readonly into: readonly string[];
  /** A whole number is rounded to the same place as the input: otherwise 45 m would become 150 ft. */
  readonly isFine: boolean;
}

const MILE = 1609.344;
const FOOT = 0.3048;
const POUND = 0.45359237;
const US_GALLON = 231 * 0.0254 ** 3;
const IMPERIAL_GALLON = 0.00454609;

/**
 * Codes of a unit, separated by spaces; symbol; full name, singular and plural; scale; codes of the default outputs.
 */
type Line = readonly [codes: string, symbol: string, one: string, many: string, scale: number, into: string];

/** In our own order of kinds; definitions are those of the international yard and pound, and of the SI. */
const LINES: Readonly<Record<Exclude<Kind, 'temperature'>, readonly Line[]>> = {
  length: [['nm', 'nm', 'nanometre', 'nanometres', 1e-9, 'in'], ['µm um μm', 'μm', 'micrometre', 'micrometres', 1e-6,
    'in'], ['mm', 'mm', 'millimetre', 'millimetres', 1e-3, 'in'], ['cm', 'cm', 'centimetre', 'centimetres', 1e-2, 'in'],
    ['m metre meter metres meters', 'm', 'metre', 'metres', 1, 'ft'], ['km', 'km', 'kilometre', 'kilometres', 1e3,
    'mi'], ['in inch inches', 'in', 'inch', 'inches', FOOT / 12, 'mm'], ['ft foot feet', 'ft', 'foot', 'feet', FOOT,
    'm'], ['yd yard yards', 'yd', 'yard', 'yards', 3 * FOOT, 'm'], ['mi mile miles', 'mi', 'mile', 'miles', MILE, 'km'],
    ['nmi', 'nmi', 'nautical mile', 'nautical miles', 1852, 'km mi'], ['fathom ftm', 'fathom', 'fathom', 'fathoms',
    6 * FOOT, 'ft m'], ['furlong fur', 'furlong', 'furlong', 'furlongs', 660 * FOOT, 'mi km'], ['chain ch', 'chain',
    'chain', 'chains', 66 * FOOT, 'ft m'], ['AU au', 'AU', 'astronomical unit', 'astronomical units', 149_597_870_700,
    'km mi'], ['ly', 'ly', 'light-year', 'light-years', 9_460_730_472_580_800, 'km mi']],
  area: [['mm2', 'mm²', 'square millimetre', 'square millimetres', 1e-6, 'sqin'], ['cm2', 'cm²', 'square centimetre',
    'square centimetres', 1e-4, 'sqin'], ['m2 sqm', 'm²', 'square metre', 'square metres', 1, 'sqft'], ['km2 sqkm',
    'km²', 'square kilometre', 'square kilometres', 1e6, 'sqmi'], ['ha', 'ha', 'hectare', 'hectares', 1e4, 'acre'], [
    'acre acres',
    'acre',
    'acre',
    'acres',
    43_560 * FOOT ** 2,
    'ha',
  ], ['sqin in2', 'sq in', 'square inch', 'square inches', (FOOT / 12) ** 2, 'cm2'], ['sqft ft2', 'sq ft',
    'square foot', 'square feet', FOOT ** 2, 'm2'], ['sqyd yd2', 'sq yd', 'square yard', 'square yards', 9 * FOOT ** 2,
    'm2'], ['sqmi mi2', 'sq mi', 'square mile', 'square miles', MILE ** 2, 'km2']],
  volume: [['mL ml', 'mL', 'millilitre', 'millilitres', 1e-6, 'impoz USoz'], ['cL cl', 'cL', 'centilitre',
    'centilitres', 1e-5, 'impoz USoz'], ['L l litre liter', 'L', 'litre', 'litres', 1e-3, 'impgal USgal'], ['hL hl',
    'hL', 'hectolitre', 'hectolitres', 0.1, 'impgal USgal'], ['cc', 'cc', 'cubic centimetre', 'cubic centimetres', 1e-6,
    'cuin'], ['cm3', 'cm³', 'cubic centimetre', 'cubic centimetres', 1e-6, 'cuin'], ['m3', 'm³', 'cubic metre',
    'cubic metres', 1, 'cuft'], ['km3', 'km³', 'cubic kilometre', 'cubic kilometres', 1e9, 'cumi'], ['cuin in3',
    'cu in', 'cubic inch', 'cubic inches', (FOOT / 12) ** 3, 'cm3'], ['cuft ft3', 'cu ft', 'cubic foot', 'cubic feet',
    FOOT ** 3, 'm3'], ['cuyd yd3', 'cu yd', 'cubic yard', 'cubic yards', 27 * FOOT ** 3, 'm3'], ['cumi mi3', 'cu mi',
    'cubic mile', 'cubic miles', MILE ** 3, 'km3'], ['acre.ft acre-ft acreft', 'acre⋅ft', 'acre-foot', 'acre-feet',
    43_560 * FOOT ** 3, 'm3'], ['USgal usgal U.S.gal', 'US gal', 'US gallon', 'US gallons', US_GALLON, 'L impgal'], [
    'impgal',
    'imp gal',
    'imperial gallon',
    'imperial gallons',
    IMPERIAL_GALLON,
    'L USgal',
  ], ['USqt', 'US qt', 'US quart', 'US quarts', US_GALLON / 4, 'L'], ['USpt', 'US pt', 'US pint', 'US pints',
    US_GALLON / 8, 'L'], ['imppt', 'imp pt', 'imperial pint', 'imperial pints', IMPERIAL_GALLON / 8, 'L'], [
    'USoz USfloz',
    'US fl oz',
    'US fluid ounce',
    'US fluid ounces',
    US_GALLON / 128,
    'mL',
  ], ['impoz impfloz', 'imp fl oz', 'imperial fluid ounce', 'imperial fluid ounces', IMPERIAL_GALLON / 160, 'mL'], [
    'oilbbl oilbarrel',
    'bbl',
    'barrel',
    'barrels',
    42 * US_GALLON,
    'm3',
  ]],
  mass: [['mg', 'mg', 'milligram', 'milligrams', 1e-6, 'gr'], ['g', 'g', 'gram', 'grams', 1e-3, 'oz'], ['kg', 'kg',
    'kilogram', 'kilograms', 1, 'lb'], ['t tonne tonnes MT', 't', 'tonne', 'tonnes', 1e3, 'LT ST'], ['gr', 'gr',
    'grain', 'grains', POUND / 7000, 'mg'], ['oz', 'oz', 'ounce', 'ounces', POUND / 16, 'g'], ['lb lbs', 'lb', 'pound',
    'pounds', POUND, 'kg'], ['st', 'st', 'stone', 'stone', 14 * POUND, 'lb kg'], ['ozt', 'ozt', 'troy ounce',
    'troy ounces', 0.0311034768, 'g'], ['LT', 'long tons', 'long ton', 'long tons', 2240 * POUND, 't ST'], ['ST',
    'short tons', 'short ton', 'short tons', 2000 * POUND, 't LT']],
  speed: [['m/s', 'm/s', 'metre per second', 'metres per second', 1, 'ft/s'], ['km/h kph kmh', 'km/h',
    'kilometre per hour', 'kilometres per hour', 1 / 3.6, 'mph'], ['km/s', 'km/s', 'kilometre per second',
    'kilometres per second', 1e3, 'mi/s'], ['ft/s', 'ft/s', 'foot per second', 'feet per second', FOOT, 'm/s'], [
    'mph mi/h',
    'mph',
    'mile per hour',
    'miles per hour',
    MILE / 3600,
    'km/h',
  ], ['mi/s', 'mi/s', 'mile per second', 'miles per second', MILE, 'km/s'], ['kn knot knots', 'kn', 'knot', 'knots',
    1852 / 3600, 'km/h mph']],
};

const FINE = new Set(['ft', 'lb']);

function* units(): Generator<readonly [string, Unit]> {
  for (const [kind, lines] of Object.entries(LINES) as [Kind, readonly Line[]][]) {
    for (const [codes, symbol, one, many, scale, into] of lines) {
      for (const code of codes.split(' '))
        yield [code, { kind, symbol, one, many, scale, zero: 0, into: into.split(' '), isFine: FINE.has(symbol) }];
    }
  }
  const degrees = { kind: 'temperature', isFine: false } as const;
  for (const code of ['C', '°C']) yield [code, { ...degrees, symbol: '°C', scale: 1, zero: 273.15, into: ['F'] }];
  for (const code of ['F', '°F'])
    yield [code, { ...degrees, symbol: '°F', scale: 5 / 9, zero: 273.15 - 160 / 9, into: ['C'] }];
  yield ['K', { ...degrees, symbol: 'K', one: 'kelvin', many: 'kelvins', scale: 1, zero: 0, into: ['C', 'F'] }];
}

const UNITS: ReadonlyMap<string, Unit> = new Map(units());

/** A unit by the template's code, which is case-sensitive. */
export function unitOf(code: string): Unit | undefined {
  return UNITS.get(code);
}

/** Codes of two units that are written together, the larger first. */
export const PAIRS: ReadonlyMap<string, readonly [string, string]> = new Map([['ftin', ['ft', 'in']], ['ft in', ['ft',
  'in']], ['stlb', ['st', 'lb']], ['st lb', ['st', 'lb']], ['lboz', ['lb', 'oz']], ['lb oz', ['lb', 'oz']], ['ydft', [
  'yd',
  'ft',
]], ['miyd', ['mi', 'yd']]]);

/** The name of a unit as it is written after an amount. */
export function nameOf({ symbol, one, many }: Unit, isOne: boolean, isAmerican: boolean): string {
  const name = (isOne ? one : many) ?? symbol;
  if (!isAmerican) return name;
  return name.replace(/^tonne/, 'metric ton').replace(/metre/, 'meter').replace(/litre/, 'liter');
}
