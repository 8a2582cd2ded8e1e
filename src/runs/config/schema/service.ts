import { flag, format, integer, item, list, listOrAll, name, oneOf, requiredText, section, text,
  variable } from './build.ts';

/** How the service itself runs, and where it keeps its data. */
export const service = {
  version: { type: 'integer', const: 1, default: 1, description: 'version of this format' },
  listen: format('address', 'address of the HTTP API', '127.0.0.1:11030'),
  compress_answers: flag('compress responses over 1 KiB for clients that accept it; false where a proxy does', true),
  console: flag('serve the console at `/console`, and a page with links at `/`', true),
  mcp: flag('serve MCP for language models at `/mcp`, with the tokens of the API', true),
  tls: section('set both for HTTPS', {
    cert: text('certificate file (PEM), relative to the folder of this file', ''),
    key: text('key file (PEM), relative to the folder of this file', ''),
  }),
  node_id: text('name of this node; empty for the host name', '', {
    pattern: '^[A-Za-z0-9._-]{0,128}$',
    'x-expected': 'letters, digits, ., - and _, at most 128',
  }),
  data_dir: text('folder of the data, relative to the folder of this file; relative paths below start from it',
    './data/runs'),
  runtime: section('the running service', {
    api_token_env: variable(
      'environment variable with the API token, or with two, split by a space; without it writes return 401 and ' +
        'reads are open',
    ),
    public_reads: flag('allow reading without a token; without any token configured, reading is open in any case',
      false),
    public_url: text(
      'address under which people reach this service, such as https://runs.example.org; links in statuses and ' +
        'comments of forges begin with it; empty for no links',
      '',
      {
        pattern: '^(https?://[^\\s@?#]+)?$',
        'x-expected': 'an http:// or https:// address without credentials',
        maxLength: 512,
      },
    ),
    public_badges: flag('allow reading badges of projects without a token', false),
    idempotency_ttl: format('duration', 'how long idempotency keys are remembered', '30d'),
    shutdown_grace: format('duration-or-zero', 'time for runs and requests in flight when the service stops', '30s'),
    log_level: oneOf(
      "least level of the service's own log; --log-level and SVC_LOG_LEVEL win; takes effect at the next start",
      'info',
      ['debug', 'info', 'warn', 'error'],
    ),
    log_format: oneOf(
      '`text` for people, `json` for programs: one object a line; --log-format and SVC_LOG_FORMAT win; takes ' +
        'effect at the next start',
      'text',
      ['text', 'json'],
    ),
    git_url_template: text('URL of a repository that is given as owner/name', 'https://github.com/{repository}.git', {
      pattern: '\\{repository\\}',
      'x-expected': 'a URL with {repository} in it',
    }),
  }),
  requests: section('requests over HTTP', {
    body_timeout: format('duration', 'longest that a body may take to arrive, unless it arrives at 64 KiB a second',
      '60s'),
    slow_bodies: integer(
      'bodies of one address that may arrive slowly at once, for longer than two seconds; beyond it the slowest ' +
        'are refused with 429; 0 for no limit',
      32,
      0,
      1_000_000,
    ),
  }),
  storage: section('the store', {
    driver: oneOf('`sqlite` for one node, `postgres` for several', 'sqlite', ['sqlite', 'postgres']),
    reserve: format('bytes',
      'room on disk that is left to the states and ends of runs: while there is less, no lines of logs are taken',
      '64MiB'),
    sqlite: section('the embedded database; short form: storage.path', {
      path: text('file, relative to data_dir', 'runs.db'),
      synchronous: oneOf('`full`: an acknowledged write survives a power failure', 'full', ['full', 'normal']),
      busy_timeout: format('duration', 'how long a statement waits for a lock', '5s'),
    }),
    postgres: section('PostgreSQL, which several servers may share: see docs/run-queue-postgres.md', {
      url_env: variable('environment variable with the connection URL, such as postgres://user:password@host/database',
        'RUNS_DATABASE_URL'),
      pool: integer(
        'connections of this server for transactions and short reads; 4 more are for heavy reads and messages',
        20,
        1,
        1000,
      ),
    }),
  }),
  config: section('this file', {
    refresh: format('duration-or-zero', 'how often a configuration from a URL is asked for again; 0 for never', '60s'),
  }),
  metrics: section('Prometheus metrics', { enabled: flag('serve /metrics', true) }),
} as const;

/** Remote ships. */
export const fleet = {
  fleet: section('remote ships', {
    enabled: flag('accept ships', false),
    listen: format('address', 'gRPC with mutual TLS', '0.0.0.0:11031'),
    enrol_listen: format('address', 'gRPC for joining', '0.0.0.0:11032'),
    advertise: text('host that ships connect to; empty for the host name', '', {
      pattern: '^[A-Za-z0-9.:\\[\\]-]*$',
      'x-expected': 'a host name',
    }),
    ca_dir: text('folder of the certificate authority, relative to data_dir; short form: dir', 'ca'),
    trust_domain: text('domain of the identities in certificates', 'quire.internal', {
      pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
      'x-expected': 'a domain name',
    }),
    ca_ttl: format('duration', 'lifetime of the authority', '87600h'),
    server_cert_ttl: format('duration', 'lifetime of a server certificate', '2160h'),
    ship_cert_ttl: format('duration', 'lifetime of a ship certificate', '720h'),
    outage_grace: format('duration-or-zero',
      'how long ships work on while this server is down: while its host refuses connections, or its store cannot ' +
        'be written; 0 for no longer than a lease, where a proxy or a firewall refuses connections in its place',
      '10m'),
    join_token_ttl: format('duration', 'lifetime of a join token', '15m'),
    min_ship_version: text('oldest version of ships; empty for all', '', {
      pattern: '^(\\d+\\.\\d+\\.\\d+)?$',
      'x-expected': 'a version such as 1.2.3',
    }),
  }),
} as const;

const SCOPES = ['submit', 'approve', 'read', 'alerts', 'admin'] as const;

/** Tokens of the API, besides the token of `runtime.api_token_env`, whose holders may do everything. */
export const tokens = {
  tokens: list('API tokens for a part of what there is', item('a token', ['name', 'sha256', 'scopes'], {
    name: name('unique; the audit log shows what was done with it as token:NAME'),
    sha256: requiredText('SHA-256 of the token, as `quire runs token api` prints it', '^[0-9a-f]{64}$',
      '64 hexadecimal digits'),
    scopes: {
      type: 'array',
      description:
        '`submit` queues, cancels and retries runs, `approve` approves and rejects those that wait for it, `read` ' +
        'reads, `alerts` is for Alertmanager, `admin` does everything',
      items: { type: 'string', enum: SCOPES },
      minItems: 1,
      uniqueItems: true,
    },
    projects: listOrAll('projects whose runs it may see and queue; null for all', { type: 'string', minLength: 1 }),
    expires: format('moment',
      'day, or moment in UTC, from which on it is refused: 2027-01-31, 2027-01-31T12:00:00Z; empty for never', ''),
  })),
} as const;
