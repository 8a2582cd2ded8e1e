import { dirname } from 'node:path';
import type { Operations } from '../../generated/runs/operations.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Timer } from '../lib/timer.ts';
import type { Guard, Handlers, Preconditions, Steps } from '../operations/index.ts';
import type { Sql } from '../storage/index.ts';
import { createAlerts, projectOf } from './alerts/index.ts';
import { createArtifacts } from './artifacts/index.ts';
import { type Audit, createAuditLog } from './audit/index.ts';
import { createGuard, type FenceDeps, fencePreconditions, projectFences } from './auth/index.ts';
import { createBadges } from './badges/index.ts';
import { Caches, createCacheHandlers } from './caches/index.ts';
import { type Environment, inDataDir, type LiveRunsConfig } from './config/index.ts';
import { openContents } from './contents/index.ts';
import type { RunsEnvironment } from './environment.ts';
import { type Authority, createFleet, type FleetDeps, type FleetService, Roster } from './fleet/index.ts';
import { createRunLogs, DiskRoom } from './logs/index.ts';
import { type BackupNumbers, createMetrics, createRecorder } from './metrics/index.ts';
import { createNotifications, totalWaiting } from './notifications/index.ts';
import { createProjects } from './projects/index.ts';
import { createQueue } from './queue/index.ts';
import { createRuns, logRunChange, RunTraces } from './runs/index.ts';
import { createScheduleHandlers, createSchedules } from './schedules/index.ts';
import { storeStep } from './storage-failures.ts';
import { createSystem } from './system/index.ts';

export interface RunQueueOptions {
  /** A migrated store. */
  readonly sql: Sql;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly config: LiveRunsConfig;
  /** Environment variables with tokens and secrets. */
  readonly variables: Environment;
  readonly version: string;
  /** False while the service starts, and from the moment it is told to stop. */
  readonly accepting: () => boolean;
  /** Isolation of the steps that run in this process: a sandbox, `missing`, or `disabled` if none run here. */
  readonly sandbox: () => string;
  /** Undefined while the fleet is off. */
  readonly authority: Authority | undefined;
  readonly addresses: FleetDeps['addresses'];
  /** State of the scheduled backups; absent: there are no metrics of them. */
  readonly backups?: (() => BackupNumbers | undefined) | undefined;
  /** When the certificate of the fleet's server expires, in milliseconds since 1970; undefined without one. */
  readonly serverCertificateExpiresMs: () => number | undefined;
}

/** The run-queue service without its protocols. */
export interface RunQueueService {
  readonly handlers: Handlers<Operations>;
  readonly preconditions: Preconditions<Operations>;
  /** What is checked again while a file or a stream is sent. */
  readonly fences: Preconditions<Operations>;
  readonly guard: Guard;
  /** What this service adds to the pipeline of its calls. */
  readonly steps: Pick<Steps, 'store'>;
  /** The interface for the transport of ships' messages. */
  readonly fleet: FleetService;
  /** Starts assigning runs, monitoring them and queueing scheduled ones. */
  start(): Promise<void>;
  /** Stops queueing and assigning runs, and ends live logs; reports of ships are still accepted. */
  quiesce(): Promise<void>;
  /** Disconnects ships, which come back later. */
  dismiss(): Promise<void>;
  /** Closes everything that is still open. */
  stop(): Promise<void>;
}

