import { boolean, byteSize, duration, httpUrl, integer, oneOf, optional, setting, text, timeZone } from '../kinds.ts';

const PER_PROVIDER = { fallbackText: 'per provider' };

/** Undefined, empty and 0 mean the provider's own default. */
export const embedding = {
  provider: setting(oneOf(['none', 'openai', 'voyage', 'local', 'builtin'], { ollama: 'local' }), 'none',
    'SVC_EMBEDDING_PROVIDER', 'provider of embeddings: `openai`, `voyage`, `local`, `builtin` or `none`'),
  apiKey: setting(text, '', 'SVC_EMBEDDING_API_KEY', 'key of a hosted provider', { secret: true }),
  apiUrl: setting(optional(httpUrl), undefined, 'SVC_EMBEDDING_API_URL', "base URL of the provider's API",
    PER_PROVIDER),
  model: setting(text, '', 'SVC_EMBEDDING_MODEL', 'name of the model', PER_PROVIDER),
  dimensions: setting(integer(0, 16_384), 0, 'SVC_EMBEDDING_DIMENSIONS', 'vector size', PER_PROVIDER),
  offline: setting(boolean, false, 'SVC_EMBEDDING_OFFLINE', 'never download a local model'),
  queueSize: setting(integer(1, 1_000_000), 1000, 'SVC_EMBEDDING_QUEUE_SIZE',
    'capacity of the background embedding queue'),
  queueWait: setting(duration(0, 600_000), 5000, 'SVC_EMBEDDING_QUEUE_WAIT',
    'how long a write waits for room in the queue before it drops its embedding; 0 never waits'),
  chunkEnabled: setting(boolean, true, 'SVC_EMBEDDING_CHUNK_ENABLED', 'embed long documents in chunks'),
  chunkMode: setting(optional(oneOf(['code', 'prose'])), undefined, 'SVC_EMBEDDING_CHUNK_MODE',
    'forces one style of chunks for the whole server: `code` or `prose`', { fallbackText: 'by document' }),
  chunkSize: setting(optional(integer(100, 1_000_000)), undefined, 'SVC_EMBEDDING_CHUNK_SIZE', 'characters of a chunk',
    { fallbackText: '1500; 350 for `static-en-256`' }),
  cacheSize: setting(integer(0, 10_000_000), 1024, 'SVC_EMBEDDING_CACHE_SIZE',
    'query embeddings that are cached; 0 for none'),
  cacheTtl: setting(duration(), 3_600_000, 'SVC_EMBEDDING_CACHE_TTL', 'how long a query embedding is cached'),
  rerank: setting(oneOf(['none', 'encoder']), 'none', 'SVC_EMBEDDING_RERANK',
    'whether the best results of vector and hybrid search and of recall are reordered by the encoder unless a ' +
      'request says: `encoder` or `none`'),
  rerankBudget: setting(duration(0, 60_000), 300, 'SVC_EMBEDDING_RERANK_BUDGET',
    'how long a search waits for the encoder; after that it is reordered by the vectors that are ready'),
};

export const automation = {
  enabled: setting(boolean, true, 'SVC_AUTOMATIONS', 'run automation rules'),
  triggers: setting(boolean, true, 'SVC_TRIGGERS', 'run triggers'),
  crons: setting(boolean, true, 'SVC_CRONS', 'run crons'),
  logs: setting(boolean, true, 'SVC_AUTOMATION_LOGS', 'log the executions of rules'),
  logsTtl: setting(duration(60_000), 604_800_000, 'SVC_AUTOMATION_LOGS_TTL', 'how long those logs are kept'),
  cronTz: setting(timeZone, 'UTC', 'SVC_CRON_TZ', 'time zone of cron schedules'),
  sentimentLexicon: setting(text, '', 'SVC_SENTIMENT_LEXICON',
    'file with further words for sentiment, `word<TAB>weight` in each line'),
};

export const webhooks = {
  secret: setting(text, '', 'SVC_WEBHOOK_SECRET', 'signs the deliveries of webhooks without a secret of their own', {
    secret: true,
  }),
};

export const wiki = {
  maxPages: setting(integer(0), 500_000, 'SVC_WIKI_MAX_PAGES',
    'pages that one dump of a wiki may have; 0 for any number'),
  maxBytes: setting(byteSize(), 4 * 1024 ** 3, 'SVC_WIKI_MAX_BYTES',
    'bytes of XML that one dump of a wiki may unpack to; 0 for any number'),
};
