import { randomFillSync } from 'node:crypto';

const ID_BYTES = 8;
/** Random bytes are drawn for many ids at once. */
const drawn = Buffer.alloc(512 * ID_BYTES);
let used = drawn.length;

/** The id of a request: the client's own where it is fit for a log, so that its logs and ours can be joined, and else a new one. */
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
