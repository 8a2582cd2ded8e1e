import { ServiceError } from '../../errors/index.ts';

/** 8 to 128 printable ASCII characters (decisions, section 2.4). */
const FORM = /^[ -~]{8,128}$/;
const LENGTH = '8 to 128 printable ASCII characters';

/** Throws `idempotency_key_required` if the header is absent or empty, and `invalid_input` if it is malformed. */
export function requireKey(key: unknown): void {
  if (key === undefined || key === '')
    throw new ServiceError('idempotency_key_required',
      `missing header Idempotency-Key; send a name for this request of ${LENGTH}`);
  if (typeof key === 'string' && FORM.test(key)) return;
  const got = typeof key === 'string' && (key.length < 8 || key.length > 128) ? `got ${key.length}` : 'got others';
  throw new ServiceError('invalid_input', `Idempotency-Key must have ${LENGTH}, ${got}`);
}
