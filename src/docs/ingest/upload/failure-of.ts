import { ServiceError } from '../../../errors/index.ts';

/** The error of a single write, made from the error line of a batch with one item. */
export function failureOf(line: string): ServiceError {
  const reason = line.slice(line.indexOf(': ') + 2);
  if (reason.startsWith('missing fields: ')) return new ServiceError('missing_fields', reason);
  return new ServiceError(reason.startsWith('validation failed: ') ? 'validation_failed' : 'invalid_argument', reason);
}
