import { randomBytes } from 'node:crypto';

/** What the tokens of a user carry from now on. */
export function newTokenId(): string {
  return randomBytes(12).toString('hex');
}
