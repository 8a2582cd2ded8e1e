import type { OrdSet } from '../../../lib/ord-set.ts';
import { type Metric, type StoredPassage, VectorIndex, type VectorIndexOptions, type VectorQuery, type VectorReader,
  type VectorResult } from '../../../search/vector/index.ts';
import type { DocumentVectors, ModelIdentity } from '../../embeddings/index.ts';
import type { ModelCount } from '../vector-search.ts';
import { ModelSets } from './model-sets.ts';

/** What is read of the vectors of a collection in a space, in one index or in those of its partitions. */
export interface SpaceReader {
  readonly documents: number;
  readonly bytes: number;
  /** The vectors themselves, for searches that combine several indexes. */
  readonly index: VectorReader;
  /** Bytes that a scan of all vectors reads. */
  readonly rowBytes: number;
  search(query: VectorQuery): Promise<VectorResult>;
  /** Scores of the first passages of documents; see `VectorReader`. */
  firstScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]>;
  /** Most documents first. */
  models(): ModelCount[];
  /** The models of documents, in their order; undefined for a document that has none. */
  documentModels(ords: readonly number[]): (ModelIdentity | undefined)[];
  /** Documents that have vectors of a model, or of any; a copy. */
  ordsOf(model?: ModelIdentity): OrdSet;
  /** See `VectorReader`. */
  chunkCounts(ords: readonly number[]): readonly number[];
  passageVectors(passages: readonly StoredPassage[]): readonly (Float32Array | undefined)[];
}

/** The vectors of one collection in one space and their models. */
export class SpaceVectors implements SpaceReader {
  readonly #index: VectorIndex;
  readonly #models: ModelSets;
  readonly #onClose: (closing: Promise<void>) => void;

  private constructor(index: VectorIndex, models: ModelSets, onClose: (closing: Promise<void>) => void) {
    this.#index = index;
    this.#models = models;
    this.#onClose = onClose;
  }

  /** An empty index; `onClose` receives a promise for the end of all uses of its memory. */
  static create(options: VectorIndexOptions, onClose: (closing: Promise<void>) => void): SpaceVectors {
    return new SpaceVectors(new VectorIndex(options), new ModelSets(), onClose);
  }

  /** Rejects for bytes that are damaged or of another version. */
  static async restore(bytes: AsyncIterable<Uint8Array>, options: VectorIndexOptions,
    onClose: (closing: Promise<void>) => void): Promise<SpaceVectors>
  {
    const { models, rest } = await ModelSets.restore(bytes);
    const { index } = await VectorIndex.restore(rest, options);
    return new SpaceVectors(index, models, onClose);
  }

  get documents(): number {
    return this.#index.documentCount;
  }

  get bytes(): number {
    return this.#index.stats().bytes;
  }

  get index(): VectorIndex {
    return this.#index;
  }

  get rowBytes(): number {
    return this.#index.rowBytes;
  }

  /** Every vector is added with its own stored type, so that a collection may have several. */
  put({ ord, model, stored, vectors }: DocumentVectors): void {
    this.#index.put(ord, vectors.map((vector) => ({ vector })), stored);
    this.#models.put(ord, model);
  }

  remove(ord: number): void {
    this.#index.remove(ord);
    this.#models.remove(ord);
  }

  search(query: VectorQuery): Promise<VectorResult> {
    return this.#index.search(query);
  }

  firstScores(ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]> {
    return this.#index.firstScores(ords, vector, metric);
  }

  models(): ModelCount[] {
    return this.#models.counts();
  }

  modelOf(ord: number): ModelIdentity | undefined {
    return this.#models.modelOf(ord);
  }

  documentModels(ords: readonly number[]): (ModelIdentity | undefined)[] {
    return ords.map((ord) => this.#models.modelOf(ord));
  }

  ordsOf(model?: ModelIdentity): OrdSet {
    return this.#models.ordsOf(model);
  }

  chunkCounts(ords: readonly number[]): readonly number[] {
    return this.#index.chunkCounts(ords);
  }

  passageVectors(passages: readonly StoredPassage[]): readonly (Float32Array | undefined)[] {
    return this.#index.passageVectors(passages);
  }

  /** Resolves when every requested structure covers every vector; for tests. */
  settled(): Promise<void> {
    return this.#index.settled();
  }

  /** The view keeps the position in the feed itself. */
  async *save(): AsyncGenerator<Uint8Array> {
    const index = this.#index.save(() => '');
    yield this.#models.save();
    yield* index;
  }

  close(): void {
    this.#onClose(this.#index.close());
  }
}
