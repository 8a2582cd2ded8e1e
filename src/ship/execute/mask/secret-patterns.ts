import type { Spelling } from './spelling.ts';
import { base64, escaped, hexadecimal } from './styles.ts';

/** Shorter values are too common in ordinary output to be masked (Buildkite's limit). */
const MIN_SECRET_LENGTH = 6;
/** Line widths of `base64` programs: the default of coreutils, and the width of PEM (RFC 7468). */
const BASE64_WIDTHS = [76, 64];
/**
 * Encoded secrets with at least so many characters are also found without the first one, which may stand in another
 * line.
 */
const MIN_TO_SHORTEN = 10;

/** What to search for: a sequence of characters, each of which may be written in several ways. */
export interface Pattern {
  readonly spellings: readonly Spelling[];
  /** The first one may be absent. */
  readonly mayLackFirst: boolean;
}

const whole = (spellings: readonly Spelling[]): Pattern => ({ spellings, mayLackFirst: false });

/** Its first character may stand alone in another line. */
const encoded = (spellings: readonly Spelling[]): Pattern => ({
  spellings,
  mayLackFirst: spellings.length >= MIN_TO_SHORTEN,
});

/** Whether the value of a variable with this name counts as a secret (decisions, section 5, "Masking"). */
export function isSecretName(name: string): boolean {
  return /_(?:TOKEN|SECRET|PASSWORD|KEY)$/i.test(name);
}

/**
 * All patterns of these values: the values and their lines with any escapes, in hexadecimal digits and in base64, the
 * values also in base64 twice. What has fewer than six characters is left out.
 */
export function secretPatterns(values: Iterable<string>): Pattern[] {
  const patterns: Pattern[] = [];
  const known = new Set<string>();
  const unknown = (text: string): boolean =>
    text.trim().length >= MIN_SECRET_LENGTH && known.size < known.add(text).size;
  for (const value of values) {
    const lines = value.split(/\r\n|\n|\r/);
    for (const text of [value, value.trim(), lines.join('\n').trim()].filter(unknown))
      patterns.push(...patternsOf(text), ...insides(text).flatMap(insides).map((form) => whole(base64(form))));
    for (const line of lines.map((each) => each.trim()).filter(unknown)) patterns.push(...patternsOf(line));
  }
  return patterns;
}

function patternsOf(text: string): Pattern[] {
  return [whole(escaped(text)), encoded(hexadecimal(text)), ...insides(text).map((form) => encoded(base64(form))),
    ...alone(text).map((form) => whole(base64(form)))];
}

/**
 * Base64 encodes groups of three bytes, so a value inside other text has three forms, depending on its position in the
 * first group. Characters that depend on the neighbours of the value are left out.
 */
function insides(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].map((before) => insideOfBase64(bytes, before)).filter(({ length }) => length >= MIN_SECRET_LENGTH);
}

function insideOfBase64(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64').replaceAll('=', '');
  const first = Math.ceil((before * 8) / 6);
  return encoded.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
}

/** A value that is alone in base64, and the lines of it, each of which may stand alone. */
function alone(text: string): string[] {
  const encoded = Buffer.from(text).toString('base64');
  const lines = BASE64_WIDTHS.filter((width) => encoded.length > width).flatMap((width) =>
    encoded.replaceAll('=', '').match(new RegExp(`.{${MIN_SECRET_LENGTH},${width}}`, 'g')) ?? []
  );
  return [encoded, ...lines];
}
