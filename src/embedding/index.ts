export { cachedQueries } from './cached-queries.ts';
export type { CachedProvider, QueryCacheCounters, QueryCacheOptions } from './cached-queries.ts';
export { createEmbeddingProvider, isBuiltinModel } from './create-provider.ts';
export { DEFAULT_URLS } from './defaults.ts';
export { EmbeddingError } from './embedding-error.ts';
export type { EmbeddingErrorDetails } from './embedding-error.ts';
export { MAX_BATCH } from './provider.ts';
export type { EmbeddingProvider, EmbeddingRole, PassageStyle, ProviderConfig, ProviderDeps,
  TokenMatcher } from './provider.ts';
