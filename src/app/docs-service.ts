import { randomUUID } from 'node:crypto';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Operations, operations } from '../../generated/docs/operations.ts';
import type { SharingService } from '../api/grpc/index.ts';
import { type Converter, type ConverterSettings, createConverter } from '../convert/index.ts';
import { announcer, answerForwarded, type AuditSettings, createDocumentService, type DocsSettings, type DocumentService,
  isSameSecret, Replication, type ReplicationSettings } from '../docs/index.ts';
import { ServiceError } from '../errors/index.ts';
import { type Address, formatAddress } from '../lib/address.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { makeFolder } from '../lib/files.ts';
import type { Log } from '../lib/log.ts';
import { ConfigError } from '../lib/setting-values.ts';
import { SpoolFolder } from '../lib/spool.ts';
import { type Caller, createInvoker, createPermits, FORWARDED, type Invoke,
  type Protocol } from '../operations/index.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, FileLock, type KeyRing, migrate, openDatabase, openPostgres,
  parseKeys, type Sql } from '../storage/index.ts';
import type { BackupSchedule } from './backups/backup-schedule.ts';
import { createDocsBackups } from './backups/docs-backups.ts';
import { namingSetting, type Running } from './foreground.ts';
import { type Listeners, serveProtocols } from './protocols/index.ts';
import { mcpAnswerBytes } from './protocols/limits.ts';
import { connectToLeader, connectToNodes, holdsShare } from './replication/connect.ts';
import { IN_MEMORY, missingControls, type Settings } from './settings/index.ts';
import { BUILD_VERSION, readSpecification, type SpecificationFiles } from './specification.ts';
import type { TraceSettings } from './tracing/index.ts';
import { WorkerSupervisor } from './workers/worker-supervisor.ts';

/** Every authenticated caller may scrape, and sees the collections that the caller may read. */
const WITH_CLOSED_METRICS: typeof operations = {
  ...operations,
  getMetrics: { ...operations.getMetrics, access: 'user' },
};

/** Most milliseconds of an operation with a time limit (decisions, section 8). */
export const REQUEST_LIMIT_MS = 30_000;

/** Milliseconds for which writes wait for others to share a sync, in extreme mode. */
const GROUP_WINDOW_MS = 2;

export interface StartOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock?: Clock;
  /** Checks each response against the specification; for tests. */
  readonly validateResponses?: boolean;
  /** Cost of password hashes (see `PASSWORD_COST`); tests lower it. */
  readonly passwordCost?: number;
  /** Replaces the converter of the settings; for tests. The service closes it. */
  readonly converter?: Converter;
  /** How the other processes record traces; undefined while traces are off. */
  readonly traces?: TraceSettings | undefined;
  /** Opens the database; tests pass a function whose database fails on demand. */
  readonly open?: (path: string, keys?: KeyRing) => Promise<Sql>;
}

export interface RunningDocumentService extends Running {
  /** Base URL of HTTP or, if that is off, of the first protocol that is served. */
  readonly url: string;
  /** The addresses of the protocols. */
  readonly listeners: Listeners;
  /** Where the documents are, for people: the file, or the URL without its password. */
  readonly database: string;
  /** Ids of the operations that have a handler. */
  readonly built: readonly string[];
  /** Processes that serve reads beside this one. */
  readonly workerPids: () => readonly number[];
}

/**
 * Starts the document service with its settings. Rejects with a readable reason if the database cannot be opened or an
 * address is not available; nothing stays open then.
 */
