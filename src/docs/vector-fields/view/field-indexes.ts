import { OrdSet } from '../../../lib/ord-set.ts';
import { VectorIndex, type VectorIndexOptions } from '../../../search/vector/index.ts';
import { rowsOf, type SuppliedVectors } from '../../../storage/index.ts';
import type { VectorField } from '../../collections/index.ts';
import type { ViewIndex } from '../../view/index.ts';
import { restoreEach, saved } from './saved-indexes.ts';

/** The stored type of the vectors of a field. */
export type Quantization = VectorField['quantization'];

/**
 * The supplied vectors of one collection: an index for each field that documents have, also of those that are not
 * declared any more, until the index is rebuilt.
 */
export class FieldIndexes implements ViewIndex {
  readonly #options: VectorIndexOptions;
  readonly #onClose: (closing: Promise<void>) => void;
  readonly #indexes = new Map<string, VectorIndex>();
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
        const { index } = await VectorIndex.restore(pieces, options);
        restored.#indexes.set(name, index);
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
    return [...this.#indexes.values()].reduce((sum, index) => sum + index.stats().bytes, 0);
  }

  /** Replaces all vectors of a document. */
  put(ord: number, fields: ReadonlyMap<string, SuppliedVectors>,
    quantizationOf: (field: string) => Quantization): void
  {
    const present = new Set<string>();
    for (const [field, vectors] of fields) {
      const name = nameOf(field, vectors.shape === 'tokens' ? 'multi' : 'dense');
      present.add(name);
      let index = this.#indexes.get(name);
      if (index === undefined) this.#indexes.set(name, index = new VectorIndex(this.#options));
      index.put(ord, rowsOf(vectors).map((vector) => ({ vector })), quantizationOf(field));
    }
    for (const [name, index] of this.#indexes) if (!present.has(name)) index.remove(ord);
    if (present.size > 0) this.#ords.add(ord);
    else this.#ords.delete(ord);
  }

  remove(ord: number): void {
    if (!this.#ords.has(ord)) return;
    this.#ords.delete(ord);
    for (const index of this.#indexes.values()) index.remove(ord);
  }

  /** The index of a field; undefined if no document has vectors of its kind there. */
  of(field: string, kind: VectorField['kind']): VectorIndex | undefined {
    return this.#indexes.get(nameOf(field, kind));
  }

  save(): AsyncGenerator<Uint8Array> {
    return saved(new Map([...this.#indexes].map(([name, index]) => [name, index.save(() => '')])));
  }

  close(): void {
    this.#onClose(Promise.all([...this.#indexes.values()].map((index) => index.close())).then(() => undefined));
  }
}

const nameOf = (field: string, kind: VectorField['kind']): string => `${kind} ${field}`;
