import { definer } from '../lib/areas.ts';
import { createAlerts } from './alerts/index.ts';
import type { Area, RunQueueEnvironment, Stopping } from './area.ts';
import { Artifacts } from './artifacts/index.ts';
import { type AuditLog, createAuditLog } from './audit/index.ts';
import { createBadges } from './badges/index.ts';
import { Caches, createCacheHandlers } from './caches/index.ts';
import { openContents } from './contents/index.ts';
import { createFleet, type Fleet, Roster } from './fleet/index.ts';
import { createForge, type Forge, Repositories } from './forge/index.ts';
import { createRunLogs, diskRoomOf, type RunLogsService } from './logs/index.ts';
import { createMetrics, createRecorder, type Recorder } from './metrics/index.ts';
import { createNotifications, totalWaiting } from './notifications/index.ts';
import { observe } from './observe.ts';
import { createProjects } from './projects/index.ts';
import { createQueue, type Queue } from './queue/index.ts';
import { createRuns, type Runs } from './runs/index.ts';
import { createScheduleHandlers, createSchedules, type Schedules } from './schedules/index.ts';
import { createSystem } from './system/index.ts';

/** What areas offer each other, by the names of the areas. */
export interface Areas {
  readonly alerts: Area;
  readonly artifacts: Artifacts;
  readonly audit: AuditLog;
  readonly badges: Area;
  /** `shared` is undefined if ships have caches of their own only. */
  readonly caches: { readonly shared: Caches | undefined };
  readonly fleet: Fleet;
  readonly forge: Forge;
  readonly logOperations: Area;
  readonly logs: RunLogsService;
  readonly metrics: Area;
  readonly notifications: Area;
  readonly observers: Area;
  readonly projects: Area;
  readonly queue: Queue;
  readonly recorder: Recorder;
  readonly repositories: Repositories;
  readonly roster: Roster;
  readonly runs: Runs;
  readonly schedules: Schedules;
  readonly system: Area;
}

const area = definer<Areas, Area, RunQueueEnvironment, unknown, Stopping>();

/** In the order in which they start, as far as what they need allows; they stop in the opposite order. */
export const AREAS = [
  area('recorder', [], ({ clock }) => createRecorder(clock)),
  area('audit', [], createAuditLog),
  area('logs', ['recorder'],
    (env, { recorder }) => createRunLogs({ env, room: diskRoomOf(env), dropped: recorder.logEventsDropped }), {
    stopsIn: 'quiesce',
  }),
  area('roster', [], (env) => new Roster(env, env.authority)),
  area('queue', ['logs', 'roster', 'audit', 'recorder'], (env, { logs, roster, audit, recorder }) =>
    createQueue({
      env,
      note: logs.note,
      lines: logs.lines,
      knowsShip: (selectors) => roster.hasLabels(selectors),
      onHandedOut: recorder.claimed,
      onStoreFailure: recorder.storageFailed,
      onSuperseded: (tx, runId, by) => audit.record(tx, 'system', 'cancel', runId, { superseded_by: by }),
    }), { stopsIn: 'quiesce' }),
  area('observers', ['queue', 'audit', 'recorder'], observe),
  area('logOperations', ['logs', 'queue', 'audit'],
    (_env, { logs, queue, audit }) => ({ handlers: logs.operations(queue, audit) })),
  area('artifacts', ['queue', 'recorder'], (env, { queue, recorder }) =>
    new Artifacts({
      env,
      queue,
      store: openContents(env, env.config.current().config, 'artifacts', env.variables),
      received: recorder.artifactReceived,
    })),
  area('caches', ['queue', 'audit', 'recorder'], (env, { queue, audit, recorder }) => {
    const { config } = env.config.current();
    const shared = config.caches.store === 'ships' ? undefined : new Caches({
      env,
      queue,
      store: openContents(env, config, 'caches', env.variables),
      events: recorder.caches,
    });
    return {
      shared,
      handlers: createCacheHandlers({ env, audit, caches: shared }),
      start: () => shared?.start(),
      stop: () => shared?.stop(),
    };
  }),
  area('fleet', ['queue', 'logs', 'audit', 'roster', 'artifacts', 'caches', 'recorder'],
    (env, { artifacts, caches, recorder, ...needs }) =>
      createFleet(env, {
        ...needs,
        authority: env.authority,
        addresses: env.addresses,
        serverCertificateExpiresMs: env.serverCertificateExpiresMs,
        caches: caches.shared,
        artifacts,
        secretValue: (name) => secretValue(env, name),
        fencedWrite: recorder.fencedWrite,
        linesLost: recorder.logEventsDropped,
      }), { stopsIn: 'dismiss' }),
  area('metrics', ['queue', 'logs', 'artifacts', 'caches', 'fleet', 'recorder'],
    (env, { caches, fleet, ...needs }) =>
      createMetrics(env, {
        ...needs,
        caches: caches.shared,
        fleet: () => fleet.numbers(),
        waitingNotifications: () => totalWaiting(env.sql),
        backups: env.backups,
      })),
  area('repositories', [], (env) =>
    new Repositories({
      config: env.config,
      variables: env.variables,
      secretValue: (name) => secretValue(env, name),
    })),
  area('runs', ['queue', 'audit', 'roster', 'logs', 'repositories'],
    (env, { roster, logs, ...needs }) =>
      createRuns(env, {
        ...needs,
        keyVariableAvailable: (name) => roster.hasKeyVariable(name),
        logsAreFull: logs.areFull,
      })),
  area('notifications', ['queue', 'audit', 'runs', 'recorder'], (env, { queue, audit, runs, recorder }) => {
    const { variables } = env;
    const notifications = createNotifications(env, {
      variables,
      audit,
      present: runs.present,
      onOutcome: recorder.notified,
    });
    queue.onChanging(notifications.notify);
    return notifications;
  }),
  area('schedules', ['queue', 'audit', 'runs', 'recorder'], (env, { queue, audit, runs, recorder }) => ({
    ...createSchedules({ env, queue, enqueueOnce: runs.enqueueOnce, onSlot: recorder.slotDue }),
    ...createScheduleHandlers(env, { ...runs, queue, audit }),
  }), { stopsIn: 'quiesce' }),
  area('forge', ['audit', 'runs', 'repositories'], (env, needs) =>
    createForge({
      env,
      ...needs,
      apis: { apiOf: () => undefined },
      secretValue: (name) => secretValue(env, name),
    }), { stopsIn: 'quiesce' }),
  area('alerts', ['runs', 'recorder'],
    (env, { runs, recorder }) => createAlerts(env, { ...runs, onReceived: recorder.alertReceived })),
  area('projects', ['audit', 'roster', 'schedules'], (env, { audit, roster, schedules }) =>
    createProjects({
      env,
      config: env.config,
      variables: env.variables,
      audit,
      nextRuns: schedules.nextRuns,
      keyVariableAvailable: (name) => roster.hasKeyVariable(name),
    })),
  area('badges', [], createBadges),
  area('system', [], ({ version, accepting, sandbox, sql, authority }) =>
    createSystem({
      version,
      accepting,
      sandbox,
      checks: { storage: () => sql.healthy(), config: () => true, fleet: authority && (() => true) },
    })),
];

/** The current value in the environment; the configuration names the variable. */
function secretValue({ config, variables }: RunQueueEnvironment, name: string): string | undefined {
  const secret = config.current().config.secrets.find((each) => each.name === name);
  // An empty value counts as unset, because masking could not find it.
  return (secret && variables[secret.env]) || undefined;
}
