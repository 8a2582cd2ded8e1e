import type { Algorithm, Metric } from '../../search/vector/index.ts';
import type { Embeddings, Encoder, ModelIdentity } from '../embeddings/index.ts';
import type { OrdSet } from '../fulltext/index.ts';

/** A vector to search with. */
export interface QueryVector {
  readonly vector: Float32Array;
  /** What it was made with: it is compared with vectors of the same alone. Absent for one that a client brings, which meets all of its dimension. */
  readonly model?: ModelIdentity | undefined;
}

export interface NearestQuery extends QueryVector {
  readonly collection: string;
  /** Hits wanted. */
  readonly k: number;
  /** Default `cosine`. */
  readonly metric?: Metric | undefined;
  /** As the request wishes it; otherwise what the collection's quantization asks for, then the server's default. */
  readonly algorithm?: Algorithm | undefined;
  /** Hits score at least so much. */
  readonly threshold?: number | undefined;
  /** Candidates for each hit that are scored exactly; an algorithm has its own default. */
  readonly oversample?: number | undefined;
  /** The only documents that may be found (`eligibleDocuments`); all when absent. */
  readonly eligible?: OrdSet | undefined;
  /** One hit for each document, its best passage; otherwise one for each passage. */
  readonly perDocument?: boolean | undefined;
  /** Passages of present bodies alone, so that their text can be shown: those of a document that was written since it was embedded are left out. */
  readonly quotable?: boolean | undefined;
}

/** A document, by a passage of it. */
export interface NearestHit {
  readonly ord: number;
  /** Number of the passage in its document, from 0. */
  readonly chunk: number;
  /** By the metric; not rounded. */
  readonly score: number;
}

export interface NearestResult {
  /** Best first; equal scores by ordinal, then by passage. Of documents that are there and have not expired. */
  readonly hits: readonly NearestHit[];
  /** What was used: `flat` while a structure is being built. */
  readonly algorithm: Algorithm;
  /** Documents of the collection that have vectors which cannot be compared with the query's: of another model, variant or dimension. */
  readonly incomparable: number;
}

/** A part of a body. */
export interface Passage {
  /** Numbers of its chunks, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** Bytes of the body, the end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
}

/** The passage around a chunk. */
export interface PassageQuery {
  readonly ord: number;
  readonly first: number;
  readonly last: number;
}

/** A model with the documents of a collection that it embedded. */
export interface ModelCount extends ModelIdentity {
  readonly documents: number;
}

/** Search by meaning, for other areas. Hold a place of the search gate while something is scored, never while `embedQuery` waits. */
export interface VectorSearch {
  /** Whether there is an embedding provider. */
  isConfigured(): boolean;
  /**
   * The vector of a text that is not blank, to search a collection with. Throws `invalid_argument` without a provider, `unavailable`
   * when it fails, and `index_loading`.
   */
  embedQuery(text: string, signal?: AbortSignal, collection?: string): Promise<Required<QueryVector> & { readonly model: ModelIdentity }>;
  /** Reorders what is found; see `Encoder`. */
  readonly encoder: Pick<Encoder, 'isWanted' | 'similarities'>;
  /** Vectors of texts that are not blank; see `Embeddings`. */
  readonly embedTexts: Embeddings['embedTexts'];
  /**
   * The nearest documents or passages; none for a collection that has no vectors. Throws `index_loading`, and
   * `invalid_argument` when the collection has vectors of other dimensions only and no `model` says why.
   */
  searchByVector(query: NearestQuery, signal?: AbortSignal): Promise<NearestResult>;
  /** Where runs of chunks stand in their bodies, in the order of the queries; undefined for one whose body was written since. */
  passagesOf(queries: readonly PassageQuery[]): Promise<(Passage | undefined)[]>;
  /** What the vectors of a collection were made with, most documents first. Throws `index_loading`. */
  modelsOf(collection: string): readonly ModelCount[];
  /** The model of a document's vectors; undefined when it has none. Throws `index_loading`. */
  modelOf(collection: string, ord: number): ModelIdentity | undefined;
  /** A document's vectors by chunk, as they are stored (decision D-41); none when it has none. Throws `index_loading`. */
  vectorsOf(collection: string, ord: number): readonly Float32Array[];
  /** The mean of a document's vectors, with `unit` of length 1; undefined when it has none. Throws `index_loading`. */
  meanOf(collection: string, ord: number, unit?: boolean): Float32Array | undefined;
  /** Ordinals of the documents that have vectors, those of one model only if one is named; a copy. Throws `index_loading`. */
  ordsOf(collection: string, model?: ModelIdentity): OrdSet;
}
