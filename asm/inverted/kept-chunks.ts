// Chunks that a phrase query has read: once its candidates are known, it reads the same postings again. Chunks are kept
// from `openKept` until `closeKept`, for forms that are read from their first chunk to the last.
//
// A chunk has 1 KiB in B_KEPT_CHUNKS: its documents, 128 x u32, and their frequencies, 128 x u32, as `readChunk` writes
// them. Behind the last chunk of a form, there is 1 KiB for the places of the postings of its tail, as in TAIL_PLACES.
// B_KEPT_FORMS has for each form its number and the index of its first chunk there, u32 each.

import { BLOCK, H_KEPT, TAIL_PLACES } from './layout.ts';
import { B_KEPT_CHUNKS, B_KEPT_FORMS, buffer, reserve } from './scratch.ts';

// At H_KEPT: whether chunks are kept, the number of kept chunks, and the number of their forms.
const OPEN: usize = 0;
const CHUNKS: usize = 4;
const FORMS: usize = 8;

const CHUNK: u32 = 1024;
export const KEPT_FREQUENCIES: usize = 512;
/** Chunks of further forms are read again: keeping them would evict others from the CPU caches. */
const MOST_CHUNKS: u32 = 1024;

export function openKept(): void {
  closeKept();
  store<u32>(H_KEPT, 1, OPEN);
}

export function closeKept(): void {
  store<u32>(H_KEPT, 0, OPEN);
  store<u32>(H_KEPT, 0, CHUNKS);
  store<u32>(H_KEPT, 0, FORMS);
}

/** The address to which the chunks of a form must be read; 0 if they are not kept. */
export function keepForm(form: u32, chunks: u32): usize {
  const first = load<u32>(H_KEPT, CHUNKS);
  if (load<u32>(H_KEPT, OPEN) === 0 || first + chunks > MOST_CHUNKS) return 0;
  const forms = load<u32>(H_KEPT, FORMS);
  const entry = reserve(B_KEPT_FORMS, (forms + 1) << 3) + (<usize>forms << 3);
  store<u32>(entry, form);
  store<u32>(entry, first, 4);
  store<u32>(H_KEPT, forms + 1, FORMS);
  store<u32>(H_KEPT, first + chunks + 1, CHUNKS);
  return reserve(B_KEPT_CHUNKS, (first + chunks + 1) * CHUNK) + <usize>first * CHUNK;
}

/** Keeps the places in a tail that was just read, the last of `chunks` chunks. */
export function keepPlaces(kept: usize, chunks: u32): void {
  memory.copy(chunkIn(kept, chunks), TAIL_PLACES, BLOCK << 1);
}

/** The address to which the chunks of a form were read; 0 if they were not kept. */
export function keptForm(form: u32): usize {
  const entries = buffer(B_KEPT_FORMS);
  for (let entry = entries; entry < entries + (<usize>load<u32>(H_KEPT, FORMS) << 3); entry += 8) {
    if (load<u32>(entry) === form) return buffer(B_KEPT_CHUNKS) + <usize>load<u32>(entry, 4) * CHUNK;
  }
  return 0;
}

export function chunkIn(kept: usize, chunk: u32): usize {
  return kept + <usize>chunk * CHUNK;
}
