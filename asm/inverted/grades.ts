// How long each document is, roughly: one byte per document, from which 16 score bounds at a time are looked up (see
// `tallies.ts`).
//
// A grade is 4 times the number of lengths at GRADE_LENGTHS that a document reaches, or DEAD_GRADE. These lengths are
// fractions of the average length at the time when they were chosen; they are chosen again when the number of documents
// has doubled. A document gets its grade at the first search, and loses it by deletion (see `removeDocument`) and
// compaction.

import { DEAD_GRADE, isDead, lengthsOf } from './documents.ts';
import { H_DOCS, H_GRADED, H_GRADED_FOR, H_LENGTH_SUM, H_LEVEL_CAPACITY, H_LIVE_DOCS } from './layout.ts';
import { B_GRADES, reserve } from './scratch.ts';

export const GRADES: u32 = 4;

/**
 * Updates the grades after levels were prepared; returns their address. Grades behind the last document, up to a
 * multiple of 64, are dead.
 */
export function gradeDocuments(): usize {
  const grades = reserve(B_GRADES, load<u32>(H_LEVEL_CAPACITY));
  const docs = load<u32>(H_DOCS);
  // The last document may not have all its postings yet: a search may run while a document is being added.
  const end = isDead(docs - 1) ? docs - 1 : docs;
  if (load<u32>(H_GRADED) === 0 || end > load<u32>(H_GRADED_FOR) << 1) chooseLengths(end);
  const first = gradeLength(1);
  const second = gradeLength(2);
  const third = gradeLength(3);
  const lengths = lengthsOf(0);
  for (let doc = load<u32>(H_GRADED); doc < end; doc++) {
    const length = load<f32>(lengths + (<usize>doc << 2));
    const grade = (<u32>(length >= first) + <u32>(length >= second) + <u32>(length >= third)) << 2;
    store<u8>(grades + <usize>doc, length === f32.POSITIVE_INFINITY ? DEAD_GRADE : <u8>grade);
  }
  memory.fill(grades + <usize>end, DEAD_GRADE, <usize>(((docs + 63) & ~63) - end));
  store<u32>(H_GRADED, end);
  return grades;
}

/** Least length of the documents of a grade. */
export function gradeLength(grade: u32): f32 {
  return grade === 0 ? 0 : load<f32>(H_GRADED_FOR + (<usize>grade << 2));
}

function chooseLengths(end: u32): void {
  const average = <f32>(load<f64>(H_LENGTH_SUM) / <f64>max(load<u32>(H_LIVE_DOCS), 1));
  store<u32>(H_GRADED, 0);
  store<u32>(H_GRADED_FOR, end);
  store<f32>(H_GRADED_FOR, average * 0.25, 4);
  store<f32>(H_GRADED_FOR, average * 0.5, 8);
  store<f32>(H_GRADED_FOR, average * 0.9, 12);
}
