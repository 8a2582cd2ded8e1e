import { definer } from '../lib/areas.ts';
import { createAlerts } from './alerts/index.ts';
import type { Area, RunQueueEnvironment, Stopping } from './area.ts';
import { Artifacts } from './artifacts/index.ts';
import { type AuditLog, createAuditLog } from './audit/index.ts';
import { createBadges } from './badges/index.ts';
import { Caches, createCacheHandlers } from './caches/index.ts';
import { openContents } from './contents/index.ts';
import { createFleet, type Fleet, Roster } from './fleet/index.ts';
import { createForge, createForgeApis, type Forge, type ForgeApis, Repositories } from './forge/index.ts';
import { createIdTokens, type IdTokens } from './id-tokens/index.ts';
import { createLogSearch, createRunLogs, diskRoomOf, type RunLogsService } from './logs/index.ts';
import { createMetrics, createRecorder, type Recorder } from './metrics/index.ts';
import { createNotifications, totalWaiting } from './notifications/index.ts';
import { observe } from './observe.ts';
import { People } from './people/index.ts';
import { createProjects } from './projects/index.ts';
import { createQueue, type Queue } from './queue/index.ts';
import type { Claim } from './queue/port.ts';
import { placesOf, Reports, routeUploads } from './reports/index.ts';
import { createRuns, type Runs } from './runs/index.ts';
import { createScheduleHandlers, createSchedules, type Schedules } from './schedules/index.ts';
import { eventOf, Secrets } from './secrets/index.ts';
import { createStatuses, type Statuses } from './statuses/index.ts';
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
  readonly forgeApis: ForgeApis & Area;
  readonly idTokens: IdTokens;
  readonly logOperations: Area;
  readonly logs: RunLogsService;
  readonly metrics: Area;
  readonly notifications: Area;
  readonly observers: Area;
  readonly people: People;
  readonly projects: Area;
  readonly queue: Queue;
  readonly recorder: Recorder;
  readonly reports: Reports;
  readonly repositories: Repositories;
  readonly roster: Roster;
  readonly runs: Runs;
  readonly schedules: Schedules;
  readonly secrets: Area & {
    readonly valuesFor: (claim: Claim) => Promise<ReadonlyMap<string, string>>;
    readonly valueOf: (name: string) => Promise<string | undefined>;
  };
  readonly statuses: Statuses;
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
      nameShip: (id) => roster.describe(id),
      onHandedOut: recorder.claimed,
      onStoreFailure: recorder.storageFailed,
      onSuperseded: (tx, runId, by) => audit.record(tx, 'system', 'cancel', runId, { superseded_by: by }),
    }), { stopsIn: 'quiesce' }),
  area('observers', ['queue', 'audit', 'recorder'], observe),
  area('logOperations', ['logs', 'queue', 'audit'], (env, { logs, queue, audit }) => ({
    handlers: { ...logs.operations(queue, audit), ...createLogSearch({ sql: env.sql, queue }) },
  })),
  area('artifacts', ['queue', 'recorder'], (env, { queue, recorder }) =>
    new Artifacts({
      env,
      queue,
      store: openContents(env, env.config.current().config, 'artifacts', env.variables),
      received: recorder.artifactReceived,
    })),
  area('reports', ['queue'], (env, { queue }) => new Reports({ env, queue })),
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
  area('idTokens', [], createIdTokens),
  area('secrets', ['queue', 'idTokens'], (env, { queue, idTokens }) => {
    const secrets = new Secrets(env, { variables: env.variables, queue });
    return {
      valueOf: (name) => secrets.valueOf(name),
      async valuesFor(claim) {
        const event = (): ReturnType<typeof eventOf> => eventOf(claim.run, (id) => queue.get(id));
        const [values, tokens] = await Promise.all([secrets.valuesFor(claim), idTokens.tokensFor(claim, event)]);
        return new Map([...values, ...tokens]);
      },
      stop: () => secrets.close(),
    };
  }),
  area('fleet', ['queue', 'logs', 'audit', 'roster', 'artifacts', 'reports', 'caches', 'recorder', 'secrets'],
    (env, { artifacts, reports, caches, recorder, secrets, ...needs }) =>
      createFleet(env, {
        ...needs,
        authority: env.authority,
        addresses: env.addresses,
        serverCertificateExpiresMs: env.serverCertificateExpiresMs,
        caches: caches.shared,
        artifacts: routeUploads(artifacts, reports),
        secretsFor: (claim) => secrets.valuesFor(claim),
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
  area('repositories', ['secrets'], (env, { secrets }) =>
    new Repositories({
      config: env.config,
      variables: env.variables,
      secretValue: secrets.valueOf,
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
  area('forgeApis', ['secrets'], (env, { secrets }) => {
    const { close, ...apis } = createForgeApis(env, secrets.valueOf);
    return { ...apis, stop: close };
  }),
  area('statuses', ['queue', 'runs', 'forgeApis', 'secrets'], (env, { queue, runs, forgeApis, secrets }) => {
    const { enqueueOnce } = runs;
    const annotationsOf = (runId: string) => placesOf(env.sql.background, queue, runId);
    const statuses = createStatuses({
      env,
      queue,
      apis: forgeApis,
      enqueueOnce,
      annotationsOf,
      secretValue: secrets.valueOf,
    });
    queue.onChanging(statuses.changing);
    return statuses;
  }, { stopsIn: 'quiesce' }),
  area('schedules', ['queue', 'audit', 'runs', 'recorder', 'repositories'],
    (env, { queue, audit, runs, recorder, repositories }) => {
      const { enqueueOnce } = runs;
      const schedules = createSchedules({ env, queue, repositories, enqueueOnce, onSlot: recorder.slotDue });
      return {
        ...schedules,
        ...createScheduleHandlers(env, { ...runs, queue, audit, requestOf: schedules.requestOf }),
      };
    }, { stopsIn: 'quiesce' }),
  area('forge', ['audit', 'runs', 'repositories', 'forgeApis', 'statuses', 'secrets'],
    (env, { forgeApis, statuses, secrets, ...needs }) => {
      const forge = createForge({ env, ...needs, apis: forgeApis, secretValue: secrets.valueOf });
      forge.onEvent(statuses.onEvent);
      forge.onRejected(statuses.reject);
      return forge;
    }, { stopsIn: 'quiesce' }),
  area('alerts', ['runs', 'recorder'],
    (env, { runs, recorder }) => createAlerts(env, { ...runs, onReceived: recorder.alertReceived })),
  area('people', ['audit'], (env, { audit }) => new People(env, { audit, variables: env.variables })),
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
