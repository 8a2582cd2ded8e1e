import { ServiceError } from '../errors/index.ts';
import type { Log } from '../lib/log.ts';
import { secretRefusal } from '../net/index.ts';

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
