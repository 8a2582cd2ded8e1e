import { describe, expect, it } from 'vitest';
import { describeSettings, renderSettingsMarkdown } from './describe.ts';
import { resolveSettings } from './resolve.ts';
import { ENTRIES } from './table.ts';

/** Every variable that the contract and the decisions name. */
const VARIABLES = `
ADDR MODE PATH STORAGE_DRIVER POSTGRES_URL POSTGRES_POOL HTTP_COMPRESSION CONSOLE HTTP_ENABLED HTTP_ADDR HTTP_PORT API_MODE GRPC_MODE MCP_MODE HTTP3_MODE HTTP3_ENABLED HTTP3_ADDR EXTREME
GRPC_ENABLED GRPC_ADDR GRPC_PORT GRPC_REFLECTION GRPC_MAX_MESSAGE_BYTES GRAPHQL_ENABLED GRAPHQL_PLAYGROUND
MCP_ENABLED MCP_ADDR MCP_STDIO MCP_CONFIG MCP_TOOLSET MCP_BUILTIN_TOOLS MCP_PROTOCOL_VERSION MCP_API_KEY_ENABLED MCP_API_KEYS
MCP_API_KEY_CACHE_TTL MCP_SERVER_NAME MCP_INSTRUCTIONS MCP_RATE_LIMIT_ENABLED MCP_RATE_LIMIT_REQUESTS MCP_RATE_LIMIT_WINDOW
MCP_RATE_LIMIT_BURST MCP_RATE_LIMIT_BY MCP_MAX_ANSWER_TOKENS
EMBEDDING_PROVIDER EMBEDDING_API_KEY EMBEDDING_API_URL EMBEDDING_MODEL EMBEDDING_DIMENSIONS EMBEDDING_QUEUE_SIZE EMBEDDING_QUEUE_WAIT
EMBEDDING_CHUNK_MODE EMBEDDING_CHUNK_ENABLED EMBEDDING_CHUNK_SIZE EMBEDDING_CACHE_SIZE EMBEDDING_CACHE_TTL EMBEDDING_OFFLINE EMBEDDING_RERANK EMBEDDING_RERANK_BUDGET
VECTOR_DEFAULT_ALGORITHM VECTOR_BQ_RERANK_FACTOR VECTOR_PARALLEL_MIN_SIZE VECTOR_PARALLEL_WORKERS
FTS_STEMMING FTS_DEFAULT_LANG FTS_DEFAULT_ALGORITHM FTS_SYNONYMS COMPRESSION_ENABLED COMPRESSION_SMALL_THRESHOLD COMPRESSION_MEDIUM_THRESHOLD BODIES_CACHE_BYTES BODIES_MEMORY_BYTES BODIES_TIMEOUT BODIES_GRACE
AUTH_ENABLED AUTH_JWT_SECRET AUTH_JWT_EXPIRY AUTH_SESSION_MAX AUTH_ADMIN_USERNAME AUTH_ADMIN_PASSWORD AUTH_ADMIN_RESET AUTH_PASSWORD_MIN_LENGTH
OIDC_ISSUER OIDC_CLIENT_ID OIDC_CLIENT_SECRET OIDC_REDIRECT_URI OIDC_SCOPES OIDC_AUDIENCE OIDC_USERNAME_CLAIM OIDC_CREATE_USERS OIDC_ROLES_CLAIM OIDC_ROLES
AUDIT_ENABLED AUDIT_EXPORT_WEBHOOK_URL AUDIT_EXPORT_WEBHOOK_HEADER AUDIT_EXPORT_SYSLOG_ADDR AUDIT_EXPORT_BUFFER AUDIT_RETENTION_DAYS
INCIDENT_AUTH_THRESHOLD INCIDENT_AUTH_WINDOW_SEC INCIDENT_AUTH_COOLDOWN_SEC
ENCRYPTION_KEY ENCRYPTION_KEY_ID ENCRYPTION_PREVIOUS_KEYS ENCRYPTION_KEYS_PREVIOUS
PRODUCTION TLS_ENABLED TLS_CERT TLS_KEY TLS_CLIENT_CA TLS_CLIENT_AUTH TLS_INSECURE_OK CORS_ORIGINS
RATE_LIMIT_ENABLED RATE_LIMIT_REQUESTS RATE_LIMIT_WINDOW RATE_LIMIT_BURST RATE_LIMIT_BY TRUSTED_PROXIES
CODE_MAX_SYMBOLS CONVERT_WORKERS CONVERT_TIMEOUT CONVERT_MEMORY TEMPORAL SPELL SPELL_MAX_BYTES AUTOMATIONS TRIGGERS CRONS AUTOMATION_LOGS AUTOMATION_LOGS_TTL CRON_TZ SENTIMENT_LEXICON WEBHOOK_SECRET
SEARCH_MAX_CONCURRENT INDEX_MEMORY SEARCH_REST_AFTER SEARCH_STATS STRICT_INPUT MAX_BODY_BYTES MAX_ANSWER_BYTES BODY_TIMEOUT SLOW_BODIES OUTBOUND_ALLOW_PRIVATE OUTBOUND_ALLOWLIST LOG_FORMAT LOG_LEVEL ACCESS_LOG
SHUTDOWN_TIMEOUT_SEC TTL_SWEEP_INTERVAL DELETED_RETENTION METRICS METRICS_PUBLIC BACKUP_DIR GEO_DATA_DIR
BACKUP_CRON BACKUP_TZ BACKUP_KEEP_LAST BACKUP_KEEP_DAILY BACKUP_KEEP_WEEKLY BACKUP_KEEP_MONTHLY BACKUP_MAX_AGE
BACKUP_S3_URL BACKUP_S3_REGION BACKUP_S3_ACCESS_KEY BACKUP_S3_SECRET_KEY
CHECKPOINTS CHECKPOINTS_S3_ENDPOINT CHECKPOINTS_S3_REGION CHECKPOINTS_S3_ACCESS_KEY CHECKPOINTS_S3_SECRET_KEY
REPLICATION_ROLE REPLICATION_LEADER_ADDR REPLICATION_SECRET REPLICATION_RETRY_INTERVAL REPLICATION_MAX_LAG NODE_ID
BINLOG_ENABLED BINLOG_PATH BINLOG_MAX_SIZE BINLOG_MAX_AGE WORKERS MIN_LSN_WAIT NODE_NAME NODE_ADDRESS NODE_WEIGHT REPLICAS WIKI_MAX_PAGES WIKI_MAX_BYTES
`.trim().split(/\s+/).map((name) => `SVC_${name}`);

