import type { FullTextAlgorithm, Fuzziness } from '../../../generated/docs/sdk/types.gen.ts';

/** How a collection is stored, searched and shown (contract section 2); absent fields have their defaults. */
export interface CollectionConfig {
  readonly type?: string;
  readonly description?: string;
  readonly icon?: string;
  readonly color?: string;
  readonly customMeta?: Readonly<Record<string, unknown>>;
  readonly storageBackend?: StorageBackend;
  readonly storageConfig?: StorageConfig;
  /** Number of newest revisions kept of each document; 0 or absent keeps all. */
  readonly maxRevisions?: number;
  readonly retrieval?: Retrieval;
  readonly responsePrompt?: string;
  readonly trackAccess?: boolean;
  readonly trackHot?: boolean;
  readonly spellCorrect?: boolean;
  readonly spellLang?: string;
  readonly quantization?: 'float32' | 'int8' | 'int4';
  readonly diskOnlyVectors?: boolean;
  readonly encrypted?: boolean;
  readonly wordpress?: WordPress;
}

/** `boltdb` is the historical name of the local database. */
export type StorageBackend = 'boltdb' | 'memory' | 's3';

export interface StorageConfig {
  readonly endpoint?: string;
  readonly bucket?: string;
  readonly region?: string;
  readonly accessKey?: string;
  readonly secretKey?: string;
  readonly prefix?: string;
  readonly useTLS?: boolean;
}

export interface WordPress {
  readonly url?: string;
  readonly apiKey?: string;
}

/** Defaults of searches in the collection. */
export interface Retrieval {
  readonly defaultSearchType?: 'fts' | 'vector' | 'hybrid';
  readonly topK?: number;
  readonly retrievalMode?: 'parent' | 'chunk' | 'window';
  readonly hybridStrategy?: 'alpha' | 'rrf';
  readonly hybridAlpha?: number;
  /** Whether `hybridAlpha` counts. */
  readonly hybridAlphaSet?: boolean;
  readonly oversample?: number;
  /** Tokens, estimated as bytes divided by 4. */
  readonly contextTokenBudget?: number;
  readonly algorithm?: FullTextAlgorithm;
  /** By field, for `bm25f`. */
  readonly fieldWeights?: Readonly<Record<string, number>>;
  readonly rerank?: boolean;
  readonly fuzzy?: Fuzziness;
  /** The only fields in which words are searched. */
  readonly searchableFields?: readonly string[];
}

/** The weight of the semantic side that the profile sets; undefined if there is none or it is turned off. */
export function hybridAlphaOf({ hybridAlpha, hybridAlphaSet }: Retrieval): number | undefined {
  return hybridAlphaSet === true ? hybridAlpha : undefined;
}

/** Every field; other fields of a request are not stored. */
export const FIELDS = ['type', 'description', 'icon', 'color', 'customMeta', 'storageBackend', 'storageConfig',
  'maxRevisions', 'retrieval', 'responsePrompt', 'trackAccess', 'trackHot', 'spellCorrect', 'spellLang', 'quantization',
  'diskOnlyVectors', 'encrypted', 'wordpress'] as const satisfies readonly (keyof CollectionConfig)[];

/** Every field of the retrieval profile. */
export const RETRIEVAL_FIELDS = ['defaultSearchType', 'topK', 'retrievalMode', 'hybridStrategy', 'hybridAlpha',
  'hybridAlphaSet', 'oversample', 'contextTokenBudget', 'algorithm', 'fieldWeights', 'rerank', 'fuzzy',
  'searchableFields'] as const satisfies readonly (keyof Retrieval)[];
