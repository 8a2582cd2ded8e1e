import { parseAddress } from '../../lib/address.ts';
import { isBucketUrl, parseClaimEntry, parseHeaderLine, parseObjectPlace,
  parseSyslogAddress } from '../../lib/setting-values.ts';
import { allowlistProblems, secretRefusal } from '../../net/index.ts';
import { parseKeys } from '../../storage/index.ts';
import { MIN_SECRET_BYTES, missingControls } from './compliance.ts';
import { IN_MEMORY } from './groups/database.ts';
import type { Origin } from './resolve.ts';
import type { SettingPath, Settings } from './table.ts';

/**
 * Checks values that must make sense together, which no single setting can check. One line for each problem. `origins`
 * returns the name by which the user set a setting.
 */
export function checkTogether(settings: Settings, origins: ReadonlyMap<SettingPath, Origin>): string[] {
  const { audit, compression, database, embedding, replication, tls, workers } = settings;
  const name: Naming = (path, variable) => origins.get(path)?.label ?? variable;
  return [
    ...require(compression.smallThreshold <= compression.mediumThreshold,
      `${
        name('compression.smallThreshold', 'SVC_COMPRESSION_SMALL_THRESHOLD')
      }: expected at most the medium threshold, ${compression.mediumThreshold}, got ${compression.smallThreshold}`),
    ...checkAuth(settings, name),
    ...checkOidc(settings, name),
    ...require(!tls.enabled || tls.cert !== '', 'SVC_TLS_CERT: required when TLS is enabled'),
    ...require(!tls.enabled || tls.key !== '', 'SVC_TLS_KEY: required when TLS is enabled'),
    ...require(!isHosted(embedding.provider) || embedding.apiKey !== '',
      `SVC_EMBEDDING_API_KEY: required by the provider ${embedding.provider}`),
    ...checkReplication(settings, name),
    ...parseKeys(settings.encryption, {
      key: name('encryption.key', 'SVC_ENCRYPTION_KEY'),
      previousKeys: name('encryption.previousKeys', 'SVC_ENCRYPTION_PREVIOUS_KEYS'),
    }).problems,
    ...require(audit.exportSyslogAddr === '' || parseSyslogAddress(audit.exportSyslogAddr) !== undefined,
      `${
        name('audit.exportSyslogAddr', 'SVC_AUDIT_EXPORT_SYSLOG_ADDR')
      }: expected host:port or tcp://host:port, got "${audit.exportSyslogAddr}"`),
    ...require(audit.exportWebhookHeader === '' || parseHeaderLine(audit.exportWebhookHeader) !== undefined,
      `${name('audit.exportWebhookHeader', 'SVC_AUDIT_EXPORT_WEBHOOK_HEADER')}: expected a header as "Name: value"`),
    ...allowlistProblems(settings.outbound.allowlist).map((problem) =>
      `${name('outbound.allowlist', 'SVC_OUTBOUND_ALLOWLIST')}: ${problem}`
    ),
    ...require(workers.count === 1 || database.path !== IN_MEMORY,
      `${
        name('workers.count', 'SVC_WORKERS')
      }: expected 1 for a database in memory, which one process has, got ${workers.count}`),
    ...require(workers.count === 1 || replication.role !== 'follower',
      `${name('workers.count', 'SVC_WORKERS')}: expected 1 on a follower, got ${workers.count}`),
    ...checkBackups(settings, name),
    ...checkCheckpoints(settings, name),
    ...checkPostgres(settings, name),
    ...sharedPorts(settings, name),
    ...checkProduction(settings, name),
  ];
}

const require = (holds: boolean, problem: string): string[] => (holds ? [] : [problem]);

/** bcrypt would silently ignore more bytes than this. */
const MAX_PASSWORD_BYTES = 72;

/** The same rule as in the specification: a user whose name does not match it could not sign in. */
const USERNAME = /^[A-Za-z0-9._@-]{1,64}$/;

type Naming = (path: SettingPath, variable: string) => string;

/** Secrets are not shown; a problem of a secret mentions only its length. */
function checkAuth({ auth, metrics }: Settings, name: Naming): string[] {
  if (!auth.enabled)
    return require(metrics.public,
      `${
        name('metrics.public', 'SVC_METRICS_PUBLIC')
      }: a credential for /metrics needs authentication; set SVC_AUTH_ENABLED=true`);
  const [secret, password] = [auth.jwtSecret, auth.adminPassword].map((text) => Buffer.byteLength(text)) as [number,
    number];
  return [
    ...require(secret > 0,
      'SVC_AUTH_JWT_SECRET: required when authentication is enabled; make one with `openssl rand -base64 32`'),
    ...require(password > 0, 'SVC_AUTH_ADMIN_PASSWORD: required when authentication is enabled'),
    ...require(password <= MAX_PASSWORD_BYTES,
      `${
        name('auth.adminPassword', 'SVC_AUTH_ADMIN_PASSWORD')
      }: expected at most ${MAX_PASSWORD_BYTES} bytes, got ${password}`),
    ...require(USERNAME.test(auth.adminUsername),
      `${
        name('auth.adminUsername', 'SVC_AUTH_ADMIN_USERNAME')
      }: expected 1 to 64 letters, digits, ".", "_", "@" or "-"`),
  ];
}

