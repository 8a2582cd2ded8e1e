export { mayBeEnglish } from './builtin/static-provider.ts';
export { cachedQueries } from './cached-queries.ts';
export type { CachedProvider, QueryCacheCounters, QueryCacheOptions } from './cached-queries.ts';
export { createEmbeddingProvider, isBuiltinModel } from './create-provider.ts';
export { DEFAULT_URLS } from './defaults.ts';
export { EmbeddingError, type EmbeddingErrorDetails, type EmbeddingProvider, type EmbeddingRole, MAX_BATCH,
  type PassageStyle, type ProviderConfig, type ProviderDeps, type TokenMatcher } from './provider.ts';
