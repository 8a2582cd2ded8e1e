import { ServiceError } from '../../../errors/index.ts';
import { truncationIn, type Reply, type Truncation } from '../../../operations/index.ts';

/**
 * The answer behind a field that is a bare list. Such a field has no place to say that its list was cut, so one that
 * was fails instead of passing for the whole.
 */
export function complete<T extends object>({ value, headers }: Reply<T>): T {
  const { truncated, nextOffset }: Truncation = { ...truncationIn(headers), ...value };
  if (truncated) {
    throw new ServiceError('payload_too_large', `the list is too large for one answer, which would end before offset ${nextOffset}; ask for fewer items with limit, and for the next ones with offset`);
  }
  return value;
}
