import { randomFillSync } from 'node:crypto';

const ID_BYTES = 8;
/** Number of ids for which random bytes are drawn at once. */
const drawn = Buffer.alloc(512 * ID_BYTES);
let used = drawn.length;

/**
 * The id of a request: the client's own if it is fit for a log, so that both sides' logs can be joined; otherwise a new
 * one.
 */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : newId();
}

function newId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += ID_BYTES;
  return drawn.toString('hex', used - ID_BYTES, used);
}
