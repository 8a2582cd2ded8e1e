import { ServiceError } from '../../errors/index.ts';

/** 8 to 128 printable ASCII characters (decisions, section 2.4). */
const FORM = /^[ -~]{8,128}$/;

/** Throws `idempotency_key_required` unless the header is there and well formed. */
export function requireKey(key: unknown): void {
  if (typeof key !== 'string' || !FORM.test(key)) {
    throw new ServiceError('idempotency_key_required', 'Idempotency-Key must have 8 to 128 printable ASCII characters');
  }
}
