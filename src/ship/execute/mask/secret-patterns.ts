import { isMaskable, MIN_MASKED_LENGTH } from '../../../lib/maskable.ts';

/** A place in a tree of bytes. */
interface Place {
  readonly next: ReadonlyMap<number, Place>;
  readonly complete: boolean;
}

/** Bytes that begin escapes of all characters. Paths inside of patterns leave them out: there would be too many. */
export const SPECIAL: ReadonlySet<number> = new Set(Buffer.from('\\%&'));

/** The bytes that may follow from some places of a tree, as numbers with seven bits for each byte. */
interface Paths {
  readonly one: readonly number[];
  /** Of `one`: those that end the character. */
  readonly oneComplete: readonly number[];
  readonly two: readonly number[];
  readonly twoComplete: readonly number[];
  readonly three: readonly number[];
}

/** Paths with bytes of `without` are left out. */
function pathsFrom(places: readonly Place[], without: ReadonlySet<number> = new Set()): Paths {
  const one = steps(places.map((place): Path => [0, place]), without);
  const two = steps(one, without);
  return {
    one: numbers(one),
    oneComplete: complete(one),
    two: numbers(two),
    twoComplete: complete(two),
    three: numbers(steps(two, without)),
  };
}

/** The sequences of two bytes that begin with `start`, and go on in the next character. */
export function pairsFrom(start: Paths, second: Paths | undefined): number[] {
  return [...start.two, ...start.oneComplete.flatMap((one) => (second?.one ?? []).map((byte) => (one << 7) | byte))];
}

/** Calls back with each sequence of three bytes that begins with `start`, and goes on in the next two characters. */
export function eachBlock(start: Paths, second: Paths | undefined, third: Paths | undefined,
  found: (block: number) => void): void
{
  for (const block of start.three) found(block);
  if (second === undefined) return;
  for (const two of start.twoComplete) for (const byte of second.one) found((two << 7) | byte);
  for (const one of start.oneComplete) {
    for (const two of second.two) found((one << 14) | two);
    for (const next of second.oneComplete) for (const byte of third?.one ?? []) found((one << 14) | (next << 7) | byte);
  }
}

type Path = readonly [bytes: number, end: Place];

const steps = (paths: readonly Path[], without: ReadonlySet<number>): Path[] =>
  paths.flatMap(([bytes, end]) =>
    Array.from(end.next).flatMap((
      [byte, next],
    ): Path[] => (without.has(byte) ? [] : [[(bytes << 7) | (byte & 127), next]]))
  );
const numbers = (paths: readonly Path[]): number[] => [...new Set(paths.map(([bytes]) => bytes))];
const complete = (paths: readonly Path[]): number[] => numbers(paths.filter(([, end]) => end.complete));

/** One way to write a character. */
interface Way {
  readonly bytes: Buffer;
  /** The letters a to f after the first byte are hexadecimal digits, which may have either case. */
  readonly isHex: boolean;
}

const way = (text: string): Way => ({ bytes: Buffer.from(text), isHex: false });
const hexWay = (text: string): Way => ({ bytes: Buffer.from(text), isHex: true });

/** What may stand between two characters. */
interface Gaps {
  readonly separators?: readonly string[];
  /** Ends of lines; the next line may be indented. None begins another one. */
  readonly breaks?: readonly string[];
}

const BLANK = 0x20;
/** Deeper indentation is so common that the search would have to look at it closely. */
const MAX_INDENT = 2;

/** All ways to write one character, as a tree of bytes; also each place in that tree. */
export class Spelling {
  readonly next = new Map<number, Spelling>();
  /** The character may end here. */
  complete = false;
  /** Number of this place in its tree; the root is 0. */
  readonly index: number;
  /** All places of the tree, by number. */
  readonly places: Spelling[];

  #shortest: number | undefined;
  #fromStart: Paths | undefined;
  #fromStartPlain: Paths | undefined;
  #fromAnywherePlain: Paths | undefined;

