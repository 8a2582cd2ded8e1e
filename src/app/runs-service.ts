import { resolve } from 'node:path';
import { type Operations, operations } from '../../generated/runs/operations.ts';
import { consolePages, createHttpApp, type HttpServer, type JudgeWebRequest, listenOn, nestedErrors, startHttpServer,
  usualLimits } from '../api/http/index.ts';
import { type Clock, systemClock, systemTimer, type Timer } from '../lib/clock.ts';
import { makeFolder } from '../lib/files.ts';
import type { Log } from '../lib/log.ts';
import { ConfigError } from '../lib/setting-values.ts';
import { type ClientBounds, directClients } from '../lib/slow-bodies.ts';
import { createWebGuard, ownNames, type WebGuard } from '../lib/web-guard.ts';
import { AccessWatches, createInvoker } from '../operations/index.ts';
import { readsAreOpen } from '../runs/auth/index.ts';
import { type Environment, inDataDir, LiveRunsConfig, type LoadedRunsConfig } from '../runs/config/index.ts';
import type { Authority } from '../runs/fleet/index.ts';
import { createRunQueueService, type RunQueueService } from '../runs/index.ts';
import type { Executor } from '../ship/index.ts';
import { migrate, openDatabase, openPostgres, RUN_QUEUE_MIGRATIONS, type Sql } from '../storage/index.ts';
import type { BackupSchedule } from './backups/backup-schedule.ts';
import { createRunsBackups } from './backups/runs-backups.ts';
import { Certificates } from './certificates.ts';
import { namingSetting, type Running } from './foreground.ts';
import { FleetAddresses, openAuthority, type RunningFleet, startFleet } from './runs/fleet.ts';
import { createLocalExecutor, type LocalShip, startLocalShip } from './runs/local-ship.ts';
import type { RunsMcp } from './runs/mcp.ts';
import { BUILD_VERSION, readSpecification } from './specification.ts';

/** Most bytes of a body (decisions, section 2.1). */
const MAX_BODY_BYTES = 1_048_576;
const REQUEST_LIMIT_MS = 30_000;

export interface RunsStartOptions {
  readonly loaded: LoadedRunsConfig;
  /** The environment with tokens, secrets and keys of AI roles, from which steps of the local ship inherit. */
  readonly variables: Environment;
  readonly log: Log;
  readonly clock?: Clock;
  readonly timer?: Timer;
  readonly validateResponses?: boolean;
}

export interface RunningRunQueueService extends Running {
  readonly url: string;
  /** The addresses at which ships connect and join; undefined while the fleet is off. */
  readonly fleet: { readonly address: string; readonly enrol: string } | undefined;
  readonly config: LiveRunsConfig;
  reload(): Promise<void>;
}

/** The parts, in the order in which they are started; they are stopped in reverse order. */
interface Parts {
  readonly config: LiveRunsConfig;
  readonly service: RunQueueService;
  readonly sql: Sql;
  readonly tls: Certificates | undefined;
  readonly backups: BackupSchedule | undefined;
  readonly clients: ClientBounds;
  http?: HttpServer;
  mcp?: RunsMcp;
  fleet?: RunningFleet;
  ship?: LocalShip;
}

