import { Lru } from '../../lib/caches.ts';
import type { Change } from '../../storage/index.ts';
import { blobBytes, fromBlob } from './vector-blob.ts';
import type { ModelIdentity, StoredType } from './vector-rows.ts';

/** All vectors of a document, by chunk. */
export interface DocumentVectors {
  readonly ord: number;
  readonly model: ModelIdentity;
  /** The type in which they are to be kept in memory. */
  readonly stored: StoredType;
  /** Numbers, or for int8 the bytes of the table if they are rounded there, too. */
  readonly vectors: readonly (Float32Array | Uint8Array)[];
}

/** The same as the table has them. */
export interface StoredDocument extends Omit<DocumentVectors, 'vectors'> {
  readonly blobs: readonly Uint8Array[];
}

/**
 * Bytes of vectors that are kept at most: a view that falls behind by more reads them from the table, which makes it
 * slower still.
 */
const KEPT_BYTES = 8 * 2 ** 20;

/**
 * The vectors that this process stored last, by the number of their change. A view that follows closely takes them from
 * here: reading them from the table again takes longer than writing them. A change that is not here, or no longer, is
 * read from the table.
 */
export class FreshVectors {
  readonly #documents = new Lru<number, StoredDocument>(KEPT_BYTES, { sizeOf: bytesOf });

  /** Adds the vectors of a committed change. */
  add(lsn: number, document: StoredDocument): void {
    this.#documents.set(lsn, document);
  }

  /** The vectors of a change as the table had them then; each only once. */
  take({ lsn, ord }: Pick<Change, 'lsn' | 'ord'>): DocumentVectors | undefined {
    const document = this.#documents.get(lsn);
    this.#documents.delete(lsn);
    if (document === undefined || document.ord !== ord) return undefined;
    const { blobs, ...rest } = document;
    const { stored, model: { dimensions } } = rest;
    const rounded = stored === 'int8' ? blobBytes(dimensions, 'int8') : undefined;
    return { ...rest, vectors: blobs.map((blob) => (blob.length === rounded ? blob : fromBlob(blob, dimensions))) };
  }

  /** Call this when the numbers of changes begin again. */
  clear(): void {
    this.#documents.clear();
  }
}

function bytesOf({ blobs }: StoredDocument): number {
  return blobs.reduce((sum, { length }) => sum + length, 0);
}
