// All places of a word's forms in a document, for reranking. Numbers, u64, ascending: field << 33 | position << 1 | is it the very form?
// The very form is the first; its cursor, and those of the other forms, follow each other.

import { copyPositions, CURSOR, cursorAt, occurrencesIn, seekDocument } from './cursors.ts';
import { mergePositions } from './merging.ts';
import { B_MERGE, reserve } from './scratch.ts';

/** Moves the cursors on to a document, which is not earlier than the one before; returns the occurrences there. */
export function countForms(cursor: u32, forms: u32, doc: u32): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < forms; i++) count += seekDocument(cursorAt(cursor + i), doc);
  return count;
}

/** Writes the numbers of the document that the cursors are at; returns the address behind. */
export function gatherForms(cursor: u32, forms: u32, doc: u32, to: usize): usize {
  let end = to;
  for (let i: u32 = 0; i < forms; i++) {
    const at = cursorAt(cursor) + <usize>(i * CURSOR);
    const count = occurrencesIn(at, doc);
    if (count === 0) continue;
    if (end === to) {
      copyPositions(at, to);
      end = number(to, count, i === 0);
    } else {
      const own = reserve(B_MERGE, count * 8);
      copyPositions(at, own);
      number(own, count, i === 0);
      end = mergePositions(to, end, own, count);
    }
  }
  return end;
}

/** Makes numbers of positions, in their places; returns the address behind. */
function number(at: usize, count: u32, isExact: bool): usize {
  for (const end = at + (<usize>count << 3); at < end; at += 8) store<u64>(at, (load<u64>(at) << 1) | <u64>isExact);
  return at;
}