/** A wrong setting for copies should be detected at the start, not when the first backup is made. */
function checkBackups({ backup: { cron, s3Url, s3AccessKey, s3SecretKey } }: Settings, name: Naming): string[] {
  if (s3Url === '') return [];
  const url = name('backup.s3Url', 'SVC_BACKUP_S3_URL');
  return [
    ...require(isBucketUrl(s3Url),
      `${url}: expected an address with a bucket, such as https://s3.example.org/our-backups/quire, got "${s3Url}"`),
    ...require(cron !== '',
      `${name('backup.cron', 'SVC_BACKUP_CRON')}: required for copies of scheduled backups in ${url}`),
    ...require(s3AccessKey !== '' && s3SecretKey !== '',
      `SVC_BACKUP_S3_ACCESS_KEY and SVC_BACKUP_S3_SECRET_KEY: required by ${url}`),
  ];
}

function checkCheckpoints({ checkpoints: { place, s3Endpoint, s3AccessKey, s3SecretKey } }: Settings,
  name: Naming): string[]
{
  const label = name('checkpoints.place', 'SVC_CHECKPOINTS');
  const endpoint = name('checkpoints.s3Endpoint', 'SVC_CHECKPOINTS_S3_ENDPOINT');
  if (place === '') return require(s3Endpoint === '', `${endpoint}: set ${label}, or leave it out`);
  const parsed = parseObjectPlace(place);
  if (parsed === undefined)
    return [`${label}: expected a bucket as s3://bucket/prefix, or the path of a folder, got "${place}"`];
  if (!('bucket' in parsed)) return [];
  return [
    ...require(s3Endpoint === '' || isEndpoint(s3Endpoint),
      `${endpoint}: expected a URL without a path, such as https://s3.example.org, got "${s3Endpoint}"`),
    ...require(s3AccessKey !== '' && s3SecretKey !== '',
      `SVC_CHECKPOINTS_S3_ACCESS_KEY and SVC_CHECKPOINTS_S3_SECRET_KEY: required by ${label}`),
  ];
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Without an issuer, the other settings have no effect. */
function checkOidc({ auth, oidc }: Settings, name: Naming): string[] {
  if (oidc.issuer === undefined) return [];
  const { protocol, hostname } = new URL(oidc.issuer);
  return [
    ...require(auth.enabled,
      `${name('oidc.issuer', 'SVC_OIDC_ISSUER')}: signing in needs authentication; set SVC_AUTH_ENABLED=true`),
    ...require(protocol === 'https:' || LOOPBACK.test(hostname),
      `${name('oidc.issuer', 'SVC_OIDC_ISSUER')}: expected an https URL, except on this machine, got ${oidc.issuer}`),
    ...require(oidc.clientId !== '', 'SVC_OIDC_CLIENT_ID: required with an issuer'),
    ...require(oidc.redirectUri !== undefined,
      'SVC_OIDC_REDIRECT_URI: required with an issuer; the URL of the console, such as ' +
        'https://docs.example.com/console'),
    ...oidc.roles.filter((entry) => parseClaimEntry(entry) === undefined).map((entry) =>
      `${
        name('oidc.roles', 'SVC_OIDC_ROLES')
      }: expected entries such as staff=reader or writers=group:editors, got "${entry}"`
    ),
  ];
}

const MIN_REPLICATION_SECRET = 32;

/** Decision 4.11. */
function checkReplication({ replication: { role, leaderAddr, secret }, auth, database, grpc, tls }: Settings,
  name: Naming): string[]
{
  const [secretName, addressName] = [name('replication.secret', 'SVC_REPLICATION_SECRET'),
    name('replication.leaderAddr', 'SVC_REPLICATION_LEADER_ADDR')];
  const isLeader = role === 'leader';
  return [...require(role !== 'follower' || leaderAddr !== '', `${addressName}: required by a follower`),
    ...require(leaderAddr === '' || parseAddress(leaderAddr) !== undefined,
      `${addressName}: expected host:port or unix:/path, got "${leaderAddr}"`),
    ...require(secret === '' || secret.length >= MIN_REPLICATION_SECRET,
      `${secretName}: expected at least ${MIN_REPLICATION_SECRET} characters, got ${secret.length}`),
    ...require(!isLeader || secret !== '' || tls.clientCa !== '' || auth.enabled,
      `${secretName}: a leader needs it to know its followers by, or SVC_TLS_CLIENT_CA, or SVC_AUTH_ENABLED=true`),
    ...require(!isLeader || database.path !== IN_MEMORY,
      `${name('database.path', 'SVC_PATH')}: a leader needs a database in a file, for the binlog is kept beside it`),
    ...require(!isLeader || grpc.enabled,
      `${name('grpc.enabled', 'SVC_GRPC_ENABLED')}: followers reach a leader over gRPC, which is off`)];
}

/** What is not available with several nodes over one database. */
function checkPostgres({ storage, postgres, database, backup, replication, binlog, workers, extreme }: Settings,
  name: Naming): string[]
{
  const urlName = name('postgres.url', 'SVC_POSTGRES_URL');
  if (storage.driver !== 'postgres')
    return require(postgres.url === '', `${urlName}: set SVC_STORAGE_DRIVER=postgres, or leave the URL out`);
  return [
    ...require(/^postgres(?:ql)?:\/\/./.test(postgres.url),
      `${urlName}: the driver postgres needs the URL of its database, such as postgres://user:password@host/database`),
    ...require(database.path !== IN_MEMORY,
      `${
        name('database.path', 'SVC_PATH')
      }: expected a path in a folder of this node's own, for its audit log and uploads, got ${database.path}`),
    ...require(workers.count === 1,
      `${
        name('workers.count', 'SVC_WORKERS')
      }: expected 1 with the driver postgres, got ${workers.count}; start more nodes instead`),
    ...require(replication.role === undefined && !binlog.enabled,
      `${
        name('replication.role', 'SVC_REPLICATION_ROLE')
      }: replication and the binlog are of the driver sqlite; PostgreSQL has standbys of its own`),
    ...require(backup.cron === '',
      `${
        name('backup.cron', 'SVC_BACKUP_CRON')
      }: the driver postgres leaves backups to the database; use pg_dump or its archives`),
    ...require(!extreme.enabled, `${name('extreme.enabled', 'SVC_EXTREME')}: extreme mode is of the driver sqlite`),
  ];
}

/** A server in production mode does not start while a control is off (decisions, section 5.2). */
function checkProduction(settings: Settings, name: Naming): string[] {
  if (!settings.production.enabled) return [];
  const asker = name('production.enabled', 'SVC_PRODUCTION');
  return missingControls(settings).map(({ path, envVar, want, reason, remedy }) =>
    `${name(path, envVar)}: ${asker} needs ${want} (${reason}); ${remedy}`
  );
}

/** Combinations that work but are unwise; decisions, section 5.1. */
export function adviceOn({ auth, limits, rateLimit, webhooks }: Settings,
  origins: ReadonlyMap<SettingPath, Origin>): string[]
{
  const name: Naming = (path, variable) => origins.get(path)?.label ?? variable;
  const secret = Buffer.byteLength(auth.jwtSecret);
  const refusal = secretRefusal(webhooks.secret);
  return [
    ...require(!auth.enabled || secret >= MIN_SECRET_BYTES,
      `${
        name('auth.jwtSecret', 'SVC_AUTH_JWT_SECRET')
      }: ${secret} bytes can be guessed; use at least ${MIN_SECRET_BYTES}, as \`openssl rand -base64 32\` makes them`),
    ...require(!rateLimit.enabled || rateLimit.by !== 'user' || auth.enabled,
      `${
        name('rateLimit.by', 'SVC_RATE_LIMIT_BY')
      }: without authentication there are no users, so requests are counted by address`),
    ...require(!limits.trustedProxies.some(({ isEverything }) => isEverything),
      `${
        name('limits.trustedProxies', 'SVC_TRUSTED_PROXIES')
      }: a range that holds every address lets every client claim any address`),
    ...require(refusal === undefined,
      `${
        name('webhooks.secret', 'SVC_WEBHOOK_SECRET')
      }: ${refusal}; until then, webhook-signature is missing or can be forged`),
  ];
}

const isHosted = (provider: Settings['embedding']['provider']): boolean =>
  provider === 'openai' || provider === 'voyage';

/** Two listeners cannot share one port; UDP (HTTP/3) has ports of its own. */
function sharedPorts(settings: Settings, name: Naming): string[] {
  const taken = new Map<number, string>();
  const problems: string[] = [];
  for (const [protocol, variable] of [['http', 'SVC_HTTP_ADDR'], ['grpc', 'SVC_GRPC_ADDR'], ['mcp',
    'SVC_MCP_ADDR']] as const)
  {
    const { enabled, addr } = settings[protocol];
    if (!enabled || addr.kind === 'unix' || addr.port === 0) continue;
    const label = name(`${protocol}.addr`, variable);
    const other = taken.get(addr.port);
    if (other === undefined) taken.set(addr.port, label);
    else problems.push(`${label}: port ${addr.port} is already the one of ${other}`);
  }
  return problems;
}
