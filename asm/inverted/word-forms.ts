// The forms of a word whose postings are added up: u32 each at an address, none twice.

import { isDead } from './documents.ts';
import { DERIVED, H_DEAD_DOCS, H_DOCS, H_REMAP } from './layout.ts';
import { R_DOCUMENTS, R_FIELDS, recordOf } from './records.ts';

/** Address of the form with the most postings; `forms` if there are none. */
export function mostFrequent(forms: usize, count: u32): usize {
  let most = forms;
  for (let at = forms + 4; at < forms + (<usize>count << 2); at += 4) {
    if (load<u32>(recordOf(load<u32>(at)), R_DOCUMENTS) > load<u32>(recordOf(load<u32>(most)), R_DOCUMENTS)) most = at;
  }
  return most;
}

/** Exchanges two forms, given their addresses. */
export function exchange(a: usize, b: usize): void {
  const form = load<u32>(a);
  store<u32>(a, load<u32>(b));
  store<u32>(b, form);
}

/** Whether every posting of the forms is of a live document and in a field that counts. */
export function areCounted(forms: usize, count: u32): bool {
  if (mayHaveDead()) return false;
  for (let at = forms; at < forms + (<usize>count << 2); at += 4)
    if ((load<u8>(recordOf(load<u32>(at)), R_FIELDS) & DERIVED) !== 0) return false;
  return true;
}

/** Whether postings may be of dead documents. */
export function mayHaveDead(): bool {
  return load<u32>(H_DEAD_DOCS) !== 0 || load<u32>(H_REMAP) !== 0 || isDead(load<u32>(H_DOCS) - 1);
}
