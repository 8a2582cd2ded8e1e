import { JoinedSparseIndex } from '../../../search/sparse/index.ts';
import { JoinedVectorIndex } from '../../../search/vector/index.ts';
import type { FieldIndexes, ReadableFields } from './field-indexes.ts';

/** The partitions of a collection as one index with all of their documents. */
export function joinFieldIndexes(parts: readonly FieldIndexes[]): ReadableFields {
  return {
    get documents() {
      return parts.reduce((sum, { documents }) => sum + documents, 0);
    },
    get bytes() {
      return parts.reduce((sum, { bytes }) => sum + bytes, 0);
    },
    of(field, kind) {
      const present = parts.map((part) => part.of(field, kind)).filter((index) => index !== undefined);
      return present.length > 1 ? new JoinedVectorIndex(present) : present[0];
    },
    sparse(field) {
      const present = parts.map((part) => part.sparse(field)).filter((index) => index !== undefined);
      return present.length > 1 ? new JoinedSparseIndex(present) : present[0];
    },
  };
}
