import { ServiceError } from '../../../errors/index.ts';
import { OrdSet } from '../../../lib/ord-set.ts';
import { SparseFullError, SparseIndex, type SparseReader } from '../../../search/sparse/index.ts';
import { VectorIndex, type VectorIndexOptions, type VectorReader } from '../../../search/vector/index.ts';
import { rowsOf, type SuppliedVectors, unpackSparse } from '../../../storage/index.ts';
import type { VectorField } from '../../collections/index.ts';
import { restoreEach, saved, type ViewIndex } from '../../view/index.ts';

/** The stored type of the vectors of a field. */
export type Quantization = VectorField['quantization'];

/** What is read of the supplied vectors of a collection, in one index or in those of its partitions. */
export interface ReadableFields {
  /** Documents that have vectors in any field. */
  readonly documents: number;
  readonly bytes: number;
  /** The index of a field; undefined if no document has vectors of its kind there. */
  of(field: string, kind: VectorField['kind']): VectorReader | undefined;
  /** The same for a field of the kind `sparse`. */
  sparse(field: string): SparseReader | undefined;
}

/**
 * The supplied vectors of one collection: an index for each field that documents have, also of those that are not
 * declared any more, until the index is rebuilt.
 */
export class FieldIndexes implements ViewIndex, ReadableFields {
  readonly #options: VectorIndexOptions;
  readonly #onClose: (closing: Promise<void>) => void;
  readonly #indexes = new Map<string, VectorIndex>();
  readonly #sparse = new Map<string, SparseIndex>();
  readonly #ords = new OrdSet();

  private constructor(options: VectorIndexOptions, onClose: (closing: Promise<void>) => void) {
    this.#options = options;
    this.#onClose = onClose;
  }

  /** An empty index; `onClose` receives a promise for the end of all uses of its memory. */
  static create(options: VectorIndexOptions, onClose: (closing: Promise<void>) => void): FieldIndexes {
    return new FieldIndexes(options, onClose);
  }

  /** Rejects for bytes that are damaged or of another version. */
  static async restore(bytes: AsyncIterable<Uint8Array>, options: VectorIndexOptions,
    onClose: (closing: Promise<void>) => void): Promise<FieldIndexes>
  {
    const restored = new FieldIndexes(options, onClose);
    try {
      await restoreEach(bytes, async (name, pieces) => {
        const index = name.startsWith(SPARSE)
          ? await SparseIndex.restore(pieces, options.build)
          : (await VectorIndex.restore(pieces, options)).index;
        if (index instanceof SparseIndex) restored.#sparse.set(name, index);
        else restored.#indexes.set(name, index);
        for (const ord of index.ords()) restored.#ords.add(ord);
      });
      return restored;
    } catch (error) {
      restored.close();
      throw error;
    }
  }

  get documents(): number {
    return this.#ords.size;
  }

  get bytes(): number {
    return this.#all().reduce((sum, index) => sum + index.stats().bytes, 0);
  }

  /** Replaces all vectors of a document. Throws `unavailable` if sparse ones do not fit. */
  put(ord: number, fields: ReadonlyMap<string, SuppliedVectors>,
    quantizationOf: (field: string) => Quantization): void
  {
    const present = new Set<string>();
    for (const [field, vectors] of fields) {
      const name = nameOf(field, KINDS[vectors.shape]);
      present.add(name);
      if (vectors.shape === 'sparse') {
        this.#putSparse(name, ord, vectors);
        continue;
      }
      let index = this.#indexes.get(name);
      if (index === undefined) this.#indexes.set(name, index = new VectorIndex(this.#options));
      index.put(ord, rowsOf(vectors).map((vector) => ({ vector })), quantizationOf(field));
    }
    for (const [name, index] of [...this.#indexes, ...this.#sparse]) if (!present.has(name)) index.remove(ord);
    if (present.size > 0) this.#ords.add(ord);
    else this.#ords.delete(ord);
  }

  remove(ord: number): void {
    if (!this.#ords.has(ord)) return;
    this.#ords.delete(ord);
    for (const index of this.#all()) index.remove(ord);
  }

  /** Goes on with searches of sparse vectors for which a change waits. */
  settle(): boolean {
    return [...this.#sparse.values()].some((index) => index.settle());
  }

  of(field: string, kind: VectorField['kind']): VectorIndex | undefined {
    return this.#indexes.get(nameOf(field, kind));
  }

  sparse(field: string): SparseIndex | undefined {
    return this.#sparse.get(nameOf(field, 'sparse'));
  }

  /** The same, but an index without documents instead of undefined, for which these are not changed. */
  ofAny(field: string, kind: VectorField['kind']): VectorIndex {
    return this.of(field, kind) ?? new VectorIndex(this.#options);
  }

  /** The indexes by what they are named in checkpoints (`nameOf`). */
  named(): { readonly dense: ReadonlyMap<string, VectorIndex>; readonly sparse: ReadonlyMap<string, SparseIndex> } {
    return { dense: this.#indexes, sparse: this.#sparse };
  }

  save(): AsyncGenerator<Uint8Array> {
    const dense = [...this.#indexes].map(([name, index]) => [name, index.save(() => '')] as const);
    return saved(new Map([...dense, ...[...this.#sparse].map(([name, index]) => [name, index.save()] as const)]));
  }

  close(): void {
    for (const index of this.#sparse.values()) index.close();
    this.#onClose(Promise.all([...this.#indexes.values()].map((index) => index.close())).then(() => undefined));
  }

  #all(): (VectorIndex | SparseIndex)[] {
    return [...this.#indexes.values(), ...this.#sparse.values()];
  }

  #putSparse(name: string, ord: number, vectors: SuppliedVectors): void {
    let index = this.#sparse.get(name);
    if (index === undefined) this.#sparse.set(name, index = SparseIndex.create({ build: this.#options.build }));
    try {
      index.put(ord, unpackSparse(vectors));
    } catch (error) {
      if (!(error instanceof SparseFullError)) throw error;
      throw new ServiceError('unavailable', `${error.message}; raise partitions in its configuration`, {
        cause: error,
      });
    }
  }
}

const KINDS = { one: 'dense', passages: 'dense', tokens: 'multi', sparse: 'sparse' } as const;
const SPARSE = 'sparse ';

export const nameOf = (field: string, kind: VectorField['kind']): string => `${kind} ${field}`;