/** The YAML keys of the decisions, section 1. */
const YAML_KEYS = Object.entries({
  '': 'path mode temporal spell production extreme',
  database: 'path mode',
  http: 'enabled addr mode',
  grpc: 'enabled addr mode',
  http3: 'enabled addr mode',
  mcp: 'enabled addr stdio mode config builtinTools protocolVersion apiKeyEnabled apiKeys rateLimitEnabled ' +
    'rateLimitRequests rateLimitWindow rateLimitBurst rateLimitBy instructions',
  'mcp.serverInfo': 'name description vendor homepage',
  auth: 'enabled jwtSecret jwtExpiry adminUsername adminPassword',
  fts: 'stemmingEnabled synonymsEnabled defaultLang defaultAlgorithm',
  compression: 'enabled smallThreshold mediumThreshold',
  embedding: 'provider model apiUrl apiKey dimensions queueSize queueWait chunkMode chunkSize',
  vector: 'defaultAlgorithm bqRerankFactor parallelWorkers parallelMinSize',
  replication: 'role leaderAddr nodeId secret retryInterval maxLag',
  binlog: 'enabled path maxSize maxAge',
  encryption: 'key keyId previousKeys',
  tls: 'enabled cert key clientCa clientAuth',
  cors: 'origins',
  rateLimit: 'enabled requests window burst by',
  audit: 'enabled retentionDays exportWebhookUrl exportSyslogAddr',
  graphql: 'enabled playground',
}).flatMap(([group, names]) => names.split(' ').map((name) => (group === '' ? name : `${group}.${name}`)));

const FLAGS = ['db', 'mode', 'http-enabled', 'grpc-enabled', 'mcp-enabled', 'http3-enabled', 'http-addr', 'grpc-addr',
  'mcp-addr', 'http3-addr', 'mcp-stdio'];

