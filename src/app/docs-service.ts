import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { operations, type Operations } from '../../generated/docs/operations.ts';
import { createDocumentService, Replication, type AuditSettings, type DocsSettings, type DocumentService, type ReplicationSettings } from '../docs/index.ts';
import { createConverter, type Converter, type ConverterSettings } from '../convert/index.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { formatAddress, type Address } from '../lib/address.ts';
import { ConfigError } from '../lib/config-error.ts';
import type { Log } from '../lib/log.ts';
import { SpoolFolder } from '../lib/spool.ts';
import { createInvoker, createPermits, type Invoke, type Protocol } from '../operations/index.ts';
import { connectToLeader } from './replication/connect.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, migrate, openDatabase, parseKeys, type KeyRing, type Sql } from '../storage/index.ts';
import type { Running } from './foreground.ts';
import { serveProtocols, type Listeners } from './protocols/index.ts';
import { mcpAnswerBytes } from './settings/answer-bytes.ts';
import { IN_MEMORY, missingControls, type Settings } from './settings/index.ts';
import { readSpecification, type SpecificationFiles } from './specification.ts';
import { BUILD_VERSION } from './version.ts';
import { WorkerPool } from './workers/index.ts';

/** Every signed-in caller may scrape, and sees the collections that are his to read. */
const WITH_CLOSED_METRICS: typeof operations = { ...operations, getMetrics: { ...operations.getMetrics, access: 'user' } };

/** Longest that a limited operation may take (decisions, section 8). */
export const REQUEST_LIMIT_MS = 30_000;

/** How long writes wait for others to share their sync in extreme mode. */
const GROUP_WINDOW_MS = 2;

export interface StartOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock?: Clock;
  /** Checks every answer against the specification; for tests. */
  readonly validateResponses?: boolean;
  /** Cost of password hashes (see `PASSWORD_COST`); tests lower it. */
  readonly passwordCost?: number;
  /** Other than that of the settings; for tests. The service closes it. */
  readonly converter?: Converter;
  /** Opens the database; tests hand in one that fails on demand. */
  readonly open?: (path: string, keys?: KeyRing) => Promise<Sql>;
}

export interface RunningDocumentService extends Running {
  /** Base URL of HTTP or, where that is off, of the first protocol that is served. */
  readonly url: string;
  /** Where the protocols are served. */
  readonly listeners: Listeners;
  /** Ids of the operations that have a handler. */
  readonly built: readonly string[];
  /** Processes that answer reads beside this one. */
  readonly workerPids: () => readonly number[];
}

/**
 * Starts the document service by its settings. Rejects with a reason for a person when the
 * database cannot be opened or an address cannot be had, and then leaves nothing open.
 */
export async function startDocumentService(options: StartOptions): Promise<RunningDocumentService> {
  const { settings, log, clock = systemClock } = options;
  const keys = keysOf(settings);
  const isExtreme = settings.http3.enabled;
  if (isExtreme) log.warn({}, 'extreme mode: HTTP/3 is not built yet and is not served; group commit and delta revisions are on');
  const sql = await (options.open ?? ((path) => openDatabase({ path, keys, ...(isExtreme && { groupWindowMs: GROUP_WINDOW_MS }) })))(settings.database.path, keys);
  const feed = new ChangeFeed(sql, clock);
  let service: DocumentService | undefined;
  let replication: Replication | undefined;
  const converter = options.converter ?? createConverter(toConverter(settings));
  const spools = new SpoolFolder(settings.database.path === IN_MEMORY ? join(tmpdir(), `quire-uploads-${process.pid}`) : `${settings.database.path}.uploads`);
  try {
    await spools.clear();
    await migrate(sql, DOCUMENT_MIGRATIONS, clock);
    replication = await Replication.open({ sql, feed, clock, log, settings: toReplication(settings), connect: await connectToLeader(settings, log) });
    service = await createDocumentService({
      sql: replication.sql, clock, log, keys, converter, feed, replication,
      codec: new BodyCodec(settings.compression),
      settings: { ...toDocsSettings(settings, options.passwordCost), ...(replication.refusal !== undefined && { mode: 'read' as const }) },
    });
    const workers = hasWorkers(settings) ? new WorkerPool({ settings, log, service, feed }) : undefined;
    const listeners = await serve({ ...options, clock }, { service, spools, workers });
    const { url, ended, reload } = listeners;
    return {
      url, listeners, built: Object.keys(service.handlers), workerPids: () => workers?.pids ?? [],
      ...(ended && { ended }), ...(reload && { reload }), stop: stopInOrder({ listeners, service, sql, converter, spools }, settings, log),
    };
  } catch (error) {
    await service?.stop();
    await converter.close();
    await sql.close();
    replication?.close();
    throw error;
  }
}

/** Those of encryption at rest; undefined when none are configured. */
export function keysOf({ encryption }: Settings): KeyRing | undefined {
  const { ring, problems } = parseKeys(encryption);
  if (problems.length > 0) throw new ConfigError(problems);
  return ring;
}

/** Over stdio, one client is served by one process. */
function hasWorkers({ workers, http, mcp, database }: Settings): boolean {
  return workers.count > 1 && http.enabled && !mcp.stdio && database.path !== IN_MEMORY;
}

interface Served {
  readonly service: DocumentService;
  readonly spools: SpoolFolder;
  readonly workers: WorkerPool | undefined;
}

async function serve({ settings, log, clock, validateResponses = false }: StartOptions & { readonly clock: Clock }, { service, spools, workers }: Served): Promise<Listeners> {
  const specification = await readSpecification('docs');
  const invoke = createServiceInvoke(settings, service, specification);
  const permits = createPermits<Operations>({ operations, built: new Set(Object.keys(service.handlers)), isOff: service.isOff, mode: (protocol) => modeOf(settings, protocol), guard: service.access.guard });
  return serveProtocols({ settings, log, clock, service, spools, workers, invoke, permits, specification, validateResponses, requestLimitMs: REQUEST_LIMIT_MS });
}

