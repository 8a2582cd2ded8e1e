import { ServiceError } from '../../../errors/index.ts';
import { type Reply, type Truncation, truncationIn } from '../../../operations/index.ts';

/**
 * Returns the result for a field that is a bare list. Such a field cannot say that its list was truncated, so a
 * truncated list fails instead of passing for a complete one.
 */
export function complete<T extends object>({ value, headers }: Reply<T>): T {
  const { truncated, nextOffset }: Truncation = { ...truncationIn(headers), ...value };
  if (truncated) {
    throw new ServiceError('payload_too_large',
      `the list is too large for one response, which would end before offset ${nextOffset}; ask for fewer items ` +
        'with limit, and for the next ones with offset');
  }
  return value;
}
