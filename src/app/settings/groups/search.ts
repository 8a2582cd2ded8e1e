import { availableParallelism } from 'node:os';
import { boolean, byteSize, duration, integer, oneOf, setting } from '../kinds.ts';

/** Languages with a stemmer and stop words. */
const LANGUAGES = ['en', 'pl', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'sv', 'no', 'da', 'fi', 'hu', 'ro', 'tr', 'ar',
  'ta', 'bg', 'uk', 'sr', 'el', 'lt', 'ga', 'hy', 'hi', 'ne', 'id', 'cs'] as const;

export const fts = {
  stemmingEnabled: setting(boolean, true, 'SVC_FTS_STEMMING', 'stemming for full-text search'),
  defaultLang: setting(oneOf(LANGUAGES), 'en', 'SVC_FTS_DEFAULT_LANG',
    'language of queries of collections without prose, and of the stop words that are listed'),
  defaultAlgorithm: setting(oneOf(['tfidf', 'bm25', 'bm25f', 'pmisparse']), 'tfidf', 'SVC_FTS_DEFAULT_ALGORITHM',
    'algorithm of full-text searches that name none'),
  synonymsEnabled: setting(boolean, true, 'SVC_FTS_SYNONYMS', 'expand queries by synonyms'),
};

export const vector = {
  defaultAlgorithm: setting(oneOf(['auto', 'flat', 'hnsw', 'ivf', 'pq', 'opq', 'sq', 'sq4', 'bq', 'quantized']), 'auto',
    'SVC_VECTOR_DEFAULT_ALGORITHM',
    'algorithm of vector searches that name none; `auto`: `flat`, or `bq` for more than 16 MiB of vectors of ' +
      '`static-en-256`'),
  bqRerankFactor: setting(integer(1, 1000), 10, 'SVC_VECTOR_BQ_RERANK_FACTOR',
    'candidates that binary search rescores, for each result'),
  parallelMinSize: setting(integer(1), 2048, 'SVC_VECTOR_PARALLEL_MIN_SIZE',
    'vectors from which a scan uses several workers'),
  parallelWorkers: setting(integer(1, 64), Math.min(16, availableParallelism()), 'SVC_VECTOR_PARALLEL_WORKERS',
    'workers of a vector scan', { fallbackText: 'number of CPUs, at most 16' }),
};

export const search = {
  maxConcurrent: setting(integer(0, 10_000), availableParallelism(), 'SVC_SEARCH_MAX_CONCURRENT',
    'searches that run at once, and one more beside those when all are expensive or all are cheap; 0 for no limit', {
    fallbackText: 'number of CPUs',
  }),
  indexMemory: setting(byteSize(0), 0, 'SVC_INDEX_MEMORY',
    'memory for all indexes of a process; above it, those that were used least recently leave the memory until they ' +
      'are searched; `0` for no limit'),
  restAfter: setting(duration(0), 10 * 60_000, 'SVC_SEARCH_REST_AFTER',
    'time after which the indexes of a collection of at most 5,000 documents leave the memory if nobody uses them; ' +
      'the next search reads them again; `0` for never'),
  stats: setting(boolean, true, 'SVC_SEARCH_STATS', 'count and time searches in the metrics'),
};

export const code = {
  maxSymbols: setting(integer(1, 100_000), 512, 'SVC_CODE_MAX_SYMBOLS', 'symbols kept for each key of a code document'),
};

export const temporal = {
  enabled: setting(boolean, false, 'SVC_TEMPORAL', 'record the history of documents', { yaml: ['temporal'] }),
};

export const spell = {
  enabled: setting(boolean, false, 'SVC_SPELL', 'spell correction', { yaml: ['spell'] }),
  maxBytes: setting(byteSize(2 ** 20), 128 * 2 ** 20, 'SVC_SPELL_MAX_BYTES',
    'memory for the words of all collections; the rarest words of a larger one are left out', {
    yaml: ['spellMaxBytes'],
  }),
};
