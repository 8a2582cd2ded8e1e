import { schedule, type ScheduledTask } from 'node-cron';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { ProjectConfig } from '../config/index.ts';
import type { RunRequest } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { isUnreachable } from '../forge/port.ts';
import type { OnceResult } from '../idempotency/index.ts';
import type { Queue } from '../queue/port.ts';
import { Beside } from './beside.ts';
import { nextAt, type Plan, plansOf, plansOfProject, slotAt, type What } from './plans.ts';
import { noteSlot, noteWaiting, type Progress, readProgress, ruleOf, type Skip,
  type SlotOutcome } from './progress-rows.ts';
import { type ReleaseDeps, requestNow, turnOf } from './release.ts';

/**
 * The outcome of a slot, for the metrics: `held` while the previous run is unfinished or the repository cannot be read,
 * `unchanged` for a release without commits.
 */
export type SlotResult = 'queued' | 'refused' | 'held' | 'unchanged';

interface SchedulesOptions {
  readonly env: Pick<RunsEnvironment, 'sql' | 'clock' | 'timer' | 'config' | 'log'>;
  readonly queue: Pick<Queue, 'get'>;
  readonly repositories: ReleaseDeps['repositories'];
  /** Queues a run once for each key, whichever node calls it. */
  readonly enqueueOnce: (source: 'schedule', key: string, request: RunRequest) => Promise<OnceResult>;
  /** Called for each slot that is due; must not throw. */
  readonly onSlot?: (result: SlotResult) => void;
}

/**
 * Runs that start without a request: the entries of `schedules`, releases and content (decisions, section 2.6,
 * "Schedules").
 */
export interface Schedules {
  /** Queues what is due now. Never rejects. */
  tick(): Promise<void>;
  /** When the next runs of a project's own schedules are queued, in Unix seconds. */
  nextRuns(project: ProjectConfig): Record<What, number | null>;
  /** The request of a run that is wanted now, in any case. */
  requestOf(plan: Plan): Promise<RunRequest>;
  /** Checks every minute, and waits for the exact time of slots that are due within the next minute. */
  start(): void;
  stop(): Promise<void>;
}

/**
 * Once a minute. After the clock has jumped forward, node-cron iterates over every missed time, about 25 us each: for a
 * day this takes 35 ms in minutes, but would take 4 s in seconds.
 */
const EVERY_MINUTE = '* * * * *';
const MINUTE_MS = 60_000;
/**
 * A slot that is further ahead than this was handled while the clock was wrong, and must not stop the schedule until
 * that time.
 */
const AHEAD_SECONDS = 86_400;
/** Characters of the reason why a slot queued no run. */
const MAX_REASON = 500;

/** Repositories that are asked at once. */
const MOST_ASKED = 4;