export async function startDocumentService(options: StartOptions): Promise<RunningDocumentService> {
  const { settings, log, clock = systemClock } = options;
  const keys = keysOf(settings);
  const isNode = settings.storage.driver === 'postgres';
  const ownFiles = isNode ? await namingSetting('SVC_PATH', () => takeOwnFiles(settings)) : undefined;
  const sql = await openStore(options, keys).catch((error: unknown) => {
    ownFiles?.release();
    throw error;
  });
  const feed = isNode
    ? new ChangeFeed(sql, clock, { shared: true, onAppend: announcer(sql) })
    : new ChangeFeed(sql, clock);
  const cutOff = Promise.withResolvers<void>();
  let service: DocumentService | undefined;
  let replication: Replication | undefined;
  const converter = options.converter ?? createConverter(toConverter(settings));
  const spools = new SpoolFolder(
    settings.database.path === IN_MEMORY
      ? join(tmpdir(), `quire-uploads-${process.pid}`)
      : `${settings.database.path}.uploads`,
  );
  try {
    await spools.clear();
    await migrate(sql, DOCUMENT_MIGRATIONS, clock);
    replication = await Replication.open({
      sql,
      feed,
      clock,
      log,
      settings: toReplication(settings),
      connect: await connectToLeader(settings, log),
    });
    const docsSettings = toDocsSettings(settings, options.passwordCost);
    service = await createDocumentService({
      sql: replication.sql,
      clock,
      log,
      keys,
      converter,
      feed,
      replication,
      isNode,
      connectNode: await connectToNodes(settings, log),
      onDutyLost: cutOff.resolve,
      codec: new BodyCodec(settings.compression),
      settings: { ...docsSettings, ...(replication.refusal !== undefined && { mode: 'read' as const }) },
    });
    const workers = hasWorkers(settings)
      ? new WorkerSupervisor({ settings, log, service, feed, traces: options.traces })
      : undefined;
    const listeners = await serve({ ...options, clock }, { service, spools, workers });
    docsSettings.description.protocols.http3.enabled = listeners.http3 !== undefined;
    const backups = startBackups(settings, service, { clock, log });
    const { url, reload } = listeners;
    const ended = isNode
      ? Promise.race([cutOff.promise, ...(listeners.ended ? [listeners.ended] : [])])
      : listeners.ended;
    return {
      url,
      listeners,
      database: isNode
        ? `${sql.info.path}; files of this node beside ${settings.database.path}`
        : settings.database.path,
      built: Object.keys(service.handlers),
      workerPids: () => workers?.pids ?? [],
      ended,
      reload,
      stop: stopInOrder({ listeners, service, backups, sql, converter, spools, ownFiles }, settings, log),
    };
  } catch (error) {
    await service?.stop();
    await converter.close();
    await sql.close();
    ownFiles?.release();
    replication?.close();
    throw error;
  }
}

function startBackups(settings: Settings, service: DocumentService,
  { clock, log }: { readonly clock: Clock; readonly log: Log }): BackupSchedule | undefined
{
  const backups = createDocsBackups(settings, { clock, log, make: (to) => service.maintenance.makeBackup(to) });
  if (backups !== undefined) service.system.describeBackups(() => backups.report);
  backups?.start();
  return backups;
}

async function openStore({ settings, open }: StartOptions, keys: KeyRing | undefined): Promise<Sql> {
  const { database: { path }, storage, postgres: { url, pool }, extreme } = settings;
  if (open !== undefined) return open(path, keys);
  if (storage.driver === 'postgres')
    return namingSetting('SVC_POSTGRES_URL',
      () => openPostgres({ url, pool, turns: true, keys, ownFiles: resolve(path) }));
  return namingSetting('SVC_PATH',
    () =>
      openDatabase({ path, keys, groupWindowMs: extreme.enabled ? GROUP_WINDOW_MS : undefined }).catch(
        (error: unknown) => {
          throw adviseRepair(error, path);
        },
      ));
}

/** SQLite's word for a damaged file is the end of its message. */
function adviseRepair(error: unknown, path: string): unknown {
  if (!(error instanceof ServiceError) || !error.message.endsWith('malformed')) return error;
  const advice =
    `bring a backup back, or copy what can be read with \`quire docs --repair-db ${path} --repair-to NEW_FILE\``;
  return new ServiceError(error.code, `${error.message}; ${advice}`, { cause: error });
}