/** GraphQL is served on the HTTP port, under its mode. */
const modeOf = (settings: Settings, protocol: Protocol) => settings[protocol === 'graphql' ? 'http' : protocol].mode;

/** The way to the operations of a service, as the settings want it. */
export function createServiceInvoke(settings: Settings, service: DocumentService, { inputs }: Pick<SpecificationFiles, 'inputs'>): Invoke<Operations> {
  return createInvoker<Operations>({
    operations: settings.metrics.public ? operations : WITH_CLOSED_METRICS,
    inputs,
    handlers: service.handlers,
    strictInput: settings.input.strict,
    guard: service.access.guard,
    observe: service.observe,
    mode: (protocol) => modeOf(settings, protocol),
    readOnlyReason: () => service.replication?.refusal,
    timeoutMs: REQUEST_LIMIT_MS,
    answerBytes: (protocol) => (protocol === 'mcp' ? mcpAnswerBytes(settings) : settings.limits.maxAnswerBytes),
  });
}

interface Parts {
  readonly listeners: Listeners;
  readonly service: DocumentService;
  readonly sql: Sql;
  readonly converter: Converter;
  readonly spools: SpoolFolder;
}

/** Requests first, then the work in the background, then the database under both. */
function stopInOrder({ listeners, service, sql, converter, spools }: Parts, settings: Settings, log: Log): () => Promise<void> {
  const stop = async (): Promise<void> => {
    log.info({}, 'stopping');
    service.endStreams();
    await listeners.stop(settings.shutdown.timeoutSec * 1000);
    await service.stop();
    await converter.close();
    await spools.clear();
    await sql.close();
    service.replication?.close();
    log.info({}, 'stopped');
  };
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
}

/** What the areas need of the settings. */
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
    deltaRevisions: settings.http3.enabled,
    maxSearches: settings.search.maxConcurrent,
    searchStats: settings.search.stats,
    fullText: { defaultLang: settings.fts.defaultLang, stemming: settings.fts.stemmingEnabled, synonyms: settings.fts.synonymsEnabled, algorithm: settings.fts.defaultAlgorithm },
    embedding: toEmbedding(settings),
    vectors: { ...settings.vector },
    spell: { ...settings.spell },
    audit: toAudit(settings),
    outbound: { ...settings.outbound },
    feed: { maxAgeMs: settings.binlog.maxAge, maxBytes: settings.binlog.maxSize },
    bodies: { cacheBytes: settings.bodies.cacheBytes, memoryBytes: settings.bodies.memoryBytes, timeoutMs: settings.bodies.timeout, graceMs: settings.bodies.grace },
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
        // Reported as it is: extreme mode is on without it.
        http3: { ...listener(settings.http3), enabled: false },
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

/** Most characters of markdown that one file may become: as much as a request may bring otherwise. */
const MAX_MARKDOWN = 32 * 1024 * 1024;

function toConverter({ convert: { workers, timeout, memory } }: Settings): ConverterSettings {
  return { workers, timeoutMs: timeout, memoryMb: Math.floor(memory / 2 ** 20), maxOutput: MAX_MARKDOWN };
}

function toReplication({ replication, binlog }: Settings): ReplicationSettings {
  const { role = '', leaderAddr, nodeId, secret, retryInterval, maxLag } = replication;
  return {
    role, leaderAddr, nodeId, secret, retryMs: retryInterval, maxLagMs: maxLag,
    binlog: { enabled: binlog.enabled, path: binlog.path, maxBytes: binlog.maxSize, maxAgeMs: binlog.maxAge },
  };
}

function toAutomation({ automation: { logsTtl, ...rest } }: Settings): NonNullable<DocsSettings['automation']> {
  return { ...rest, logsTtlMs: logsTtl };
}

/** The log is beside the database, so that a restore of that leaves it alone. */
function toAudit({ audit, incident, database: { path } }: Settings): AuditSettings {
  const { enabled, retentionDays, exportBuffer, exportWebhookUrl: webhookUrl, exportWebhookHeader: webhookHeader, exportSyslogAddr: syslogAddr } = audit;
  return {
    enabled, retentionDays, exportBuffer,
    path: path === IN_MEMORY ? IN_MEMORY : `${path}.audit`,
    webhookUrl, webhookHeader, syslogAddr,
    burst: { threshold: incident.authThreshold, windowMs: incident.authWindowSec * 1000, cooldownMs: incident.authCooldownSec * 1000 },
  };
}

/** Downloaded models lie in the data folder, where the database is. */
function toEmbedding({ embedding, database: { path } }: Settings): NonNullable<DocsSettings['embedding']> {
  const { apiUrl = '', queueWait, cacheTtl, rerankBudget, chunkMode, chunkSize, ...rest } = embedding;
  const folder = path === IN_MEMORY ? 'data' : dirname(path);
  return { ...rest, apiUrl, queueWaitMs: queueWait, cacheTtlMs: cacheTtl, rerankBudgetMs: rerankBudget, cacheFolder: join(folder, 'models'), ...(chunkMode && { chunkMode }), ...(chunkSize !== undefined && { chunkSize }) };
}

function toAuth({ auth: { jwtExpiry, ...rest }, oidc }: Settings, passwordCost: number | undefined): NonNullable<DocsSettings['auth']> {
  return { ...rest, jwtExpiryMs: jwtExpiry, oidc: { ...oidc }, ...(passwordCost !== undefined && { passwordCost }) };
}
