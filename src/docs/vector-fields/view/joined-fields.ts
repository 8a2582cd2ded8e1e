import { JoinedSparseIndex, type SparseReader } from '../../../search/sparse/index.ts';
import { JoinedVectorIndex, type VectorReader } from '../../../search/vector/index.ts';
import type { VectorField } from '../../collections/index.ts';
import type { FieldIndexes } from './field-indexes.ts';

/** What is read of the supplied vectors of a collection, in one index or in those of its partitions. */
export interface FieldsReader {
  /** Documents that have vectors in any field. */
  readonly documents: number;
  readonly bytes: number;
  /** The index of a field; undefined if no document has vectors of its kind there. */
  of(field: string, kind: VectorField['kind']): VectorReader | undefined;
  /** The same for a field of the kind `sparse`. */
  sparse(field: string): SparseReader | undefined;
}

/** The partitions of a collection as one index with all of their documents. */
export function joinFieldIndexes(parts: readonly FieldIndexes[]): FieldsReader {
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
