import { readFileSync } from 'node:fs';

/**
 * The class and the folding of every code point, as two-stage tables that the TypeScript tokeniser and its WebAssembly
 * twin share: the twin copies the three arrays into its memory, so that both use the same bytes. They contain the
 * Unicode properties of the running engine: they are read from generated/text if they were computed with the same
 * properties, and otherwise computed at first use. That is why an index stores `tokenTablesVersion()` in its
 * checkpoint.
 *
 * Layout: the value of code point `c` is `blocks[(index[c >> 7] << 7) | (c & 127)]`, a u32:
 *
 *     31 .. 27 26 .. 24 23        22 .. 0
 *     0        class    expands?  amount
 *
 * Without the flag, the code point folds to one other, `c + amount` modulo 2^21 (0: to itself). With it, `amount` is an
 * offset into `expansions`, where a byte with the length is followed by the UTF-8 bytes that replace the code point;
 * the length is 0 for ignorable code points, which are removed.
 */
export interface TokenTables {
  /** Number of the block for each 128 code points; 8704 entries. */
  readonly index: Uint16Array;
  /** The distinct blocks, 128 values each. */
  readonly blocks: Uint32Array;
  /** Length-prefixed UTF-8 for code points that fold to nothing or to several. */
  readonly expansions: Uint8Array;
}

/** The class of a code point in the tokeniser; `tokenize.ts` defines the rules. */
export const TokenClass = {
  /** Ends a token. */
  separator: 0,
  /** Letters and numbers other than decimal digits. */
  letter: 1,
  /** Decimal digits of any script. */
  digit: 2,
  /** Marks and ignorable characters: continue a token, never start one. */
  extend: 3,
  /** As `extend`, but may compose with the preceding code point: the form has to be converted to NFC. */
  composing: 4,
  /** Letters and marks of scripts written without spaces. */
  segmented: 5,
  /** Joins two letters. */
  apostrophe: 6,
  /** Joins two digits. */
  fullStop: 7,
} as const;

export const CLASS_SHIFT = 24;
export const EXPANDS = 0x80_00_00;
export const AMOUNT_MASK = 0x7f_ff_ff;
const CODE_POINT_MASK = 0x1f_ff_ff;

const BLOCK_SHIFT = 7;
const BLOCK_SIZE = 1 << BLOCK_SHIFT;
const CODE_POINTS = 0x11_00_00;

/** The planes that contain letters and marks: planes 0 to 3, and the tags and variation selectors of plane 14. */
const PLANES: readonly (readonly [first: number, last: number])[] = [[0x0, 0xd7ff], [0xe000, 0xffff], [0x1_0000,
  0x1_ffff], [0x2_0000, 0x2_ffff], [0x3_0000, 0x3_ffff], [0xe_0000, 0xe_0fff]];

const WORD = /[\p{L}\p{N}]+/gu;
const MARK = /\p{M}+/gu;
const DIGIT = /\p{Nd}+/gu;
// The script extensions (scx) of Han and Kana include characters that they share (ー, 々), but also two Latin accents.
const SPACELESS =
  /(?:(?![\u0300-\u036f])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])+/gu;
