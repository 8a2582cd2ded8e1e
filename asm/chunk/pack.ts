// Cuts a marked text into chunks. The twin, `pack` in src/text/chunk/pack.ts, states the rules.

import { byteAt, codePointAt, isSpace, NEWLINE, widthAt } from './characters.ts';
import { CHUNK_BYTES, OUTPUT, OUTPUT_CHUNKS, TEXT } from './layout.ts';

/**
 * Writes the chunks from an offset on, at most OUTPUT_CHUNKS, and returns their number. `from` is 0 or
 * where the last chunk ended, `line` the line there.
 */
export function packFrom(from: u32, line: u32, length: u32, budget: u32, whole: bool, dense: bool): u32 {
  assert(from <= length && budget > 0, 'a start behind the end, or no budget');
  const end = TEXT + length;
  let at = TEXT + from;
  let count: u32 = 0;
  while (count < OUTPUT_CHUNKS) {
    const first = firstOfChunk(at, end);
    if (first === end) break;
    line += newlines(at, first);
    const start = startOfChunk(at, first, budget);
    const chunk = OUTPUT + <usize>count * CHUNK_BYTES;
    at = endOfChunk(start, end, length, budget, whole, dense);
    store<u32>(chunk, <u32>(start - TEXT));
    store<u32>(chunk + 4, <u32>(at - TEXT));
    store<u32>(chunk + 8, line);
    line += newlines(start, at);
    store<u32>(chunk + 12, line);
    count++;
  }
  return count;
}

function firstOfChunk(at: usize, end: usize): usize {
  while (isSpace(byteAt(at, end))) at++;
  return at;
}

function newlines(from: usize, to: usize): u32 {
  let count: u32 = 0;
  for (; from < to; from++) count += u32(load<u8>(from) === <u8>NEWLINE);
  return count;
}

/**
 * The beginning of the first character's line, unless its indentation takes the whole budget or the line does not begin
 * in this chunk.
 */
function startOfChunk(from: usize, first: usize, budget: u32): usize {
  let start = first;
  while (start > from && load<u8>(start - 1) !== <u8>NEWLINE) start--;
  if (start === from && from !== TEXT) return first; // the previous chunk ends on this line
  return first - start >= <usize>budget ? first : start;
}

function endOfChunk(start: usize, textEnd: usize, length: u32, budget: u32, whole: bool, dense: bool): usize {
  let end = start; // behind the last character that is not whitespace
  let best: u8 = 0;
  let bestEnd = start;
  let characters: u32 = 0;
  for (let at = start; at < textEnd;) {
    const width = widthAt(at, textEnd);
    if (!isSpace(load<u8>(at))) {
      const level = load<u8>(at + length);
      if (end > start && level > 0 && level >= best) {
        best = level;
        bestEnd = end;
      }
      if (characters >= budget && end > start) {
        if (best > 0) return bestEnd;
        if (!whole) return end;
      }
      end = at + width;
    }
    characters += dense && width > 2 ? densityOf(codePointAt(at, textEnd)) : 1;
    at += width;
  }
  return end;
}

/** Number of Latin letters that say as much as a character. */
function densityOf(character: u32): u32 {
  const isHan = (character >= 0x3400 && character <= 0x9fff) || (character >= 0xf900 && character <= 0xfaff) ||
    (character >= 0x2_0000 && character <= 0x3_ffff);
  if (isHan) return 3;
  const isSyllable = (character >= 0x3040 && character <= 0x30ff) || (character >= 0xac00 && character <= 0xd7af);
  return isSyllable ? 2 : 1;
}
