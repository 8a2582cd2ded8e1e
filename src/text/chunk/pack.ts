/** A piece of a text, for an embedding. */
export interface Chunk {
  /** Where it starts: offset in bytes of the UTF-8 text. */
  readonly start: number;
  /** Where it ends, exclusive. */
  readonly end: number;
  /** Line of its first character, counted from 1. */
  readonly startLine: number;
  /** Line of its last character. */
  readonly endLine: number;
}

const SPACES = ' \t\n\v\f\r';

/** ASCII whitespace; other spaces are characters like any other. */
export function isSpace(character: string | undefined): boolean {
  return character !== undefined && SPACES.includes(character);
}

/** The characters of a text: code points, a lone surrogate as the U+FFFD that it is in UTF-8. */
export function charactersOf(text: string): string[] {
  return [...text.toWellFormed()];
}

/**
 * Cuts a text into chunks, in order and without overlap, at the places where `levels` says how good a
 * cut in front of that character would be: 0 not at all, more is better. This is the second half of
 * both chunkers, and the twin of `pack` in the WebAssembly module.
 *
 * A chunk that does not hold the rest of the text ends at the best place within `budget` characters;
 * of equally good ones at the last. Where there is none, it ends in the middle of a word after
 * `budget` characters, or if `whole` at the next place behind them, and so is too large.
 *
 * A chunk starts at the beginning of a line, with its indentation (unless that alone fills the
 * budget), or else at a character other than whitespace, and ends with such a one. So between chunks
 * and around them there is nothing but whitespace. A blank text has no chunks.
 */
export function pack(characters: readonly string[], levels: Uint8Array, budget: number, whole: boolean): Chunk[] {
  const chunks: Chunk[] = [];
  const offsets = offsetsOf(characters);
  for (let from = 0; ;) {
    const start = startOfChunk(characters, from, budget);
    if (start === undefined) return chunks;
    const end = endOfChunk(characters, levels, start, budget, whole);
    chunks.push({ start: offsets.bytes[start]!, end: offsets.bytes[end]!, startLine: offsets.lines[start]!, endLine: offsets.lines[end - 1]! });
    from = end;
  }
}

/** Where the next chunk starts, given where the one before it ended; undefined when only whitespace is left. */
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

function endOfChunk(characters: readonly string[], levels: Uint8Array, start: number, budget: number, whole: boolean): number {
  let end = start; // of the last character that is not whitespace
  let best = 0;
  let bestEnd = start;
  for (let at = start; at < characters.length; at++) {
    if (isSpace(characters[at])) continue;
    if (end > start && levels[at]! > 0 && levels[at]! >= best) {
      best = levels[at]!;
      bestEnd = end;
    }
    if (at - start >= budget && end > start) {
      if (best > 0) return bestEnd;
      if (!whole) return end;
    }
    end = at + 1;
  }
  return end;
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
