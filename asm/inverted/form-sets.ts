// Sets of many forms, as patterns match them: `count` numbers, u32 each, in B_INPUT.

import { liveDocuments } from './counting.ts';
import { formCount, formExists, R_DOCUMENTS, recordOf } from './records.ts';
import { sumForm, sumFormDensely } from './scoring.ts';
import { B_FORM_BITS, B_INPUT, B_OUTPUT, buffer, reserve } from './scratch.ts';

export function formsExist(count: u32): bool {
  const forms = buffer(B_INPUT);
  for (let at = forms; at < forms + (<usize>count << 2); at += 4) {
    const form = load<u32>(at);
    if (form === 0 || form >= formCount() || !formExists(form)) return false;
  }
  return true;
}

/** Writes the number of live documents of each form to B_OUTPUT, u32 each; 0 for the number 0. */
export function countForms(count: u32): void {
  const forms = buffer(B_INPUT);
  const counts = reserve(B_OUTPUT, max(count * 4, 16));
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const form = load<u32>(forms + i);
    store<u32>(counts + i, form === 0 ? 0 : liveDocuments(form));
  }
}

/** Postings of all forms, those of deleted documents included. */
export function postingsOf(count: u32): f64 {
  const forms = buffer(B_INPUT);
  let postings: f64 = 0;
  for (let at = forms; at < forms + (<usize>count << 2); at += 4)
    postings += <f64>load<u32>(recordOf(load<u32>(at)), R_DOCUMENTS);
  return postings;
}

/**
 * Adds the forms, each once, to the group that is being summed (see `scoring.ts`). Returns how many documents the group
 * has gained, unless it is summed densely. Forms are taken in the order of their numbers, which is mostly the order of
 * their memory.
 */
export function sumForms(count: u32, densely: bool): u32 {
  const forms = buffer(B_INPUT);
  const words = (formCount() + 63) >> 6;
  const bits = reserve(B_FORM_BITS, words << 3);
  for (let at = forms; at < forms + (<usize>count << 2); at += 4) {
    const form = load<u32>(at);
    const word = bits + (<usize>(form >> 6) << 3);
    store<u64>(word, load<u64>(word) | (<u64>1 << (form & 63)));
  }
  let gained: u32 = 0;
  for (let word: u32 = 0; word < words; word++) {
    const place = bits + (<usize>word << 3);
    for (let left = load<u64>(place); left !== 0; left &= left - 1) {
      const form = (word << 6) + <u32>ctz(left);
      if (densely) sumFormDensely(form, 1);
      else gained += sumForm(form, 1);
    }
    store<u64>(place, 0);
  }
  return gained;
}
