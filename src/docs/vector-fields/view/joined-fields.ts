import { readEach } from '../../../search/parts/index.ts';
import { joinSparse } from '../../../search/sparse/index.ts';
import { joinVectors } from '../../../search/vector/index.ts';
import type { ReadableFields } from './field-indexes.ts';
import type { FieldsPart } from './fields-stand-in.ts';

/** The partitions of a collection as one index with all of their documents; some may be on other nodes. */
export function joinFieldIndexes(parts: readonly FieldsPart[]): ReadableFields {
  return {
    get documents() {
      return readEach(parts, ({ documents }) => documents).reduce((sum, documents) => sum + documents, 0);
    },
    get bytes() {
      return readEach(parts, ({ bytes }) => bytes).reduce((sum, bytes) => sum + bytes, 0);
    },
    of: (field, kind) =>
      joinVectors(readEach(parts, (part) => part.of(field, kind)).filter((index) => index !== undefined)),
    sparse: (field) => joinSparse(readEach(parts, (part) => part.sparse(field)).filter((index) => index !== undefined)),
  };
}