/**
 * A node over PostgreSQL keeps its audit log and uploads at the path that its SQLite database would have. Throws if
 * another process uses that path.
 */
function takeOwnFiles({ database: { path } }: Settings): FileLock {
  const file = resolve(path);
  makeFolder(dirname(file), 0o700);
  return FileLock.take(file);
}

/** The keys of encryption at rest; undefined if none are configured. */
export function keysOf({ encryption }: Settings): KeyRing | undefined {
  const { ring, problems } = parseKeys(encryption);
  if (problems.length > 0) throw new ConfigError(problems);
  return ring;
}

/** Over stdio, a single process serves the only client. */
function hasWorkers({ workers, http, mcp, database }: Settings): boolean {
  return workers.count > 1 && http.enabled && !mcp.stdio && database.path !== IN_MEMORY;
}

interface Served {
  readonly service: DocumentService;
  readonly spools: SpoolFolder;
  readonly workers: WorkerSupervisor | undefined;
}

async function serve({ settings, log, clock, validateResponses = false }: StartOptions & { readonly clock: Clock },
  { service, spools, workers }: Served): Promise<Listeners>
{
  const specification = await readSpecification('docs');
  // With several nodes, each applies what the others have committed before it authenticates and authorizes a request.
  const follow = settings.storage.driver === 'postgres' ? () => service.refresh() : undefined;
  const deps = { service, clock, follow, refresh: follow };
  const invoke = createServiceInvoke(settings, deps, specification);
  const forwarded = createServiceInvoke(settings, deps, specification, service.handlers, FORWARDED);
  const permits = createPermits<Operations>({
    operations,
    built: new Set(Object.keys(service.handlers)),
    isOff: service.isOff,
    mode: (protocol) => modeOf(settings, protocol),
    guard: service.access.guard,
  });
  const admit = createServiceInvoke(settings, deps, specification, {
    streamEvents: () => Promise.resolve(NO_EVENTS),
  });
  const admitToEvents = (input: { readonly collection?: string }, caller: Caller) =>
    admit('streamEvents', { ...input }, caller);
  return serveProtocols({
    settings,
    log,
    clock,
    service,
    spools,
    workers,
    invoke,
    sharing: sharingService(settings, forwarded, service.cluster),
    permits,
    admitToEvents,
    specification,
    validateResponses,
    requestLimitMs: REQUEST_LIMIT_MS,
  });
}

/** What the other nodes over the same database ask of this one. */
function sharingService(settings: Settings, invoke: Invoke<Operations>, { gather }: DocumentService['cluster']):
  | SharingService
  | undefined
{
  if (!holdsShare(settings)) return undefined;
  const { secret } = settings.replication;
  return {
    admit(given) {
      if (given === undefined || !isSameSecret(given, secret))
        throw new ServiceError('forbidden', 'calls between nodes need the shared secret in x-svc-replication-secret');
    },
    answer: (call, signal) => answerForwarded(invoke, call, signal),
    gather,
  };
}

/** The answer to a call that only asks whether the stream would be opened. */
const NO_EVENTS = { contentType: 'text/event-stream', content: '' };

/** GraphQL is served on the HTTP port, under its mode. */
const modeOf = (settings: Settings, protocol: Protocol) => settings[protocol === 'graphql' ? 'http' : protocol].mode;

interface InvokeDeps {
  readonly service: DocumentService;
  readonly clock: Clock;
  readonly follow?: (() => Promise<void>) | undefined;
  /** Applies what other processes have committed; absent if there are none. */
  readonly refresh?: () => Promise<void>;
}

