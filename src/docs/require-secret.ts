import { ServiceError } from '../errors/index.ts';

/** A secret of a stored configuration, and the field with the address to which it is sent. */
export interface SecretUse {
  /** Names of the fields in requests. */
  readonly secret: string;
  readonly target: string;
}

/** Values of both fields; absent is the same as empty. */
export interface SecretAndTarget {
  readonly secret?: string | undefined;
  readonly target?: string | undefined;
}

/**
 * Throws `missing_fields` if a write changes the address for a stored secret without sending the secret again:
 * otherwise a caller who may change the address could have the secret sent to a server of their own. An absent or empty
 * secret keeps the stored one, so that a client can write back what it read. Without an address nothing is sent, and
 * the next address requires the secret again.
 */
export function requireSecret({ secret, target }: SecretUse, stored: SecretAndTarget, written: SecretAndTarget): void {
  if (written.secret || !stored.secret || !written.target || isSameTarget(stored.target ?? '', written.target)) return;
  throw new ServiceError('missing_fields',
    `missing fields: ${secret}; ${target} changes, and the stored ${secret} is for the former ${target} only: send ` +
      'it again');
}

/** Different spellings of a URL are equal; other values are compared as they are. */
function isSameTarget(a: string, b: string): boolean {
  return normalized(a) === normalized(b);
}

function normalized(target: string): string {
  return (URL.parse(target)?.href ?? target).replace(/\/$/, '');
}
