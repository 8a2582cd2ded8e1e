import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../../lib/clock.ts';
import type { AlertResult } from '../alerts/index.ts';
import type { Received } from '../artifacts/port.ts';
import type { CacheEvents } from '../caches/port.ts';
import type { RunChange, RunRecord } from '../queue/port.ts';
import type { SlotResult } from '../schedules/index.ts';

/** Receives what the other areas report as it happens (decisions, section 2.9). No function throws. */
export interface Recorder {
  /** Where its metrics are registered. */
  readonly registry: Registry;
  /** Pass this to `queue.onChange`. */
  runChanged(change: RunChange): void;
  /** A ship that no longer held its run tried to write to it; `rpc`: the call of the fleet protocol. */
  fencedWrite(rpc: string): void;
  /** How long it took to assign a batch of runs. */
  claimed(seconds: number): void;
  /** Log lines above a budget, or lost on the way. */
  logEventsDropped(count: number): void;
  artifactReceived(status: Received['status']): void;
  readonly caches: CacheEvents;
  storageFailed(): void;
  configReloaded(isLoaded: boolean): void;
  alertReceived(result: AlertResult): void;
  slotDue(result: SlotResult): void;
  /** `failed` counts attempts, `dead` notifications that were given up. */
  notified(outcome: 'delivered' | 'failed' | 'dead', count: number): void;
}

/** Bounds, in seconds, for how long runs wait or take: from at once to a day. */
const RUN_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 1800, 3600, 14_400, 86_400];

const CLAIM_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

const RESULTS: readonly AlertResult[] = ['queued', 'repeated', 'resolved', 'unmapped', 'unavailable', 'failed'];

export function createRecorder(clock: Clock): Recorder {
  const registry = new Registry();
  const registers = [registry];
  const fenced = new Counter({
    name: 'quire_fenced_writes_total',
    help: 'Writes of ships that no longer held their run.',
    labelNames: ['rpc'],
    registers,
  });
  const claim = new Histogram({
    name: 'quire_claim_seconds',
    help: 'Time to assign a batch of runs.',
    buckets: CLAIM_BUCKETS,
    registers,
  });
  const dropped = new Counter({
    name: 'quire_log_dropped_events_total',
    help: 'Lines of logs that were dropped.',
    registers,
  });
  const artifacts = new Counter({
    name: 'quire_artifacts_received_total',
    help: 'Files of steps that ships have sent, by what became of them.',
    labelNames: ['status'],
    registers,
  });
  const saved = new Counter({
    name: 'quire_caches_received_total',
    help: 'Caches of steps that ships have sent, by what became of them.',
    labelNames: ['status'],
    registers,
  });
  const asked = new Counter({
    name: 'quire_cache_requests_total',
    help: 'Caches that ships have asked for: `hit` by the key, `restored` by a restore key, `miss`.',
    labelNames: ['result'],
    registers,
  });
  const evicted = new Counter({
    name: 'quire_caches_evicted_total',
    help: 'Caches that were removed: `budget` to make room, `unused` after their retention.',
    labelNames: ['reason'],
    registers,
  });
  const failures = new Counter({ name: 'quire_storage_errors_total', help: 'Failures of the store.', registers });
  const reload = new Gauge({
    name: 'quire_config_reload_success',
    help: 'Whether the latest configuration that was found could be loaded.',
    registers,
  });
  const alerts = new Counter({
    name: 'quire_alerts_received_total',
    help: 'Notifications of Alertmanager, by what became of them.',
    labelNames: ['result'],
    registers,
  });
  const slots = new Counter({
    name: 'quire_schedule_slots_total',
    help: 'Times of schedules that were due, by what became of them; `held` counts each look while the run before is ' +
      'unfinished.',
    labelNames: ['result'],
    registers,
  });
  const notifications = new Counter({
    name: 'quire_notifications_total',
    help: 'Notifications by outcome: `failed` counts attempts.',
    labelNames: ['outcome'],
    registers,
  });
  reload.set(1); // the configuration of the start was loaded
  for (const result of RESULTS) alerts.inc({ result }, 0);
  return {
    registry,
    runChanged: registerRuns(registers, clock),
    fencedWrite: (rpc) => fenced.inc({ rpc }),
    claimed: (seconds) => claim.observe(seconds),
    logEventsDropped: (count) => dropped.inc(count),
    artifactReceived: (status) => artifacts.inc({ status }),
    caches: {
      received: (status) => saved.inc({ status }),
      asked: (result) => asked.inc({ result }),
      evicted: (reason, count) => evicted.inc({ reason }, count),
    },
    storageFailed: () => failures.inc(),
    configReloaded: (isLoaded) => reload.set(isLoaded ? 1 : 0),
    alertReceived: (result) => alerts.inc({ result }),
    slotDue: (result) => slots.inc({ result }),
    notified: (outcome, count) => notifications.inc({ outcome }, count),
  };
}