/** Creates `invoke` for the operations of a service, according to the settings. */
export function createServiceInvoke(settings: Settings, { service, clock, follow, refresh }: InvokeDeps,
  { inputs }: Pick<SpecificationFiles, 'inputs'>, handlers = service.handlers,
  steps?: typeof FORWARDED): Invoke<Operations>
{
  return createInvoker<Operations>({
    operations: settings.metrics.public ? operations : WITH_CLOSED_METRICS,
    inputs,
    handlers,
    steps: service.steps,
    strictInput: settings.input.strict,
    guard: service.access.guard,
    watches: service.access.accessWatches,
    clock,
    follow,
    refresh,
    observe: service.observe,
    mode: (protocol) => modeOf(settings, protocol),
    readOnlyReason: () => service.replication?.refusal,
    timeoutMs: REQUEST_LIMIT_MS,
    answerBytes: (protocol) => (protocol === 'mcp' ? mcpAnswerBytes(settings) : settings.limits.maxAnswerBytes),
  }, steps);
}

interface Parts {
  readonly listeners: Listeners;
  readonly service: DocumentService;
  readonly backups: BackupSchedule | undefined;
  readonly sql: Sql;
  readonly converter: Converter;
  readonly spools: SpoolFolder;
  readonly ownFiles: FileLock | undefined;
}

/** Stops requests first, then the background work, then the database. */
function stopInOrder({ listeners, service, backups, sql, converter, spools, ownFiles }: Parts, settings: Settings,
  log: Log): () => Promise<void>
{
  const stop = async (): Promise<void> => {
    log.info({}, 'stopping');
    service.endStreams();
    await listeners.stop(settings.shutdown.timeoutSec * 1000);
    await backups?.stop();
    await service.stop();
    await converter.close();
    await spools.clear();
    await sql.close();
    ownFiles?.release();
    service.replication?.close();
    log.info({}, 'stopped');
  };
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
}

/** Converts the settings for the areas. */
export function toDocsSettings(settings: Settings, passwordCost?: number): DocsSettings {
  const listener = ({ enabled, addr }: { enabled: boolean; addr: Address }) => ({ enabled, addr: formatAddress(addr) });
  return {
    buildVersion: BUILD_VERSION,
    mode: settings.http.mode,
    backupDir: settings.database.backupDir,
    geoDataDir: settings.geo.dataDir,
    minLsnWaitMs: settings.sessions.wait,
    ttlSweepMs: settings.database.ttlSweepInterval,
    deletedRetention: Math.ceil(settings.database.deletedRetention / 1000),
    codeMaxSymbols: settings.code.maxSymbols,
    deltaRevisions: settings.extreme.enabled,
    maxSearches: settings.search.maxConcurrent,
    restAfterMs: settings.search.restAfter,
    indexMemory: settings.search.indexMemory,
    checkpoints: { ...settings.checkpoints },
    node: toNode(settings),
    searchStats: settings.search.stats,
    fullText: {
      defaultLang: settings.fts.defaultLang,
      stemming: settings.fts.stemmingEnabled,
      synonyms: settings.fts.synonymsEnabled,
      algorithm: settings.fts.defaultAlgorithm,
    },
    embedding: toEmbedding(settings),
    vectors: { ...settings.vector },
    spell: { ...settings.spell },
    audit: toAudit(settings),
    outbound: { ...settings.outbound },
    feed: { maxAgeMs: settings.binlog.maxAge, maxBytes: settings.binlog.maxSize },
    bodies: {
      cacheBytes: settings.bodies.cacheBytes,
      memoryBytes: settings.bodies.memoryBytes,
      timeoutMs: settings.bodies.timeout,
      graceMs: settings.bodies.grace,
    },
    temporal: settings.temporal.enabled,
    automation: toAutomation(settings),
    webhookSecret: settings.webhooks.secret,
    wiki: { ...settings.wiki },
    auth: toAuth(settings, passwordCost),
    description: {
      protocols: {
        http: listener(settings.http),
        grpc: listener(settings.grpc),
        mcp: listener(settings.mcp),
        graphql: { enabled: settings.graphql.enabled },
        // Extreme mode does not depend on HTTP/3; whether HTTP/3 is served is known only once the protocols are
        // started.
        http3: { enabled: false, addr: formatAddress(settings.http3.addr) },
      },
      authEnabled: settings.auth.enabled,
      metricsEnabled: settings.metrics.enabled,
      metricsPublic: settings.metrics.public,
      compliance: {
        production: settings.production.enabled,
        missing: missingControls(settings).map(({ envVar, want, reason }) => ({ envVar, want, reason })),
      },
    },
  };
}

