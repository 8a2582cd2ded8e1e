import { ServiceError } from '../../../errors/index.ts';

/** What a single write would have been refused with, of the line that a batch of one item has for it (decision D-67). */
export function failureOf(line: string): ServiceError {
  const reason = line.slice(line.indexOf(': ') + 2);
  if (reason.startsWith('missing fields: ')) return new ServiceError('missing_fields', reason);
  return new ServiceError(reason.startsWith('validation failed: ') ? 'validation_failed' : 'invalid_argument', reason);
}