export function createSchedules(
  { env, queue, repositories, enqueueOnce, onSlot = () => {} }: SchedulesOptions,
): Schedules {
  const { sql, clock, timer, config, log } = env;
  const stopped = new AbortController();
  const awaited = new Set<string>();
  let task: ScheduledTask | undefined;
  let unsubscribe = (): void => {};
  let ticking: Promise<void> = Promise.resolve();
  let failing = false;

  const active = (): Plan[] => plansOf(config.current().config).filter((plan) => plan.active);
  const note = (plan: Plan, slot: number, outcome?: SlotOutcome): Promise<void> =>
    sql.transaction((tx) => noteSlot(tx, plan, slot, outcome));

  const isUnfinished = async ({ lastRun }: Progress): Promise<boolean> =>
    lastRun !== null && (await queue.get(lastRun))?.finishedAt === null;

  /** Several missed slots count as one; a new plan waits for its next slot, and so does a plan after a pause. */
  async function follow(plan: Plan, progress: Progress | undefined): Promise<void> {
    const slot = slotAt(clock.now(), plan);
    if (progress?.rule !== ruleOf(plan)) return note(plan, slot);
    if (progress.slot >= slot) return progress.slot < clock.now() / 1000 + AHEAD_SECONDS ? undefined : note(plan, slot);
    if (progress.pausedAt !== null) return note(plan, slot);
    if (await isUnfinished(progress)) return onSlot('held');
    if (plan.asksGit) asking.add(plan, () => take(plan, slot, progress));
    else await take(plan, slot, progress);
  }

  /** Queues the run of a slot, and records what came of it. A repository that cannot be read is asked again. */
  async function take(plan: Plan, slot: number, { skip: before }: Progress): Promise<void> {
    const { projectId, name } = plan;
    if (stopped.signal.aborted) return;
    try {
      await note(plan, slot, await fire(plan, slot));
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (stopped.signal.aborted) return;
      const skip = skipOf((error as Error).message);
      onSlot('held');
      if (before?.reason !== skip.reason)
        log.warn({ project: projectId, what: name, err: error },
          'the repository of a schedule cannot be read; trying again');
      await sql.transaction((tx) => noteWaiting(tx, plan, skip));
    }
  }

  const skipOf = (reason: string): Skip => ({
    at: unixSeconds(clock),
    reason: reason.slice(0, MAX_REASON).toWellFormed(),
  });

  async function fire(plan: Plan, slot: number): Promise<SlotOutcome> {
    const { projectId, name } = plan;
    const turn = await turnOf(plan, { sql, repositories }, stopped.signal);
    if ('skip' in turn) {
      onSlot('unchanged');
      return { skip: skipOf(turn.skip) };
    }
    try {
      const { run } = await enqueueOnce('schedule', `sched:${projectId}:${name}:${slot}`, turn.request);
      onSlot('queued');
      log.info({ project: projectId, what: name, run: run.id }, 'a schedule has fired');
      return { run: run.id };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      onSlot('refused');
      log.warn({ err: error, project: projectId, what: name },
        'a scheduled run cannot be queued; the next one is tried in its time');
      return { skip: skipOf(error.message) };
    }
  }

  function heldUp(error: unknown): void {
    if (!failing) log.error({ err: error }, 'schedules are held up; trying again every minute');
    failing = true;
  }

  /** A repository that takes long delays no other schedule, so these are not in turn. */
  const asking = new Beside(MOST_ASKED, heldUp);

  async function tick(): Promise<void> {
    try {
      const plans = active();
      if (plans.length === 0) return;
      const progressOf = await readProgress(sql);
      for (const plan of plans) if (!asking.has(plan)) await follow(plan, progressOf(plan));
      failing = false;
    } catch (error) {
      heldUp(error);
    }
  }

  const inTurn = (): Promise<void> => (ticking = ticking.then(tick));

  /** Queues what is due now, and then, at its time, each slot that is due before the next check. */
  function look(): void {
    if (stopped.signal.aborted) return;
    void inTurn();
    const now = clock.now();
    for (const plan of active())
      void lookAgain(`${plan.name}:${plan.projectId}`, (nextAt(now, plan) ?? Infinity) * 1000 - now);
  }

  async function lookAgain(key: string, waitMs: number): Promise<void> {
    if (waitMs >= MINUTE_MS || awaited.has(key)) return;
    awaited.add(key);
    await timer.sleep(waitMs, stopped.signal);
    awaited.delete(key);
    if (!stopped.signal.aborted) await inTurn();
  }

  return {
    async tick() {
      await inTurn();
      await asking.idle();
    },
    requestOf: (plan) => requestNow(plan, { sql, repositories }),
    nextRuns(project) {
      const plans = plansOfProject(config.current().config, project).filter((plan) => plan.active);
      const next = (what: What): number | null => {
        const plan = plans.find(({ name }) => name === what);
        return plan === undefined ? null : nextAt(clock.now(), plan) ?? null;
      };
      return { release: next('release'), content: next('content') };
    },
    start() {
      if (task !== undefined) return;
      task = schedule(EVERY_MINUTE, look, { suppressMissedWarning: true, unref: true });
      unsubscribe = config.onChange(look);
      look();
    },
    async stop() {
      stopped.abort();
      unsubscribe();
      await task?.destroy();
      await ticking;
      await asking.idle();
    },
  };
}

/** Errors that a later try would cause again: something is not configured, or no machine has it. */
function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status < 500 && !isUnreachable(error);
}
