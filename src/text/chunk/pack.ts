/** A part of a text, for an embedding. */
export interface Chunk {
  /** Its start: byte offset in the UTF-8 text. */
  readonly start: number;
  /** Its end, exclusive. */
  readonly end: number;
  /** Line of its first character, counted from 1. */
  readonly startLine: number;
  /** Line of its last character. */
  readonly endLine: number;
}

const SPACES = ' \t\n\v\f\r';

/** ASCII whitespace; other spaces count as ordinary characters. */
export function isSpace(character: string | undefined): boolean {
  return character !== undefined && SPACES.includes(character);
}

/** The characters of a text: code points, where a lone surrogate counts as U+FFFD, as in UTF-8. */
export function charactersOf(text: string): string[] {
  return [...text.toWellFormed()];
}

/**
 * Divides a text into chunks, in order and without overlap. `levels` rates a cut before each character: 0 forbids it,
 * higher is better. This is the second half of both chunkers, and the twin of `pack` in the WebAssembly module.
 *
 * Unless a chunk contains the rest of the text, it ends at the best position within `budget` characters, or the last of
 * equally good ones. If there is none, it ends in the middle of a word after `budget` characters, or with `whole` at
 * the next position after them, so that it is too large.
 *
 * A chunk starts at the beginning of a line, with its indentation (unless the indentation alone fills the budget), or
 * at a character other than whitespace, and ends with such a character. So there is only whitespace between and around
 * chunks. A blank text has no chunks.
 *
 * With `dense`, Han characters count for three and kana and hangul for two: a text has as many fewer of them than
 * letters.
 */
export function pack(characters: readonly string[], levels: Uint8Array, budget: number, whole: boolean,
  dense = false): Chunk[]
{
  const chunks: Chunk[] = [];
  const offsets = offsetsOf(characters);
  for (let from = 0;;) {
    const start = startOfChunk(characters, from, budget);
    if (start === undefined) return chunks;
    const end = endOfChunk(characters, levels, start, budget, whole, dense);
    chunks.push({
      start: offsets.bytes[start]!,
      end: offsets.bytes[end]!,
      startLine: offsets.lines[start]!,
      endLine: offsets.lines[end - 1]!,
    });
    from = end;
  }
}

/** The start of the next chunk after the end of the previous one; undefined if only whitespace is left. */
function startOfChunk(characters: readonly string[], from: number, budget: number): number | undefined {
  let line = from === 0 ? 0 : undefined;
  let first = from;
  while (isSpace(characters[first])) {
    if (characters[first] === '\n') line = first + 1;
    first += 1;
  }
  if (first === characters.length) return undefined;
  return line === undefined || first - line >= budget ? first : line;
}

function endOfChunk(characters: readonly string[], levels: Uint8Array, start: number, budget: number, whole: boolean,
  dense: boolean): number
{
  let count = 0;
  let end = start; // of the last non-whitespace character
  let best = 0;
  let bestEnd = start;
  for (let at = start; at < characters.length; count += dense ? densityOf(characters[at]!) : 1, at++) {
    if (isSpace(characters[at])) continue;
    if (end > start && levels[at]! > 0 && levels[at]! >= best) {
      best = levels[at]!;
      bestEnd = end;
    }
    if (count >= budget && end > start) {
      if (best > 0) return bestEnd;
      if (!whole) return end;
    }
    end = at + 1;
  }
  return end;
}

/** Number of Latin letters that say as much as a character. */
function densityOf(character: string): number {
  if (/[\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u.test(character)) return 3;
  return /[\u3040-\u30ff\uac00-\ud7af]/.test(character) ? 2 : 1;
}

/** Byte offset and line of each character, and of the end. */
function offsetsOf(characters: readonly string[]): { bytes: number[]; lines: number[] } {
  const bytes = [0];
  const lines = [1];
  for (const [i, character] of characters.entries()) {
    bytes.push(bytes[i]! + Buffer.byteLength(character));
    lines.push(lines[i]! + (character === '\n' ? 1 : 0));
  }
  return { bytes, lines };
}