function registerRuns(registers: Registry[], clock: Clock): (change: RunChange) => void {
  const enqueued = new Counter({
    name: 'quire_runs_enqueued_total',
    help: 'Runs queued.',
    labelNames: ['kind', 'source'],
    registers,
  });
  const finished = new Counter({
    name: 'quire_runs_finished_total',
    help: 'Runs that reached a terminal state; the code is that of a failure.',
    labelNames: ['kind', 'outcome', 'code'],
    registers,
  });
  const waited = new Histogram({
    name: 'quire_run_queue_seconds',
    help: 'Time from queueing to the first start.',
    buckets: RUN_BUCKETS,
    registers,
  });
  const took = new Histogram({
    name: 'quire_run_duration_seconds',
    help: 'Time of the last attempt of finished runs.',
    labelNames: ['kind'],
    buckets: RUN_BUCKETS,
    registers,
  });
  const attempts = new Counter({
    name: 'quire_run_attempts_total',
    help: 'Attempts, by what led to them: first, or how the one before ended.',
    labelNames: ['reason'],
    registers,
  });
  const lost = new Counter({
    name: 'quire_leases_lost_total',
    help: 'Runs taken from ships that gave no sign of life.',
    registers,
  });
  const started = new StartTimes(clock);
  return ({ run, from, reason }) => {
    if (run.cells > 0) return; // its cells are counted instead
    if (reason === 'lease_lost') lost.inc();
    if (from === null) {
      enqueued.inc({ kind: run.kind, source: run.source });
      attempts.inc({ reason: 'first' });
    } else if (run.state === 'queued') {
      started.forget(run);
      // The same attempt assigned again, to another ship, is not a new wait.
      if (run.availableMs > 0 && reason !== 'approval') attempts.inc({ reason: reason ?? 'unknown' });
    } else if (run.state === 'running') {
      started.note(run);
      if (run.attempt === 1 && run.part === 0) waited.observe(Math.max(0, (clock.now() - createdMs(run)) / 1000));
    } else if (run.state !== 'cancelling') {
      finished.inc({ kind: run.kind, outcome: run.state, code: run.error?.code ?? '' });
      const seconds = started.secondsOf(run);
      if (seconds !== undefined) took.observe({ kind: run.kind }, seconds);
    }
  };
}

/** The time of creation is in the first 48 bits of an id (RFC 9562, UUIDv7), in milliseconds. */
function createdMs({ id }: RunRecord): number {
  return Number.parseInt(id.slice(0, 12), 16);
}

/** Start times of attempts: runs store them in seconds only, and many take less than one. */
class StartTimes {
  readonly #clock: Clock;
  readonly #byRun = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ id }: RunRecord): void {
    this.#byRun.set(id, this.#clock.now());
  }

  forget({ id }: RunRecord): void {
    this.#byRun.delete(id);
  }

  /** Undefined for a run that never started. Start times before the start of this process are known in seconds. */
  secondsOf(run: RunRecord): number | undefined {
    const since = this.#byRun.get(run.id) ?? (run.startedAt === null ? undefined : run.startedAt * 1000);
    this.forget(run);
    return since === undefined ? undefined : Math.max(0, (this.#clock.now() - since) / 1000);
  }
}
