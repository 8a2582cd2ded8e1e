// What was found out about letters before and behind parts of the forms that were divided before: many forms begin or
// end alike. B_DIVISION_TRUTHS is a table in which newer truths replace older ones:
//
//     u32 address of the letters, u16 bytes, u8 question, u8 truth

import { equalBytes, hashBytes } from '../bytes.ts';
import { B_DIVISION_TRUTHS, buffer, reserve } from '../scratch.ts';

const SLOTS: u32 = 4096;
const SLOT: u32 = 8;
const S_BYTES: usize = 4;
const S_QUESTION: usize = 6;
const S_TRUTH: usize = 7;

export function forgetTruths(): void {
  memory.fill(reserve(B_DIVISION_TRUTHS, SLOTS * SLOT), 0, SLOTS * SLOT);
}

/** The truth for a question, 1 to 255, about some letters; 0 if it is not known. */
export function truthOf(question: u32, at: usize, bytes: u32): u32 {
  const slot = slotOf(question, at, bytes);
  return load<u8>(slot, S_QUESTION) === question && load<u16>(slot, S_BYTES) === bytes &&
      equalBytes(load<u32>(slot), at, bytes)
    ? load<u8>(slot, S_TRUTH)
    : 0;
}

/** Notes a truth; the letters stay where they are until the index changes. */
export function noteTruth(question: u32, at: usize, bytes: u32, truth: u32): void {
  const slot = slotOf(question, at, bytes);
  store<u32>(slot, <u32>at);
  store<u16>(slot, <u16>bytes, S_BYTES);
  store<u8>(slot, <u8>question, S_QUESTION);
  store<u8>(slot, <u8>truth, S_TRUTH);
}

function slotOf(question: u32, at: usize, bytes: u32): usize {
  return buffer(B_DIVISION_TRUTHS) + <usize>((hashBytes(at, bytes) + question) & (SLOTS - 1)) * SLOT;
}
