import { schedule, type ScheduledTask } from 'node-cron';
import { ServiceError } from '../../errors/index.ts';
import type { Row } from '../../storage/index.ts';
import type { ProjectConfig } from '../config/index.ts';
import type { RunRequest } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Queue } from '../queue/port.ts';
import { nextAt, plansOf, plansOfProject, slotAt, type Plan, type What } from './plans.ts';

export interface SchedulesOptions {
  readonly env: Pick<RunsEnvironment, 'sql' | 'clock' | 'timer' | 'config' | 'log'>;
  readonly queue: Pick<Queue, 'unfinished'>;
  /** Queues a run once for each key, whichever node asks. */
  readonly enqueueOnce: (source: 'schedule', key: string, request: RunRequest) => Promise<unknown>;
}

/** Runs that nobody asks for: releases and content (decisions, section 2.6, "Schedules"). */
export interface Schedules {
  /** Queues what is due now. Never rejects. */
  tick(): Promise<void>;
  /** When the next runs of a project are queued, in Unix seconds. */
  nextRuns(project: ProjectConfig): Record<What, number | null>;
  /** Looks every minute, and waits for the moment of what is due within the next one. */
  start(): void;
  stop(): Promise<void>;
}

interface Progress extends Row {
  readonly project_id: string;
  readonly what: string;
  readonly interval_ms: number;
  readonly slot: number;
}

/**
 * Each minute. After a leap of the clock node-cron goes through every moment that it missed, some 25 us each: of minutes that
 * is 35 ms for a day, of seconds it would be 4 s.
 */
const EVERY_MINUTE = '* * * * *';
const MINUTE_MS = 60_000;

const keyOf = (projectId: string, what: string): string => `${what}:${projectId}`;

export function createSchedules({ env, queue, enqueueOnce }: SchedulesOptions): Schedules {
  const { sql, clock, timer, config, log } = env;
  let known: Map<string, Progress> | undefined;
  const stopped = new AbortController();
  const awaited = new Set<string>();
  let task: ScheduledTask | undefined;
  let unsubscribe = (): void => {};
  let ticking: Promise<void> = Promise.resolve();
  let failing = false;

  async function progressOf({ projectId, what }: Plan): Promise<Progress | undefined> {
    known ??= new Map((await sql.all<Progress>('SELECT project_id, what, interval_ms, slot FROM schedules')).map((row) => [keyOf(row.project_id, row.what), row]));
    return known.get(keyOf(projectId, what));
  }

  async function note({ projectId, what, intervalMs }: Plan, slot: number): Promise<void> {
    await sql.transaction((tx) => tx.run(
      'INSERT INTO schedules(project_id, what, interval_ms, slot) VALUES (?, ?, ?, ?) ON CONFLICT(project_id, what) DO UPDATE SET interval_ms = excluded.interval_ms, slot = excluded.slot',
      [projectId, what, intervalMs, slot],
    ));
    known!.set(keyOf(projectId, what), { project_id: projectId, what, interval_ms: intervalMs, slot });
  }

  /** Slots that were missed count as one; a plan that is new waits for its next slot. */
  async function follow(plan: Plan): Promise<void> {
    const slot = slotAt(clock.now(), plan);
    const progress = await progressOf(plan);
    if (progress?.interval_ms !== plan.intervalMs) return note(plan, slot);
    if (progress.slot >= slot) return;
    const { projectId, what, request } = plan;
    if (await queue.unfinished(projectId, request.kind, request.task, 'schedule')) return;
    try {
      await enqueueOnce('schedule', `sched:${projectId}:${what}:${slot}`, request);
      log.info({ project: projectId, what }, 'a schedule has fired');
    } catch (error) {
      if (!isRefusal(error)) throw error;
      log.warn({ err: error, project: projectId, what }, 'a scheduled run cannot be queued; the next one is tried in its time');
    }
    await note(plan, slot);
  }

  async function tick(): Promise<void> {
    try {
      for (const plan of plansOf(config.current().config)) await follow(plan);
      failing = false;
    } catch (error) {
      if (!failing) log.error({ err: error }, 'schedules are held up; trying again every minute');
      failing = true;
    }
  }

  const inTurn = (): Promise<void> => (ticking = ticking.then(tick));

  /** What is due now, and then at their moments what is due before the next look. */
  function look(): void {
    if (stopped.signal.aborted) return;
    void inTurn();
    for (const plan of plansOf(config.current().config)) void lookAgain(keyOf(plan.projectId, plan.what), nextAt(clock.now(), plan) * 1000 - clock.now());
  }

  async function lookAgain(key: string, waitMs: number): Promise<void> {
    if (waitMs >= MINUTE_MS || awaited.has(key)) return;
    awaited.add(key);
    await timer.sleep(waitMs, stopped.signal);
    awaited.delete(key);
    if (!stopped.signal.aborted) await inTurn();
  }

  return {
    tick: inTurn,
    nextRuns(project) {
      const plans = plansOfProject(config.current().config, project);
      const next = (what: What): number | null => {
        const plan = plans.find((each) => each.what === what);
        return plan === undefined ? null : nextAt(clock.now(), plan);
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
    },
  };
}

/** What a later try would meet again: something is not configured, or no machine has it. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && error.status < 500;
}
