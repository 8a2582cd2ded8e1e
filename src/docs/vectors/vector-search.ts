import type { Metric } from '../../search/vector/index.ts';
import type { Encoder, ModelIdentity, SpaceEmbeddings } from '../embeddings/index.ts';
import type { FollowingView, NearestOptions, NearestResult, Passage, PassageQuery,
  StoredVectors } from '../search/index.ts';
import type { FieldQuery, VectorFieldSearch } from '../vector-fields/index.ts';

/** A vector to search with. */
export interface QueryVector {
  readonly vector: Float32Array;
  /**
   * The model that it was made with: it is compared only with vectors of the same model. Absent for one from a client,
   * which is compared with all of its dimension.
   */
  readonly model?: ModelIdentity | undefined;
  /** What was embedded; the best documents are also compared with it token by token, if the model has token vectors. */
  readonly text?: string | undefined;
  /** Whether the model does not know the script of the text, so that the vector only tells its spelling. */
  readonly isUnknown?: boolean | undefined;
  /** Supplied vectors are searched instead, with the vectors of these; `vector` stands for them where one is needed. */
  readonly fields?: readonly FieldQuery[] | undefined;
}

export interface NearestQuery extends QueryVector, NearestOptions {
  /** Default `cosine`. */
  readonly metric?: Metric | undefined;
}

/** A model with the number of documents of a collection that it embedded. */
export interface ModelCount extends ModelIdentity {
  readonly documents: number;
}

/**
 * Vector search in one space, for other areas. Callers occupy a place in the search gate while something is scored,
 * never while `embedQuery` waits.
 */
export interface VectorSearch extends StoredVectors {
  /** The name of the space. */
  readonly space: string;
  readonly view: FollowingView;
  /** Searches of supplied vectors; absent where there are none. */
  readonly fields?: VectorFieldSearch | undefined;
  /** Whether there is an embedding provider. */
  isConfigured(): boolean;
  /**
   * The vector of a text that is not blank, for searching a collection. Throws `invalid_argument` without a provider,
   * `unavailable` when the provider fails, and `index_loading`.
   */
  embedQuery(text: string, signal?: AbortSignal,
    collection?: string): Promise<QueryVector & { readonly model: ModelIdentity }>;
  /** Reranks results; see `Encoder`. */
  readonly encoder: Pick<Encoder, 'isWanted' | 'similarities' | 'known'>;
  /** Vectors of texts that are not blank; see `Embeddings`. */
  readonly embedTexts: SpaceEmbeddings['embedTexts'];
  /**
   * The nearest documents or passages; none for a collection that has no vectors. Throws `index_loading`, and
   * `invalid_argument` when the collection has only vectors of other dimensions and no `model` explains that.
   */
  searchByVector(query: NearestQuery, signal?: AbortSignal): Promise<NearestResult>;
  /**
   * The positions of runs of chunks in their bodies, in the order of the queries; undefined for one whose body was
   * changed since.
   */
  passagesOf(queries: readonly PassageQuery[]): Promise<(Passage | undefined)[]>;
  /** Numbers of passages of documents, in their order. Throws `index_loading`. */
  chunkCounts(collection: string, ords: readonly number[]): readonly number[];
  /** The models of a collection's vectors, most documents first. Throws `index_loading`. */
  modelsOf(collection: string): readonly ModelCount[];
}
