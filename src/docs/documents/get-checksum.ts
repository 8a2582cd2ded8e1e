import type { DocumentHandlers } from './deps.ts';
import type { DocumentReader } from './reader.ts';

/** `GET /v1/checksum`. */
export function getChecksum(reader: DocumentReader): DocumentHandlers['getChecksum'] {
  return async ({ collection }) => ({ collection, ...(await reader.checksum(collection)) });
}
