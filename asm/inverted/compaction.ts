// Compaction: documents get new numbers without gaps, and postings of deleted documents are removed.
//
// It starts by renumbering the documents, keeping the map from the old numbers to the new, and flipping
// the epoch. From then on postings of the former epoch are read through the map, and form by form they
// are rewritten, a bounded number of postings per step. Searches, additions and deletions go on in
// between, and a checkpoint may be taken. When every form is done, the map is freed.

import { output } from './dictionary.ts';
import { lengthsOf, resizeDocuments } from './documents.ts';
import { BLOCK, H_CLASSES, H_COMPACT_BLOCK, H_COMPACT_FORM, H_DEAD_DOCS, H_DEATHS, H_DOC_CAPACITY, H_DOC_OF, H_DOCS,
  H_EPOCH, H_FURTHER_LENGTHS, H_GRADED, H_ORDINALS, H_REMAP, H_REMAP_DOCS, PART_COMPACTION, PLAIN_FIELDS,
  SINK } from './layout.ts';
import { forgetLists } from './lists/arena.ts';
import { release, resize } from './memory.ts';
import { releaseDirectory, tailCount } from './postings.ts';
import { formCount, formExists, R_DOCUMENTS, recordOf } from './records.ts';
import { hasFormerBlock, renewBlocks, renewTail } from './renewal.ts';

const BLOCKS_AT_ONCE: u32 = 16;

export function isCompacting(): bool {
  return load<u32>(H_REMAP) !== 0;
}

/**
 * Renumbers the documents, which takes some nanoseconds per document. No document is being added and no compaction is
 * running.
 */
export function beginCompaction(): void {
  forgetLists();
  const docs = load<u32>(H_DOCS);
  const remap = resize(0, 0, docs * 4, PART_COMPACTION);
  const lengths = lengthsOf(0);
  let next: u32 = SINK + 1;
  for (let at: usize = 4; at < <usize>docs << 2; at += 4) {
    if (load<f32>(lengths + at) !== f32.POSITIVE_INFINITY) store<u32>(remap + at, next++);
  }
  closeGaps(lengthsOf(0), lengthsOf(1), remap, docs);
  for (let array: u32 = 2; array <= PLAIN_FIELDS; array++)
    if (lengthsOf(array) !== 0) closeGaps(lengthsOf(array), lengthsOf(array), remap, docs);
  closeGaps(load<u32>(H_ORDINALS), load<u32>(load<u32>(H_FURTHER_LENGTHS) !== 0 ? H_FURTHER_LENGTHS : H_ORDINALS),
    remap, docs);
  closeClassGaps(load<u32>(H_CLASSES), remap, docs);
  renameOrdinals(next);
  store<u32>(H_REMAP, <u32>remap);
  store<u32>(H_REMAP_DOCS, docs);
  store<u32>(H_DOCS, next);
  store<u32>(H_GRADED, 0);
  store<u32>(H_DEAD_DOCS, 0);
  store<u32>(H_DEATHS, load<u32>(H_DEATHS) + 1);
  store<u32>(H_EPOCH, 1 - load<u32>(H_EPOCH));
  store<u32>(H_COMPACT_FORM, 1);
  store<u32>(H_COMPACT_BLOCK, 0);
  const roomy = next + (next >> 3) + 256;
  if (load<u32>(H_DOC_CAPACITY) > roomy + (roomy >> 1)) resizeDocuments(roomy);
}

/**
 * Moves the values of two arrays by document to the new numbers of the documents; the values of dropped documents are
 * overwritten.
 */
function closeGaps(a: usize, b: usize, remap: usize, docs: u32): void {
  let to: usize = (SINK + 1) << 2;
  for (let from = to; from < <usize>docs << 2; from += 4) {
    store<u32>(a + to, load<u32>(a + from));
    store<u32>(b + to, load<u32>(b + from));
    to += <usize>(load<u32>(remap + from) !== SINK) << 2;
  }
}

function closeClassGaps(classes: usize, remap: usize, docs: u32): void {
  let to = classes + SINK + 1;
  for (let doc: u32 = SINK + 1; doc < docs; doc++) {
    store<u8>(to, load<u8>(classes + <usize>doc));
    to += <usize>(load<u32>(remap + (<usize>doc << 2)) !== SINK);
  }
}

function renameOrdinals(docs: u32): void {
  const ordinals = <usize>load<u32>(H_ORDINALS);
  const docOf = <usize>load<u32>(H_DOC_OF);
  for (let doc: u32 = SINK + 1; doc < docs; doc++) {
    store<u32>(docOf + (<usize>load<u32>(ordinals + (<usize>doc << 2)) << 2), doc);
  }
}

/**
 * Rewrites forms until it has looked at about `budget` postings, or all forms are done (see `isCompacting`).
 * Writes the forms that have no postings left to B_OUTPUT and returns their number; the host drops them.
 */
export function compactStep(budget: u32): u32 {
  let form = load<u32>(H_COMPACT_FORM);
  let block = load<u32>(H_COMPACT_BLOCK);
  let work: u32 = 0;
  let emptied: u32 = 0;
  while (form < formCount() && work < budget) {
    if (formExists(form)) {
      block = renewBlocks(form, block, BLOCKS_AT_ONCE);
      work += BLOCKS_AT_ONCE;
      if (hasFormerBlock(form, block)) {
        work += BLOCKS_AT_ONCE * BLOCK;
        continue;
      }
      work += tailCount(recordOf(form)) + (block > 0 ? BLOCKS_AT_ONCE * BLOCK : 0);
      renewTail(form);
      if (load<u32>(recordOf(form), R_DOCUMENTS) === 0) {
        releaseDirectory(recordOf(form));
        output(emptied++, form);
      }
    }
    form++;
    block = 0;
  }
  store<u32>(H_COMPACT_FORM, form);
  store<u32>(H_COMPACT_BLOCK, block);
  if (form >= formCount()) endCompaction();
  return emptied;
}

function endCompaction(): void {
  release(load<u32>(H_REMAP), load<u32>(H_REMAP_DOCS) * 4, PART_COMPACTION);
  store<u32>(H_REMAP, 0);
  store<u32>(H_REMAP_DOCS, 0);
}
