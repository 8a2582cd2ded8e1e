// Cuts documents into chunks for embeddings. The TypeScript twin, src/text/chunk, states the rules; chunk/layout.ts
// describes the layout of the memory. The host grows the memory to fit a text and its levels, writes the text, has its
// levels marked, and reads chunks until none are left.

import { markCode } from './chunk/code.ts';
import { OUTPUT, TEXT } from './chunk/layout.ts';
import { blankMarkup } from './chunk/markup.ts';
import { packFrom } from './chunk/pack.ts';
import { markProse } from './chunk/prose.ts';

/** Address to which the host writes the UTF-8 text. */
export function textAddress(): usize {
  return TEXT;
}

/** Address of the chunks. */
export function outputAddress(): usize {
  return OUTPUT;
}

/** Marks where markdown of `length` bytes may be cut. */
export function prose(length: u32): void {
  assertRoom(length);
  markProse(TEXT, length);
}

/**
 * Marks where source code of `length` bytes may be cut into chunks of `budget` characters; for the bits of
 * `profile` see chunk/lexer.ts.
 */
export function code(length: u32, profile: u32, budget: u32): void {
  assertRoom(length);
  markCode(TEXT, length, profile, budget);
}

/** Writes spaces over the markup of markdown of `length` bytes. */
export function plain(length: u32): void {
  assertRoom(length);
  blankMarkup(TEXT, length);
}

/**
 * Writes the next chunks of a marked text and returns their number, which is 0 at the end. `from` and
 * `line` are 0 and 1 at first, then the end of the last chunk and its last line. With `whole`, text that cannot
 * be cut within `budget` characters is kept whole; otherwise it is cut anywhere. With `dense`, characters of scripts in
 * which a text has fewer of them count for several.
 */
export function pack(from: u32, line: u32, length: u32, budget: u32, whole: bool, dense: bool): u32 {
  return packFrom(from, line, length, budget, whole, dense);
}

function assertRoom(length: u32): void {
  assert(TEXT + 2 * <usize>length <= <usize>memory.size() << 16, 'no room for the text and its levels');
}