/** Starts the run-queue service. Rejects with a readable reason if an address or the store is not available. */
export async function startRunQueueService(options: RunsStartOptions): Promise<RunningRunQueueService> {
  const { loaded, variables, log, clock = systemClock, timer = systemTimer } = options;
  const settings = loaded.config;
  const config = new LiveRunsConfig({ loaded, env: variables, log, timer });
  const addresses = new FleetAddresses(settings);
  const authority = await namingSetting('data_dir', () => {
    makeFolder(resolve(settings.data_dir), FOLDER_MODE);
    return openAuthority(settings, { clock, log });
  });
  const tls = await readCertificates(loaded, log);
  const backups = createRunsBackups(settings, { variables, version: BUILD_VERSION, clock, timer, log });
  const sql = await openStore(loaded, variables);
  let accepting = false;
  let sandbox: string = settings.local.enabled ? 'missing' : 'disabled';
  const clients = directClients(settings.requests.slow_bodies);
  const parts: Parts = {
    config,
    sql,
    tls,
    backups,
    clients,
    service: createRunQueueService({
      sql,
      clock,
      timer,
      log,
      config,
      variables,
      authority,
      addresses,
      nodeId: settings.node_id,
      version: BUILD_VERSION,
      accepting: () => accepting,
      sandbox: () => sandbox,
      backups: backups && (() => backups.report),
      serverCertificateExpiresMs: () => parts.fleet?.serverExpiresMs(),
    }),
  };
  const stop = (): Promise<void> => {
    accepting = false;
    return stopInOrder(parts, log);
  };
  try {
    // Health is served from the beginning.
    parts.http = await serveHttp(options, parts);
    await parts.service.start();
    const executor = settings.local.enabled ? await openExecutor(options, clock) : undefined;
    sandbox = (await executor?.fence)?.sandbox ?? sandbox;
    accepting = true;
    if (authority !== undefined) parts.fleet = await serveFleet(options, parts, authority, addresses, clock);
    if (executor !== undefined)
      parts.ship = startLocalShip({ service: parts.service.fleet, settings, variables, clock, log, executor });
    config.start();
    tls?.follow(timer);
    backups?.start();
  } catch (error) {
    await stop();
    throw error;
  }
  let stopping: Promise<void> | undefined;
  return {
    url: parts.http.url,
    fleet: parts.fleet && { address: addresses.fleet(), enrol: addresses.enrol() },
    config,
    reload: async () => {
      await Promise.all([config.reload(), tls?.reload()]);
    },
    stop: () => (stopping ??= stop()),
    hurry: () => parts.ship?.hurry(),
  };
}

/**
 * If the server runs as root, steps run as an unprivileged user, who must be able to traverse the folder; the folders
 * in it have restrictive modes of their own.
 */
const FOLDER_MODE = process.getuid?.() === 0 ? 0o711 : 0o700;

/** Checks at the start that steps can reach their folder; otherwise the first run would fail. */
async function openExecutor({ loaded, variables, log }: RunsStartOptions, clock: Clock): Promise<Executor> {
  const executor = createLocalExecutor({
    settings: loaded.config,
    variables,
    clock,
    log,
    configFile: loaded.readOnly ? undefined : loaded.source,
  });
  const { reason, isClosedOff = false } = await executor.fence ?? {};
  if (isClosedOff) throw new ConfigError([`data_dir: ${reason}`]);
  return executor;
}

function openDriver({ config }: LoadedRunsConfig, variables: Environment): Promise<Sql> {
  if (config.storage.driver === 'postgres') {
    const { url_env: name, pool } = config.storage.postgres;
    const url = variables[name];
    if (!url)
      throw new ConfigError([
        `storage.postgres.url_env: the variable ${name} must be set to the URL of the database, such as ` +
        'postgres://user:password@host/database',
      ]);
    return namingSetting(name, () => openPostgres({ url, pool }));
  }
  const { path, synchronous, busy_timeout: busyTimeoutMs } = config.storage.sqlite;
  return namingSetting('storage.path', () =>
    openDatabase({
      path: path === ':memory:' ? path : inDataDir(config, path),
      synced: synchronous === 'full',
      busyTimeoutMs,
    }));
}