export function createRunQueueService(options: RunQueueOptions): RunQueueService {
  const { sql, config, accepting, version, variables } = options;
  const env: RunsEnvironment = { ...options, nodeId: config.current().config.node_id };
  const recorder = createRecorder(options.clock);
  const audit = createAuditLog(env);
  const logs = createRunLogs({
    env,
    room: diskRoom(env),
    dropped: recorder.logEventsDropped,
  });
  const roster = new Roster(env, options.authority);
  const keyVariableAvailable = (name: string): boolean => roster.hasKeyVariable(name);
  const queue = createQueue({
    env,
    note: logs.note,
    lines: logs.lines,
    knowsShip: (selectors) => roster.hasLabels(selectors),
    onHandedOut: recorder.claimed,
    onStoreFailure: recorder.storageFailed,
    onSuperseded: (tx, runId, by) => audit.record(tx, 'system', 'cancel', runId, { superseded_by: by }),
  });
  const artifacts = createArtifacts({
    env,
    queue,
    store: openContents(env, config.current().config, 'artifacts', variables),
    received: recorder.artifactReceived,
  });
  const caches = config.current().config.caches.store === 'ships' ? undefined : new Caches({
    env,
    queue,
    store: openContents(env, config.current().config, 'caches', variables),
    events: recorder.caches,
  });
  const fleet = createFleet(env, {
    ...options,
    queue,
    roster,
    logs,
    audit,
    caches,
    artifacts: { ...artifacts.receiver, ...artifacts.sender },
    secretValue: (name) => secretValue(options, name),
    fencedWrite: recorder.fencedWrite,
    linesLost: recorder.logEventsDropped,
  });
  const metrics = createMetrics(env, {
    recorder,
    queue,
    logs,
    artifacts,
    caches,
    fleet: () => fleet.numbers(),
    waitingNotifications: () => totalWaiting(sql),
    backups: options.backups,
  });
  const traces = new RunTraces(options.clock);
  const runs = createRuns(env, { queue, audit, keyVariableAvailable, logsAreFull: logs.areFull });
  const notifications = createNotifications(env, {
    variables,
    audit,
    present: runs.present,
    onOutcome: recorder.notified,
  });
  queue.onChanging(notifications.notify);
  const schedules = createSchedules({ env, queue, enqueueOnce: runs.enqueueOnce, onSlot: recorder.slotDue });
  const scheduled = createScheduleHandlers(env, { ...runs, queue, audit });
  const alerts = createAlerts(env, { ...runs, onReceived: recorder.alertReceived });
  const projects = createProjects({
    env,
    config,
    variables,
    audit,
    nextRuns: schedules.nextRuns,
    keyVariableAvailable,
  });
  const system = createSystem({
    version,
    accepting,
    sandbox: options.sandbox,
    checks: { storage: () => sql.healthy(), config: () => true, ...(options.authority && { fleet: () => true }) },
  });

  const fence: FenceDeps = {
    runOf: (id) => queue.get(id),
    projectOfAlerts: (labels) => projectOf(labels, config.current().config),
  };
  const handlers = {
    ...runs.handlers,
    ...logs.operations(queue, audit),
    ...projects.handlers,
    ...fleet.handlers,
    ...alerts.handlers,
    ...audit.handlers,
    ...scheduled.handlers,
    ...notifications.handlers,
    ...artifacts.handlers,
    ...createCacheHandlers({ env, audit, caches }),
    ...createBadges(env).handlers,
    ...metrics.handlers,
    ...system.handlers,
  };
  const ended = [config.onAttempt((outcome) => {
    recorder.configReloaded(outcome !== 'refused');
    if (outcome === 'loaded') void noteReload(env, audit);
  }), queue.onChange((change) => void (change.isRemote ?? traces.changed(change))),
    queue.onChange((change) => void (change.isRemote ?? logRunChange(env.log, change))),
    queue.onChange((change) => void (change.isRemote ?? recorder.runChanged(change)))];
  return {
    handlers,
    preconditions: fencePreconditions({
      ...runs.preconditions,
      ...projects.preconditions,
      ...scheduled.preconditions,
    }, fence),
    fences: projectFences(fence),
    guard: createGuard(config, env.clock),
    steps: { store: storeStep({ accepting, onFailure: recorder.storageFailed }) },
    fleet: fleet.service,
    async start() {
      await roster.start();
      await logs.start();
      await artifacts.start();
      await caches?.start();
      fleet.start();
      await queue.start();
      runs.start();
      await notifications.start();
      schedules.start();
    },
    async quiesce() {
      await schedules.stop();
      await queue.stop();
      await logs.stop();
    },
    dismiss: () => fleet.stop(),
    async stop() {
      for (const end of ended) end();
      await Promise.all([runs.stop(), notifications.stop()]);
      await artifacts.stop();
      await caches?.stop();
    },
  };
}

/** Undefined for a store in memory, and for a store on a database server. */
function diskRoom({ config, log, sql }: RunsEnvironment): DiskRoom | undefined {
  const settings = config.current().config;
  if (sql.info.driver === 'postgres') return undefined;
  const { path } = settings.storage.sqlite;
  if (path === ':memory:') return undefined;
  return new DiskRoom({
    folder: dirname(inDataDir(settings, path)),
    reserve: () => config.current().config.storage.reserve,
    now: () => performance.now(),
    log,
  });
}

/** The current value in the environment; the configuration names the variable. */
function secretValue({ config, variables }: RunQueueOptions, name: string): string | undefined {
  const secret = config.current().config.secrets.find((each) => each.name === name);
  // An empty value counts as unset, because masking could not find it.
  return (secret && variables[secret.env]) || undefined;
}

async function noteReload({ sql, log, config }: RunsEnvironment, audit: Audit): Promise<void> {
  const { source, hash } = config.current();
  try {
    await sql.transaction((tx) => audit.record(tx, 'system', 'reload', source, { hash }));
  } catch (error) {
    log.error({ err: error }, 'a reload of the configuration could not be noted in the audit log');
  }
}
