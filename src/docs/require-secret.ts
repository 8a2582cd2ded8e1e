import { ServiceError } from '../errors/index.ts';

/** A secret of a stored configuration, and the field that says where it is sent. */
export interface SecretUse {
  /** Names of the fields, as clients write them. */
  readonly secret: string;
  readonly target: string;
}

/** What both fields hold; absent is the same as empty. */
export interface SecretAndTarget {
  readonly secret?: string | undefined;
  readonly target?: string | undefined;
}

/**
 * Throws `missing_fields` where a write changes the address of a stored secret and does not send the secret again
 * (decision D-137): otherwise whoever may change the address could have the secret sent to a server of their own.
 * A secret that is absent or empty keeps the stored one, so that a client can write back what it read. Without an
 * address nothing is sent, and the next one needs the secret again.
 */
export function requireSecret({ secret, target }: SecretUse, stored: SecretAndTarget, written: SecretAndTarget): void {
  if (written.secret || !stored.secret || !written.target || isSameTarget(stored.target ?? '', written.target)) return;
  throw new ServiceError('missing_fields', `missing fields: ${secret}; ${target} changes, and the stored ${secret} is for the former ${target} only: send it again`);
}

/** The same URL in another spelling is the same; anything else is compared as it is. */
function isSameTarget(a: string, b: string): boolean {
  return normalized(a) === normalized(b);
}

function normalized(target: string): string {
  return (URL.parse(target)?.href ?? target).replace(/\/$/, '');
}