  constructor(places: Spelling[] = []) {
    this.index = places.push(this) - 1;
    this.places = places;
  }

  /** Each of `gaps` may stand before the character; nothing may stand there as well. */
  static of(ways: readonly Way[], { separators = [], breaks = [] }: Gaps = {}): Spelling {
    const root = new Spelling();
    for (const gap of ['', ...separators]) root.#add(ways, gap);
    if (breaks.length === 0) return root;
    const line = root.#indented(ways);
    for (const text of breaks) {
      const bytes = [...Buffer.from(text)];
      const last = bytes.pop()!;
      bytes.reduce((place, byte) => place.#follow(byte, false), root as Spelling).next.set(last, line);
    }
    return root;
  }

  /** Bytes of the shortest way. */
  shortest(): number {
    return (this.#shortest ??= this.complete
      ? 0
      : 1 + Math.min(...Array.from(this.next.values(), (place) => place.shortest())));
  }

  get fromStart(): Paths {
    return (this.#fromStart ??= pathsFrom([this]));
  }

  get fromStartPlain(): Paths {
    return (this.#fromStartPlain ??= pathsFrom([this], SPECIAL));
  }

  /** From each place of the tree, without special bytes. */
  get fromAnywherePlain(): Paths {
    return (this.#fromAnywherePlain ??= pathsFrom(this.places, SPECIAL));
  }

  #add(ways: readonly Way[], gap = ''): void {
    const start = [...Buffer.from(gap)].reduce((place, byte) => place.#follow(byte, false), this as Spelling);
    for (const { bytes, isHex } of ways)
      [...bytes].reduce((place, byte, index) => place.#follow(byte, isHex && index > 0), start).complete = true;
  }

  /** The beginning of a line: the character, after blanks. */
  #indented(ways: readonly Way[]): Spelling {
    const plain = new Spelling(this.places);
    plain.#add(ways);
    let line = plain;
    for (let blanks = 0; blanks < MAX_INDENT; blanks++) {
      const before = new Spelling(this.places);
      for (const [byte, next] of [...plain.next, [BLANK, line] as const]) before.next.set(byte, next);
      line = before;
    }
    return line;
  }

  #follow(byte: number, isHex: boolean): Spelling {
    const known = this.next.get(byte);
    if (known !== undefined) return known;
    const made = new Spelling(this.places);
    this.next.set(byte, made);
    const other = isHex ? otherCase(byte) : undefined;
    if (other !== undefined) this.next.set(other, made);
    return made;
  }
}

/** The same hexadecimal digit in the other case; undefined for anything but a letter from a to f. */
function otherCase(byte: number): number | undefined {
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? byte ^ 0x20 : undefined;
}

/** How a text may be written: a spelling for each of its characters or bytes, in order. */
type Style = (text: string) => Spelling[];

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
const escaped: Style = style(charsOf,
  (
    char,
  ) => [way(char), ...(char === '\n' ? [way('\r\n')] : []), ...percentEncoded(char), ...backslashed(char),
    ...reference(char)], [{}, { separators: ['\0', '\r'] }]);

const SEPARATORS = [' ', ':', '-', ' 0x', ',0x', ', 0x'];

/** Hexadecimal digits of bytes, as `od`, `xxd` and `openssl` separate them. */
const hexadecimal: Style = style(bytesOf, (byte) => {
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
const base64: Style = style(charsOf, (char) => [char, ...(BASE64_WAYS[char] ?? [])].map(hexWay), [{}, {}, {
  breaks: BREAKS,
}]);

const MIN_SECRET_LENGTH = MIN_MASKED_LENGTH;
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
 * values also in base64 twice. What has fewer than six characters, or is a part of one of the `names` of secrets, is
 * left out.
 */
export function secretPatterns(values: Iterable<string>, names: readonly string[] = []): Pattern[] {
  const patterns: Pattern[] = [];
  const known = new Set<string>();
  const unknown = (text: string): boolean => isMaskable(text, names) && known.size < known.add(text).size;
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