// All except the zero-width space, which separates words in Thai and Khmer.
const IGNORABLE = /(?:(?!\u200b)\p{Default_Ignorable_Code_Point})+/gu;
const FOLDED = /[\p{Changes_When_NFKC_Casefolded}\p{Changes_When_Lowercased}]+/gu;
const WORD_ONLY = /^[\p{L}\p{N}\p{M}']+$/u;
const APOSTROPHES = [0x27, 0x2019, 0x2bc, 0xff07];
const FULL_STOPS = [0x2e];
// Standalone Hangul letters ("ㅋㅋ"): their compatibility mapping would combine them into syllables.
const STANDALONE_JAMO = /[\u3131-\u318e]/;

let tables: TokenTables | undefined;
/** The code points of each plane as a text, kept while tables are computed. */
let planeTexts: string[] | undefined;

/** The tables; read or computed once. */
export function tokenTables(): TokenTables {
  return tables ??= keptTokenTables(tokenTablesVersion()) ?? makeTokenTables();
}

/** Computes the tables, which takes 100 ms or more. */
export function makeTokenTables(): TokenTables {
  const made = pack(classes());
  planeTexts = undefined;
  return made;
}

/**
 * Identifies the content of the tables: the version of the rules and of the Unicode data. Forms in an index that was
 * built with another version may differ from the current ones, so such an index has to be rebuilt.
 */
export function tokenTablesVersion(): string {
  return `4/${process.versions['unicode'] ?? '0'}/${process.versions['icu'] ?? '0'}`;
}

/** The table's value of a code point. */
export function lookUp({ index, blocks }: TokenTables, codePoint: number): number {
  return blocks[(index[codePoint >> BLOCK_SHIFT]! << BLOCK_SHIFT) | (codePoint & (BLOCK_SIZE - 1))]!;
}

/** The class of every code point; later lines override earlier ones. */
function classes(): Uint8Array {
  const result = new Uint8Array(CODE_POINTS);
  const isWord = new Uint8Array(CODE_POINTS);
  for (const property of [WORD, MARK]) forEachRange(property, (first, end) => isWord.fill(1, first, end));
  forEachRange(WORD, (first, end) => result.fill(TokenClass.letter, first, end));
  forEachRange(MARK, (first, end) => result.fill(TokenClass.extend, first, end));
  for (const codePoint of composingCodePoints()) result[codePoint] = TokenClass.composing;
  forEachRange(SPACELESS, (first, end) => {
    for (let c = first; c < end; c++) if (isWord[c]) result[c] = TokenClass.segmented;
  });
  forEachRange(DIGIT, (first, end) => result.fill(TokenClass.digit, first, end));
  forEachRange(IGNORABLE, (first, end) => result.fill(TokenClass.extend, first, end));
  for (const codePoint of APOSTROPHES) result[codePoint] = TokenClass.apostrophe;
  for (const codePoint of FULL_STOPS) result[codePoint] = TokenClass.fullStop;
  return result;
}

/** Every code point that follows another one in some canonical decomposition, so it may compose. */
function composingCodePoints(): Set<number> {
  const decomposed = [...planeText(0xc0, 0x33ff), ...planeText(0x1_0000, 0x1_ffff)].join(' ').normalize('NFD');
  const found = new Set<number>();
  for (const [tail] of decomposed.matchAll(/(?<=[^ ])[^ ]/gu)) found.add(tail.codePointAt(0)!);
  // Medial and final Hangul letters compose by arithmetic.
  for (let c = 0x1161; c <= 0x1175; c++) found.add(c);
  for (let c = 0x11a8; c <= 0x11c2; c++) found.add(c);
  return found;
}

/** Packs classes and foldings into the two-stage tables; equal blocks are stored once. */
function pack(classOf: Uint8Array): TokenTables {
  const values = new Uint32Array(CODE_POINTS);
  const expansions = new Expansions();
  foldDigits(values);
  foldIgnorable(values, expansions);
  foldLetters(values, classOf, expansions);
  for (const c of APOSTROPHES) values[c] = difference(c, 0x27);
  for (let c = 0; c < CODE_POINTS; c++) {
    const code = classOf[c]!;
    values[c] = code === TokenClass.separator ? 0 : values[c]! | (code << CLASS_SHIFT);
  }
  return { ...shareBlocks(values), expansions: expansions.bytes() };
}

/** Decimal digits of every script fold to ASCII; the ten digits of each script are consecutive and start with zero. */
function foldDigits(values: Uint32Array): void {
  forEachRange(DIGIT, (first, end) => {
    for (let c = first; c < end; c++) values[c] = difference(c, 0x30 + ((c - first) % 10));
  });
}

function foldIgnorable(values: Uint32Array, expansions: Expansions): void {
  const nothing = EXPANDS | expansions.add('');
  forEachRange(IGNORABLE, (first, end) => values.fill(nothing, first, end));
}

/**
 * Lower case and compatibility mapping of letters and marks. A code point that folds to anything but letters, numbers
 * and marks ("½", "⒈") becomes a separator; one that folds to a composing mark becomes composing.
 */
function foldLetters(values: Uint32Array, classOf: Uint8Array, expansions: Expansions): void {
  forEachRange(FOLDED, (first, end) => {
    for (let c = first; c < end; c++) {
      if (classOf[c] === TokenClass.separator || values[c] !== 0) continue;
      const folded = foldLetter(String.fromCodePoint(c));
      if (!WORD_ONLY.test(folded)) {
        classOf[c] = TokenClass.separator;
        continue;
      }
      const target = folded.codePointAt(0)!;
      if (classOf[c] !== TokenClass.segmented && classOf[target] === TokenClass.composing)
        classOf[c] = TokenClass.composing;
      const single = String.fromCodePoint(target) === folded;
      values[c] = single ? difference(c, target) : EXPANDS | expansions.add(folded);
    }
  });
}

function foldLetter(letter: string): string {
  // Turkish capital I with dot: its full lower case is i and a combining dot, which users do not type.
  if (letter === 'İ') return 'i';
  if (STANDALONE_JAMO.test(letter)) return letter;
  return letter.toLowerCase().normalize('NFKC').toLowerCase().normalize('NFC').replaceAll('ß', 'ss').replaceAll('ς',
    'σ').replaceAll('ʼ', "'");
}

function difference(from: number, to: number): number {
  return (to - from) & CODE_POINT_MASK;
}

function shareBlocks(values: Uint32Array): { index: Uint16Array; blocks: Uint32Array } {
  const numbers = new Map<string, number>();
  const index = new Uint16Array(CODE_POINTS >> BLOCK_SHIFT);
  // Block 0 contains only separators, like most of the code space.
  const kept: Uint32Array[] = [new Uint32Array(BLOCK_SIZE)];
  for (let i = 0; i < index.length; i++) {
    const block = values.subarray(i << BLOCK_SHIFT, (i + 1) << BLOCK_SHIFT);
    if (block.every((value) => value === 0)) continue;
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString('latin1');
    let number = numbers.get(bytes);
    if (number === undefined) {
      number = kept.push(block) - 1;
      numbers.set(bytes, number);
    }
    index[i] = number;
  }
  const blocks = new Uint32Array(kept.length << BLOCK_SHIFT);
  kept.forEach((block, number) => blocks.set(block, number << BLOCK_SHIFT));
  return { index, blocks };
}

/** Collects replacement texts, each stored once. */
class Expansions {
  readonly #offsets = new Map<string, number>();
  readonly #bytes: number[] = [];

  /** Offset of the length byte of a text. */
  add(text: string): number {
    const known = this.#offsets.get(text);
    if (known !== undefined) return known;
    const offset = this.#bytes.length;
    const encoded = Buffer.from(text);
    this.#bytes.push(encoded.length, ...encoded);
    this.#offsets.set(text, offset);
    return offset;
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** Calls `visit` with every range of code points `[first, end)` that a global pattern matches. */
function forEachRange(pattern: RegExp, visit: (first: number, end: number) => void): void {
  planeTexts ??= PLANES.map(([first, last]) => planeText(first, last));
  for (const [plane, [first]] of PLANES.entries()) {
    const unitsEach = first > 0xffff ? 2 : 1;
    for (const match of planeTexts[plane]!.matchAll(pattern)) {
      const start = first + match.index / unitsEach;
      visit(start, start + match[0].length / unitsEach);
    }
  }
}

/** All code points of a range, in order; the range must not extend from the basic plane into another. */
function planeText(first: number, last: number): string {
  const unitsEach = first > 0xffff ? 2 : 1;
  const units = new Uint16Array((last - first + 1) * unitsEach);
  for (let c = first, at = 0; c <= last; c++) {
    if (unitsEach === 2) units[at++] = 0xd800 + ((c - 0x1_0000) >> 10);
    units[at++] = unitsEach === 2 ? 0xdc00 + (c & 0x3ff) : c;
  }
  return Buffer.from(units.buffer).toString('utf16le');
}

// The tables as written by `npm run generate`, so that they need not be computed at each start:
//
// 64 bytes: version, entries of index, of blocks and of expansions, as text index blocks expansions (little endian)

const HEADER_BYTES = 64;

export const KEPT_TOKEN_TABLES = 'token-tables.bin';

/** Tables as bytes, with the version of the Unicode data from which they were computed. */
export function packTokenTables({ index, blocks, expansions }: TokenTables, version: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES, ' ');
  header.write([version, index.length, blocks.length, expansions.length].join(' '), 'latin1');
  return Buffer.concat([header,
    ...[index, blocks, expansions].map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength)
    )]);
}

/** Reads tables; undefined if they are of another version. */
export function unpackTokenTables(bytes: Buffer, version: string): TokenTables | undefined {
  const [kept, ...lengths] = bytes.toString('latin1', 0, HEADER_BYTES).trim().split(' ');
  if (kept !== version) return undefined;
  const [indexed, blocked, expanded] = lengths.map(Number) as [number, number, number];
  // Copied, because typed arrays must be aligned.
  const { buffer } = new Uint8Array(bytes.subarray(HEADER_BYTES));
  return {
    index: new Uint16Array(buffer, 0, indexed),
    blocks: new Uint32Array(buffer, indexed * 2, blocked),
    expansions: new Uint8Array(buffer, indexed * 2 + blocked * 4, expanded),
  };
}

/** The generated tables; undefined if the engine has other Unicode data, or if they were not generated yet. */
export function keptTokenTables(version: string): TokenTables | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(new URL(`../../generated/text/${KEPT_TOKEN_TABLES}`, import.meta.url));
  } catch {
    return undefined;
  }
  return unpackTokenTables(bytes, version);
}
