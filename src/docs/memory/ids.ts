import { randomBytes } from 'node:crypto';

/** An id of a session, message or summary. */
export function newId(kind: 'ses' | 'msg' | 'sum'): string {
  return `${kind}_${randomBytes(12).toString('hex')}`;
}
