import { ServiceError } from '../errors/index.ts';
import type { Log } from '../lib/log.ts';
import { secretRefusal } from '../net/index.ts';

/** A secret of a stored configuration, and the field with the address to which it is sent. */
interface SecretUse {
  /** Names of the fields in requests. */
  readonly secret: string;
  readonly target: string;
}

/** Values of both fields; absent is the same as empty. */
interface SecretAndTarget {
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

/**
 * Throws `invalid_argument` for a secret that cannot sign deliveries as Standard Webhooks; the message does not repeat
 * it.
 */
export function checkSigningSecret(secret = ''): void {
  const refusal = secretRefusal(secret);
  if (refusal !== undefined) throw new ServiceError('invalid_argument', `secret: ${refusal}`);
}

/** Logs which stored secrets would be refused today. They sign as far as they have a key. */
export function warnOfSecrets(log: Log, holder: 'webhook' | 'rule',
  stored: Iterable<{ readonly id: string; readonly secret: string }>): void
{
  for (const { id, secret } of stored) {
    const refusal = secretRefusal(secret);
    if (refusal !== undefined)
      log.warn({ [holder]: id, refusal },
        `the secret of a ${holder} should be replaced: its signatures are missing or can be forged`);
  }
}

/**
 * A URL as answers and logs show it: without user name, password, query and fragment, in which credentials are sent.
 * The URL may be a template.
 */
export function shownUrl(url: string): string {
  const [place = ''] = url.split(/[?#]/, 1);
  const [, scheme, rest = ''] = /^([a-z]+:\/\/)(.*)$/is.exec(place) ?? [];
  if (scheme === undefined) return place;
  const end = rest.indexOf('/');
  const authority = end < 0 ? rest : rest.slice(0, end);
  return `${scheme}${authority.slice(authority.lastIndexOf('@') + 1)}${end < 0 ? '' : rest.slice(end)}`;
}

/**
 * The URL to store: one that is written as it is shown keeps what is not shown, so that a client can write back what it
 * read.
 */
export function keepQuery(stored: string | undefined, written: string): string {
  return stored !== undefined && written === shownUrl(stored) ? stored : written;
}
