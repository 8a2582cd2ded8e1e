import type { Hash, Hmac } from 'node:crypto';
import { Pace, spend } from './pace.ts';

/** Bytes that are hashed without a pause: a fraction of a millisecond. */
const STEP_BYTES = 256 * 1024;

/** The digest of all bytes, with pauses: 25 MiB at once would block the event loop for 20 ms and more. */
export async function digestInSteps(hash: Hash | Hmac, bytes: Uint8Array): Promise<Buffer> {
  const pace = new Pace();
  for (let from = 0; from < bytes.length; from += STEP_BYTES) {
    if (from > 0) await pace.rest();
    const step = bytes.subarray(from, from + STEP_BYTES);
    hash.update(step);
    spend(step.length);
  }
  return hash.digest();
}