describe('the table of settings', () => {
  const rows = describeSettings();

  it('knows exactly the variables of the contract and the decisions', () => {
    expect(rows.flatMap((row) => row.env).sort()).toEqual([...VARIABLES].sort());
  });

  it('knows the YAML keys of the decisions, each once', () => {
    const keys = rows.flatMap((row) => row.yaml);
    expect(keys).toEqual(expect.arrayContaining(YAML_KEYS));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('knows exactly the flags of the decisions', () => {
    expect(rows.flatMap((row) => row.flag ?? []).sort()).toEqual(FLAGS.map((flag) => `--${flag}`).sort());
  });

  // Defaults of the contract (section 1) and of decisions D-13 to D-24, 3.1, 4.9, 4.11, 5.4 and 6.
  it.each(Object.entries({
    SVC_ADDR: ':11023',
    SVC_MODE: 'wr',
    SVC_PATH: 'data/quire.db',
    SVC_GRPC_ADDR: ':11024',
    SVC_MCP_ADDR: ':9000',
    SVC_HTTP3_ADDR: ':11443',
    SVC_GRPC_MAX_MESSAGE_BYTES: '64MiB',
    SVC_GRPC_REFLECTION: 'true',
    SVC_GRAPHQL_ENABLED: 'true',
    SVC_GRAPHQL_PLAYGROUND: 'true',
    SVC_MCP_API_KEY_CACHE_TTL: '1m',
    SVC_MCP_RATE_LIMIT_REQUESTS: '100',
    SVC_MCP_RATE_LIMIT_BURST: '20',
    SVC_MCP_TOOLSET: 'core',
    SVC_MCP_BUILTIN_TOOLS: 'true',
    SVC_EMBEDDING_PROVIDER: 'none',
    SVC_EMBEDDING_QUEUE_SIZE: '1000',
    SVC_EMBEDDING_QUEUE_WAIT: '5s',
    SVC_EMBEDDING_CHUNK_SIZE: '1500; 350 for `static-en-256`',
    SVC_EMBEDDING_CACHE_SIZE: '1024',
    SVC_EMBEDDING_CACHE_TTL: '1h',
    SVC_EMBEDDING_RERANK: 'none',
    SVC_EMBEDDING_RERANK_BUDGET: '300ms',
    SVC_VECTOR_DEFAULT_ALGORITHM: 'auto',
    SVC_VECTOR_BQ_RERANK_FACTOR: '10',
    SVC_VECTOR_PARALLEL_MIN_SIZE: '2048',
    SVC_FTS_STEMMING: 'true',
    SVC_FTS_DEFAULT_LANG: 'en',
    SVC_FTS_DEFAULT_ALGORITHM: 'tfidf',
    SVC_FTS_SYNONYMS: 'true',
    SVC_COMPRESSION_ENABLED: 'true',
    SVC_COMPRESSION_SMALL_THRESHOLD: '1KiB',
    SVC_COMPRESSION_MEDIUM_THRESHOLD: '10KiB',
    SVC_BODIES_CACHE_BYTES: '64MiB',
    SVC_BODIES_MEMORY_BYTES: '256MiB',
    SVC_BODIES_TIMEOUT: '10s',
    SVC_BODIES_GRACE: '7d',
    SVC_AUTH_ENABLED: 'false',
    SVC_AUTH_JWT_EXPIRY: '1d',
    SVC_AUTH_ADMIN_USERNAME: 'admin',
    SVC_AUDIT_RETENTION_DAYS: '90',
    SVC_AUDIT_EXPORT_BUFFER: '1024',
    SVC_INCIDENT_AUTH_THRESHOLD: '10',
    SVC_INCIDENT_AUTH_WINDOW_SEC: '60',
    SVC_INCIDENT_AUTH_COOLDOWN_SEC: '300',
    SVC_CODE_MAX_SYMBOLS: '512',
    SVC_AUTOMATIONS: 'true',
    SVC_TRIGGERS: 'true',
    SVC_CRONS: 'true',
    SVC_AUTOMATION_LOGS: 'true',
    SVC_AUTOMATION_LOGS_TTL: '7d',
    SVC_CRON_TZ: 'UTC',
    SVC_INDEX_MEMORY: '0',
    SVC_SEARCH_REST_AFTER: '10m',
    SVC_SEARCH_STATS: 'true',
    SVC_STRICT_INPUT: 'true',
    SVC_HTTP_COMPRESSION: 'true',
    SVC_CONSOLE: 'true',
    SVC_MAX_BODY_BYTES: '32MiB',
    SVC_BODY_TIMEOUT: '1m',
    SVC_SLOW_BODIES: '32',
    SVC_MAX_ANSWER_BYTES: '16MiB',
    SVC_MCP_MAX_ANSWER_TOKENS: '25000',
    SVC_LOG_LEVEL: 'info',
    SVC_ACCESS_LOG: 'false',
    SVC_SHUTDOWN_TIMEOUT_SEC: '15',
    SVC_WIKI_MAX_PAGES: '500000',
    SVC_WIKI_MAX_BYTES: '4GiB',
    SVC_TTL_SWEEP_INTERVAL: '30s',
    SVC_DELETED_RETENTION: '30d',
    SVC_METRICS: 'true',
    SVC_METRICS_PUBLIC: 'true',
    SVC_CORS_ORIGINS: '`*`, which without authentication is for reading only until it is set',
    SVC_RATE_LIMIT_REQUESTS: '100',
    SVC_RATE_LIMIT_WINDOW: '1m',
    SVC_RATE_LIMIT_BURST: '50',
    SVC_REPLICATION_RETRY_INTERVAL: '5s',
    SVC_REPLICATION_MAX_LAG: '30s',
    SVC_BINLOG_MAX_AGE: '1d',
    SVC_STORAGE_DRIVER: 'sqlite',
    SVC_POSTGRES_POOL: '10',
    SVC_WORKERS: '1',
    SVC_MIN_LSN_WAIT: '5s',
    SVC_NODE_WEIGHT: '100',
    SVC_REPLICAS: '2',
    SVC_ENCRYPTION_KEY_ID: '1',
  }))('%s defaults to %s', (name, expected) => {
    expect(rows.find((row) => row.env.includes(name))?.default).toBe(expected);
  });

  it('has defaults that their own kind reads back', () => {
    const { settings } = resolveSettings({ flags: {}, env: {} });
    for (const { path, setting } of ENTRIES) {
      const [group, name] = path.split('.') as [keyof typeof settings, string];
      const value = (settings[group] as Record<string, unknown>)[name];
      const text = setting.kind.show(value);
      if (text !== '') expect(setting.kind.parse(text), path).toEqual(value);
    }
  });

  it('SVC_OUTBOUND_ALLOW_PRIVATE depends on production (decision D-21)', () => {
    const outbound = (env: Record<string, string>) =>
      resolveSettings({ flags: {}, env }).settings.outbound.allowPrivate;
    expect([outbound({}), outbound({ SVC_PRODUCTION: 'true' }),
      outbound({ SVC_PRODUCTION: 'true', SVC_OUTBOUND_ALLOW_PRIVATE: 'true' })]).toEqual(['loopback', 'false', 'true']);
  });

  it('switches of one kind only need no value', () => {
    expect(rows.filter((row) => row.flag && row.onOff).map((row) => row.flag)).toEqual(['--http-enabled',
      '--grpc-enabled', '--mcp-enabled', '--mcp-stdio', '--http3-enabled']);
  });

  it('a bare flag is true, and aliases name the same setting', () => {
    const settings = (flags: Record<string, string | boolean>, env: Record<string, string> = {}) =>
      resolveSettings({ flags, env }).settings;
    expect(settings({ mcpStdio: true }).mcp.stdio).toBe(true);
    expect(settings({ http3Enabled: 'yes' }).extreme.enabled).toBe(true);
    expect(settings({}, { SVC_HTTP3_ENABLED: 'true' }).extreme.enabled).toBe(true);
    expect(settings({}, { SVC_ENCRYPTION_KEYS_PREVIOUS: '1:x' }).encryption.previousKeys).toBe('1:x');
  });
});

describe('renderSettingsMarkdown', () => {
  it('is a table with a row for each setting', () => {
    const lines = renderSettingsMarkdown().trimEnd().split('\n');
    expect(lines).toHaveLength(ENTRIES.length + 2);
    expect(lines).toContain(
      '| `SVC_PATH`, `--db` | `database.path`, `path` | `data/quire.db` | database file; `:memory:` keeps ' +
        'everything in memory |',
    );
    expect(lines).toContain('| `SVC_API_MODE` | `http.mode` | as `SVC_MODE` | access mode of HTTP |');
    expect(lines.every((line) => line.replaceAll('\\|', '').split('|').length === 6)).toBe(true);
  });
});
