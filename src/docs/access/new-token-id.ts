import { randomBytes } from 'node:crypto';

/** A new id for the tokens of a user; tokens with an earlier id are void. */
export function newTokenId(): string {
  return randomBytes(12).toString('hex');
}
