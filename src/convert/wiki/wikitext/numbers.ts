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
