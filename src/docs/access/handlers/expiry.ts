import { ServiceError } from '../../../errors/index.ts';
import { isExpired } from '../credentials/secret-keys.ts';

/** Throws `invalid_argument` for a key that would have expired already. */
export function requireFuture(expiresAt: number, now: number): void {
  if (isExpired(expiresAt, now))
    throw new ServiceError('invalid_argument', `expiresAt must be in the future, or 0 for never, got ${expiresAt}`);
}