async function openStore(loaded: LoadedRunsConfig, variables: Environment): Promise<Sql> {
  const sql = await openDriver(loaded, variables);
  try {
    await takeName(sql, loaded.config.node_id);
    await migrate(sql, RUN_QUEUE_MIGRATIONS);
    return sql;
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/** A server keeps its own ship under its name, so two servers over one store need two names. */
async function takeName({ peers, info }: Sql, nodeId: string): Promise<void> {
  if (peers === undefined || await peers.claim(`run queue ${nodeId}`)) return;
  throw new ConfigError([`node_id: another server over ${info.path} is named ${nodeId}; give each a name of its own`]);
}

async function readCertificates({ config }: LoadedRunsConfig, log: Log): Promise<Certificates | undefined> {
  const { cert, key } = config.tls;
  return cert === ''
    ? undefined
    : Certificates.open({ cert: { setting: 'tls.cert', file: cert }, key: { setting: 'tls.key', file: key } }, log);
}

async function serveHttp(
  { loaded, log, clock = systemClock, timer = systemTimer, validateResponses = false }: RunsStartOptions,
  parts: Parts,
): Promise<HttpServer> {
  const { service, config, tls, clients } = parts;
  const specification = await readSpecification('runs');
  const { handlers, preconditions, fences, guard, steps } = service;
  const watches = new AccessWatches({ onChange: (listener) => service.onAccessChange(listener), clock, timer });
  const invoke = createInvoker<Operations>({
    operations,
    inputs: specification.inputs,
    handlers,
    preconditions,
    fences,
    guard,
    steps,
    watches,
    clock,
    mode: () => 'wr',
    timeoutMs: REQUEST_LIMIT_MS,
  });
  const app = await createHttpApp<Operations>({
    title: 'Quire run-queue service',
    specification,
    operations,
    invoke,
    log,
    validateResponses,
    errors: nestedErrors,
    maxBodyBytes: MAX_BODY_BYTES,
    corsOrigins: [],
    compress: loaded.config.compress_answers,
    judge: whileReadsAreOpen(config),
    openPaths: [operations.getLiveness, operations.getReadiness, operations.getIdTokenConfiguration,
      operations.getIdTokenKeys].map(({ path }) => path),
    apiKeys: false,
    extensions: loaded.config.console ? [consolePages('runs')] : [],
  });
  if (loaded.config.mcp) {
    // Without it, its packages take no memory.
    const { createRunsMcp } = await import('./runs/mcp.ts');
    parts.mcp = createRunsMcp({
      config,
      clock,
      log,
      invoke,
      guard,
      readCredential: service.readCredential,
      follow: (check) => watches.follow(check),
      web: webGuard(config),
      maxBodyBytes: MAX_BODY_BYTES,
      compress: loaded.config.compress_answers,
    });
  }
  const rest = app.callback();
  return namingSetting('listen',
    () =>
      startHttpServer(parts.mcp?.before(rest) ?? rest, listenOn(loaded.config.listen), nestedErrors, {
        tls,
        log,
        clients,
        limits: usualLimits(loaded.config.requests.body_timeout),
      }));
}

/** Pages of other sites are rejected while reading requires no token: they would act for whoever visits them. */
function whileReadsAreOpen(config: LiveRunsConfig): JudgeWebRequest {
  const guard = webGuard(config);
  return ({ host, origin }) => (!readsAreOpen(config.current()) ? undefined : guard({ host, origin, anyHost: false }));
}

function webGuard(config: LiveRunsConfig): WebGuard {
  const { listen } = config.current().config;
  return createWebGuard({
    origins: [],
    others: 'nothing',
    names: ownNames(listen.kind === 'tcp' ? listen.host : undefined),
    remedy: () => 'configure a token (runtime.api_token_env or tokens), so that reading takes it',
  });
}

function serveFleet({ loaded, log, timer = systemTimer }: RunsStartOptions, { service: { fleet }, clients }: Parts,
  authority: Authority, addresses: FleetAddresses, clock: Clock): Promise<RunningFleet>
{
  return namingSetting('fleet', () =>
    startFleet({
      service: fleet,
      authority,
      addresses,
      clock,
      timer,
      log,
      clients,
      messageMs: loaded.config.requests.body_timeout,
    }));
}

/**
 * Stops dispatching first. The ship in this process has the grace period to finish its runs, and gives back the rest;
 * remote ships continue theirs and reconnect later. Then the protocols end, and finally the store.
 */
async function stopInOrder({ config, service, sql, tls, backups, http, mcp, fleet, ship }: Parts,
  log: Log): Promise<void>
{
  const { runtime: { shutdown_grace: grace }, queue: { cancel_grace: cancelGrace } } = config.current().config;
  log.info({ graceMs: grace }, 'stopping');
  const begun = performance.now();
  const left = (): number => Math.max(0, grace - (performance.now() - begun));
  await Promise.all([config.stop(), tls?.stop()]);
  await service.quiesce();
  // Runs that are given back have a grace period of their own to end, which is part of the total.
  await ship?.stop(Math.max(0, grace - cancelGrace));
  await service.dismiss();
  await Promise.all([mcp?.stop(left()), http?.stop(left()), fleet?.stop(left())]);
  await backups?.stop();
  await service.stop();
  await sql.close();
  log.info({}, 'stopped');
}
