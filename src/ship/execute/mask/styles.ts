import { type Gaps, hexWay, Spelling, type Way, way } from './spelling.ts';

/** How a text may be written: a spelling for each of its characters or bytes, in order. */
export type Style = (text: string) => Spelling[];

const digits = (code: number, base: number, length: number): string => code.toString(base).padStart(length, '0');

/** Spellings that a style remembers, because most secrets consist of the same few characters. */
const MAX_REMEMBERED = 256;

/**
 * `gaps`: what may stand before the first character, the second one, and so on; the last list is also for those that
 * follow. Line breaks may stand only after two characters of an encoded secret: otherwise each line that happens to end
 * with the first letter of one would have to wait for the next line.
 */
function style<T>(split: (text: string) => T[], waysOf: (part: T) => readonly Way[],
  gaps: readonly Gaps[] = [{}]): Style
{
  const known = gaps.map(() => new Map<T, Spelling>());
  return (text) =>
    split(text).map((part, index) => {
      const level = Math.min(index, gaps.length - 1);
      const remembered = known[level]!;
      const spelling = remembered.get(part) ?? Spelling.of(waysOf(part), gaps[level]);
      if (remembered.size < MAX_REMEMBERED) remembered.set(part, spelling);
      return spelling;
    });
}

const bytesOf = (text: string): number[] => [...Buffer.from(text)];
const charsOf = (text: string): string[] => [...text.toWellFormed()];

/** Breaks of lines, as they are or escaped. */
const BREAKS = ['\n', '\r\n', '\\n', '\\r\\n'];

/** URLs and forms, once or twice: all bytes of a character are `%2F`; a space may be `+`. */
function percentEncoded(char: string): Way[] {
  const escapes = ['%', '%25'].map((sign) => bytesOf(char).map((byte) => sign + digits(byte, 16, 2)).join(''));
  return [...escapes, ...(char === '\n' ? ['%0d%0a'] : [])].map(hexWay).concat(char === ' ' ? [way('+')] : []);
}

/** The short escapes of JSON, C, Python, YAML and the shell. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  '\n': ['n', 'r\\n'],
  '\t': ['t'],
  '\r': ['r'],
  '\b': ['b'],
  '\f': ['f'],
  '\v': ['v'],
  '\x07': ['a'],
  '\0': ['0'],
  '\x1b': ['e', 'E'],
  '\x85': ['N'],
  '\xa0': ['_'],
};

/** Quotes in quoted texts of the shell, YAML, SQL and CSV. */
const QUOTES: Readonly<Record<string, readonly string[]>> = { "'": ["'\\''", `'"'"'`, "''"], '"': ['""'] };

/** Escapes with a backslash, once or twice, and quotes: JSON, YAML, Python, C, the shell. */
function backslashed(char: string): Way[] {
  const code = char.codePointAt(0)!;
  const units = Array.from({ length: char.length }, (_, index) => `\\u${digits(char.charCodeAt(index), 16, 4)}`).join(
    '',
  );
  const hex = bytesOf(char).map((byte) => `\\x${digits(byte, 16, 2)}`).join('');
  const octal = bytesOf(char).map((byte) => `\\${digits(byte, 8, 3)}`).join('');
  const plain = [...(SHORT[char] ?? []).map((name) => `\\${name}`), ...(/[^\w\n]/.test(char) ? [`\\${char}`] : []),
    ...(QUOTES[char] ?? []), octal];
  const escapes = [units, `\\u{${code.toString(16)}}`, `\\U${digits(code, 16, 8)}`, hex,
    ...(code < 256 ? [`\\x${digits(code, 16, 2)}`] : [])];
  return [...[...plain, ...plain.map(inJson)].map(way), ...[...escapes, ...escapes.map(inJson)].map(hexWay)];
}

/** As a part of a text in JSON: what is escaped may be escaped again. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const NAMED: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** HTML and XML, once or twice: any character may be a decimal, hexadecimal or named reference. */
function reference(char: string): Way[] {
  const code = char.codePointAt(0)!;
  const [decimal, hex] = [code.toString(), code.toString(16)];
  const plain = [`#${decimal};`, `#0${decimal};`, ...(NAMED[char] === undefined ? [] : [`${NAMED[char]};`])];
  const hexadecimals = [`#x${hex};`, `#x${hex.padStart(2, '0')};`, `#x${hex.padStart(4, '0')};`];
  return ['&', '&amp;'].flatMap((
    sign,
  ) => [...plain.map((each) => way(sign + each)), ...hexadecimals.map((each) => hexWay(sign + each))]);
}

/**
 * A text in which any characters may be escaped, by any rules: writers differ in which characters they escape, and one
 * may write what another has written. NUL may stand between characters, as UTF-16 has it beside ASCII, and carriage
 * returns, which terminals do not show.
 */
export const escaped: Style = style(charsOf,
  (
    char,
  ) => [way(char), ...(char === '\n' ? [way('\r\n')] : []), ...percentEncoded(char), ...backslashed(char),
    ...reference(char)], [{}, { separators: ['\0', '\r'] }]);

const SEPARATORS = [' ', ':', '-', ' 0x', ',0x', ', 0x'];

/** Hexadecimal digits of bytes, as `od`, `xxd` and `openssl` separate them. */
export const hexadecimal: Style = style(bytesOf, (byte) => {
  const text = digits(byte, 16, 2);
  return [hexWay(text), hexWay(text.toUpperCase())];
}, [{}, { separators: SEPARATORS }, { separators: SEPARATORS, breaks: BREAKS }]);

/** How other alphabets (RFC 4648, section 5), URLs and JSON write characters of base64. */
const BASE64_WAYS: Readonly<Record<string, readonly string[]>> = {
  '+': ['-', '%2b', '\\u002b'],
  '/': ['_', '%2f', '\\/'],
  '=': ['%3d', '\\u003d'],
};

/** Base64 that may be broken into lines. The text is base64. */
export const base64: Style = style(charsOf, (char) => [char, ...(BASE64_WAYS[char] ?? [])].map(hexWay), [{}, {}, {
  breaks: BREAKS,
}]);
