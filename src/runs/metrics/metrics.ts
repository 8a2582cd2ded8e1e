import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { cached } from '../../lib/caches.ts';
import { roundsMetric } from '../../lib/loop.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { Caches } from '../caches/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { RunLogs } from '../logs/port.ts';
import type { Queue } from '../queue/port.ts';
import type { Recorder } from './recorder.ts';

type MetricsHandlers = Required<Pick<Handlers<Operations>, 'getMetrics'>>;

/** The current state of the fleet. */
export interface FleetNumbers {
  readonly ships: readonly { readonly status: 'online' | 'offline' | 'draining' | 'revoked'; readonly count: number }[];
  /** Slots of the connected ships, including the ship in this process. */
  readonly slots: readonly { readonly status: 'busy' | 'free'; readonly count: number }[];
  /** Certificates of this server; ships are not included, because there may be thousands of them. */
  readonly certificates: readonly { readonly subject: string; readonly expiresMs: number }[];
}

/** State of the scheduled backups; absent values are unknown or do not exist yet. */
export interface BackupNumbers {
  /** Seconds since 1970. */
  readonly lastGoodAt?: number;
  readonly lastDurationSeconds?: number;
  readonly lastSizeBytes?: number;
  readonly counts: { readonly ok: number; readonly failed: number };
}

interface MetricsDeps {
  readonly recorder: Pick<Recorder, 'registry'>;
  readonly queue: Pick<Queue, 'numbers'>;
  readonly logs: Pick<RunLogs, 'totalBytes'>;
  readonly artifacts?: Pick<Artifacts, 'totalBytes'>;
  /** Absent while the service keeps no caches. */
  readonly caches?: Pick<Caches, 'totals'> | undefined;
  readonly fleet: () => FleetNumbers | Promise<FleetNumbers>;
  /** Returns the state of the scheduled backups; undefined without a schedule. */
  readonly backups?: (() => BackupNumbers | undefined) | undefined;
  /** Notifications that no webhook has accepted yet. */
  readonly waitingNotifications?: () => Promise<number>;
}

/** Counting runs reads many rows, and scrapers come often. */
const CACHE_MS = 5000;

/** The metrics of the run-queue service (decisions, section 2.9). No label names a run or a project. */
export function createMetrics(env: RunsEnvironment, deps: MetricsDeps): { readonly handlers: MetricsHandlers } {
  const { registry } = deps.recorder;
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  registerNumbers(registers, env, deps);
  new Counter({ ...roundsMetric('quire_loop_rounds_total'), registers });
  if (deps.backups !== undefined) registerBackups(registers, env, deps.backups);
  return {
    handlers: {
      async getMetrics() {
        if (!env.config.current().config.metrics.enabled) throw new ServiceError('not_found', 'metrics are off');
        return { contentType: registry.contentType, content: await registry.metrics() };
      },
    },
  };
}

function registerNumbers(registers: Registry[], env: RunsEnvironment,
  { queue, logs, artifacts, caches, fleet, waitingNotifications = async () => 0 }: MetricsDeps): void
{
  const numbers = whereAvailable(env, 'numbers of the queue', cached(() => queue.numbers(), CACHE_MS, env.clock));
  const ships = whereAvailable(env, 'numbers of the fleet', async () => fleet());
  const gauge = gaugesOf(registers);
  gauge('quire_runs', 'Runs by state and kind.', ['state', 'kind'],
    async () => (await numbers())?.runs.map(({ state, kind, count }) => [{ state, kind }, count]));
  gauge('quire_oldest_queued_seconds', 'Age of the oldest queued run, by why it waits (`waiting_reason` of a run).', [
    'reason',
  ], async () => (await numbers())?.oldestQueuedSeconds.map(({ reason, seconds }) => [{ reason }, seconds]));
  gauge('quire_ships', 'Ships.', ['status'],
    async () => (await ships())?.ships.map(({ status, count }) => [{ status }, count]));
  gauge('quire_ship_slots', 'Places for runs on connected ships.', ['status'],
    async () => (await ships())?.slots.map(({ status, count }) => [{ status }, count]));
  gauge('quire_cert_expiry_seconds', 'Seconds until a certificate of the server expires.', ['subject'],
    async () =>
      (await ships())?.certificates.map((
        { subject, expiresMs },
      ) => [{ subject }, (expiresMs - env.clock.now()) / 1000]));
  const waiting = whereAvailable(env, 'numbers of notifications', waitingNotifications);
  gauge('quire_notifications_waiting', 'Notifications that were not accepted yet.', [], async () => {
    const count = await waiting();
    return count === undefined ? undefined : [[{}, count]];
  });
  gauge('quire_log_bytes', 'Bytes of stored logs.', [], async () => [[{}, logs.totalBytes()]]);
  const artifactBytes = whereAvailable(env, 'the total of artefacts', async () => artifacts?.totalBytes() ?? 0);
  gauge('quire_artifact_bytes', 'Bytes of artefacts that are kept.', [], async () => {
    const bytes = await artifactBytes();
    return bytes === undefined ? undefined : [[{}, bytes]];
  });
  const totals = whereAvailable(env, 'numbers of the caches',
    cached(async () => caches?.totals() ?? { caches: 0, bytes: 0 }, CACHE_MS, env.clock));
  gauge('quire_caches', 'Caches of steps that are kept for all ships.', [], async () => {
    const found = await totals();
    return found && [[{}, found.caches]];
  });
  gauge('quire_cache_bytes', 'Bytes of these caches.', [], async () => {
    const found = await totals();
    return found && [[{}, found.bytes]];
  });
}

function registerBackups(registers: Registry[], { clock }: RunsEnvironment,
  report: () => BackupNumbers | undefined): void
{
  const gauge = (name: string, help: string, value: (numbers: BackupNumbers) => number | undefined): void => {
    gaugesOf(registers)(name, help, [], async () => {
      const numbers = report();
      const known = numbers && value(numbers);
      return known === undefined ? undefined : [[{}, known]];
    });
  };
  gauge('quire_backup_age_seconds', 'Age of the last scheduled backup that was verified.',
    ({ lastGoodAt }) => (lastGoodAt === undefined ? undefined : clock.now() / 1000 - lastGoodAt));
  gauge('quire_backup_duration_seconds', 'Time that it took, its copy included.',
    ({ lastDurationSeconds }) => lastDurationSeconds);
  gauge('quire_backup_size_bytes', 'Its size.', ({ lastSizeBytes }) => lastSizeBytes);
  new Counter({
    name: 'quire_backups_total',
    help: 'Scheduled backups by outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(report()?.counts ?? {})) this.inc({ outcome }, count);
    },
  });
}

/** If a gauge cannot be read it is left out, so that the metrics that report the failure remain. */
function whereAvailable<T>({ log }: RunsEnvironment, what: string,
  read: () => Promise<T>): () => Promise<T | undefined>
{
  return () =>
    read().catch((error: unknown) => {
      log.warn({ err: error }, `${what} are not available`);
      return undefined;
    });
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

function gaugesOf(
  registers: Registry[],
): (name: string, help: string, labelNames: readonly string[],
  read: () => Promise<readonly Sample[] | undefined>) => void
{
  return (name, help, labelNames, read) =>
    void new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers,
      async collect() {
        const samples = await read();
        this.reset();
        for (const [labels, value] of samples ?? []) this.set(labels, value);
      },
    });
}
