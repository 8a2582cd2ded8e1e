import { OrdSet } from '../../../lib/ord-set.ts';
import type { SparseReader, SparseVector } from '../../../search/sparse/index.ts';
import type { Algorithm, Metric, VectorReader } from '../../../search/vector/index.ts';
import type { NearestHit } from '../../search/index.ts';

interface Found {
  readonly hits: readonly NearestHit[];
  readonly algorithm: Algorithm;
}

interface Wanted {
  readonly k: number;
  readonly filter: OrdSet | undefined;
  readonly threshold: number | undefined;
  readonly oversample: number | undefined;
  readonly perDocument: boolean;
}

/** A vector of the query with what it is compared with. */
export interface Component {
  /** The index, which has the ordinals of its documents. */
  readonly index: { ords(): Iterable<number> };
  /** Number of its documents. */
  readonly documents: number;
  /** Bytes that an exact search reads of all documents. */
  readonly scannedBytes: number;
  /** By what its similarity is multiplied. */
  readonly weight: number;
  search(wanted: Wanted): Promise<Found>;
  /** The best documents, each once; `isExact` forbids an approximate search. */
  nearest(k: number, filter: OrdSet | undefined, isExact: boolean): Promise<Found>;
  /** The exact similarities of documents, in their order; undefined for a document that is not compared. */
  scores(ords: readonly number[]): Promise<readonly (number | undefined)[]>;
}

interface DenseQuery {
  readonly vector: Float32Array;
  readonly metric: Metric;
  readonly algorithm: Algorithm;
  /** The only documents that are compared; undefined for all. */
  readonly only?: OrdSet | undefined;
}

export class DenseComponent implements Component {
  readonly index: VectorReader;
  readonly weight: number;
  readonly #query: DenseQuery;

  constructor(index: VectorReader, query: DenseQuery, weight: number) {
    this.index = index;
    this.#query = query;
    this.weight = weight;
  }

  get documents(): number {
    return this.index.documentCount;
  }

  get scannedBytes(): number {
    return this.index.rowBytes;
  }

  search({ threshold, oversample, k, perDocument, ...wanted }: Wanted): Promise<Found> {
    const filter = this.#within(wanted.filter);
    const bounds = {
      ...(threshold !== undefined && { threshold }),
      ...(oversample !== undefined && { oversample }),
      ...(filter && { filter: filter.words }),
    };
    return this.index.search({ ...this.#query, ...bounds, k, perDocument });
  }

  nearest(k: number, wanted: OrdSet | undefined, isExact: boolean): Promise<Found> {
    const exact = isExact ? { algorithm: 'flat' as const } : {};
    const filter = this.#within(wanted);
    return this.index.search({
      ...this.#query,
      ...exact,
      k,
      perDocument: true,
      ...(filter && { filter: filter.words }),
    });
  }

  async scores(ords: readonly number[]): Promise<readonly (number | undefined)[]> {
    const { only, vector, metric } = this.#query;
    const found = await this.index.bestScores(ords, vector, metric);
    return only === undefined ? found : found.map((score, i) => (only.has(ords[i]!) ? score : undefined));
  }

  #within(filter: OrdSet | undefined): OrdSet | undefined {
    const { only } = this.#query;
    if (only === undefined || filter === undefined) return only ?? filter;
    const both = OrdSet.fromWords(only.words.slice());
    both.intersect(filter);
    return both;
  }
}

/** A document has one sparse vector, and every search is exact and reads only lists of the query's dimensions. */
export class SparseComponent implements Component {
  readonly scannedBytes = 0;
  readonly index: SparseReader;
  readonly weight: number;
  readonly #vector: SparseVector;
  readonly #signal: AbortSignal | undefined;

  constructor(index: SparseReader, vector: SparseVector, weight: number, signal: AbortSignal | undefined) {
    this.index = index;
    this.#vector = vector;
    this.weight = weight;
    this.#signal = signal;
  }

  get documents(): number {
    return this.index.stats().documents;
  }

  async search({ k, filter: eligible, threshold }: Pick<Wanted, 'k' | 'filter' | 'threshold'>): Promise<Found> {
    const hits = await this.index.search({ vector: this.#vector, k, eligible, threshold }, this.#signal);
    return { hits: hits.map((hit) => ({ ...hit, chunk: 0 })), algorithm: 'flat' };
  }

  nearest(k: number, filter: OrdSet | undefined): Promise<Found> {
    return this.search({ k, filter, threshold: undefined });
  }

  async scores(ords: readonly number[]): Promise<readonly (number | undefined)[]> {
    const { hits } = await this.nearest(ords.length, OrdSet.of(ords));
    const scores = new Map(hits.map(({ ord, score }) => [ord, score]));
    return ords.map((ord) => scores.get(ord));
  }
}