/**
 * Without a name, the machine and a port are one that the node keeps over restarts; a port that the system chooses is
 * not, and a random name is at least no other node's.
 */
function toNode(settings: Settings): DocsSettings['node'] {
  const { node: { name, address, weight, replicas }, grpc, http } = settings;
  const portOf = ({ enabled, addr }: { enabled: boolean; addr: Address }): number =>
    enabled && addr.kind === 'tcp' ? addr.port : 0;
  const machine = hostname();
  const port = portOf(grpc) || portOf(http);
  const reachable = portOf(grpc) > 0 ? `${machine}:${portOf(grpc)}` : '';
  return {
    name: name || (port > 0 ? `${machine}:${port}` : `${machine}-${randomUUID().slice(0, 8)}`),
    address: address || reachable,
    weight,
    replicas,
    holdsShare: holdsShare(settings),
  };
}

/** Most characters of markdown that one file may be converted to: as much as a request may contain otherwise. */
const MAX_MARKDOWN = 32 * 1024 * 1024;

function toConverter({ convert: { workers, timeout, memory } }: Settings): ConverterSettings {
  return { workers, timeoutMs: timeout, memoryMb: Math.floor(memory / 2 ** 20), maxOutput: MAX_MARKDOWN };
}

function toReplication({ replication, binlog }: Settings): ReplicationSettings {
  const { role = '', leaderAddr, nodeId, secret, retryInterval, maxLag } = replication;
  return {
    role,
    leaderAddr,
    nodeId,
    secret,
    retryMs: retryInterval,
    maxLagMs: maxLag,
    binlog: { enabled: binlog.enabled, path: binlog.path, maxBytes: binlog.maxSize, maxAgeMs: binlog.maxAge },
  };
}

function toAutomation({ automation: { logsTtl, ...rest } }: Settings): NonNullable<DocsSettings['automation']> {
  return { ...rest, logsTtlMs: logsTtl };
}

/** The audit log is a file beside the database, so that a restore of the database does not change it. */
function toAudit({ audit, incident, database: { path } }: Settings): AuditSettings {
  const { enabled, retentionDays, exportBuffer, exportWebhookUrl: webhookUrl, exportWebhookHeader: webhookHeader,
    exportSyslogAddr: syslogAddr } = audit;
  return {
    enabled,
    retentionDays,
    exportBuffer,
    path: path === IN_MEMORY ? IN_MEMORY : `${path}.audit`,
    webhookUrl,
    webhookHeader,
    syslogAddr,
    burst: {
      threshold: incident.authThreshold,
      windowMs: incident.authWindowSec * 1000,
      cooldownMs: incident.authCooldownSec * 1000,
    },
  };
}

/** Downloaded models are stored in the data folder, where the database is. */
function toEmbedding({ embedding, database: { path } }: Settings): NonNullable<DocsSettings['embedding']> {
  const { apiUrl = '', queueWait, cacheTtl, rerankBudget, chunkMode, chunkSize, ...rest } = embedding;
  const folder = path === IN_MEMORY ? 'data' : dirname(path);
  return {
    ...rest,
    apiUrl,
    queueWaitMs: queueWait,
    cacheTtlMs: cacheTtl,
    rerankBudgetMs: rerankBudget,
    cacheFolder: join(folder, 'models'),
    chunkMode: chunkMode || undefined,
    chunkSize,
  };
}

function toAuth({ auth: { jwtExpiry, sessionMax, ...rest }, oidc }: Settings,
  passwordCost: number | undefined): NonNullable<DocsSettings['auth']>
{
  return {
    ...rest,
    jwtExpiryMs: jwtExpiry,
    sessionMaxMs: sessionMax,
    oidc: { ...oidc },
    passwordCost,
  };
}
