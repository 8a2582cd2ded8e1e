import type { Operations } from '../../../generated/runs/operations.ts';
import type { Run, Schedule } from '../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import { type Handlers, type Preconditions, Reply } from '../../operations/index.ts';
import type { Transaction } from '../../storage/index.ts';
import type { Audit } from '../audit/index.ts';
import { actorOf, requireProject } from '../auth/index.ts';
import type { RunRequest } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { requestHash, requireKey } from '../idempotency/index.ts';
import type { Queue, RunRecord } from '../queue/port.ts';
import type { Enqueuer } from '../runs/index.ts';
import { nextAt, type Plan, plansOf, slotAt } from './plans.ts';
import { notePause, noteRun, noteSlot, type Progress, readProgress, ruleOf } from './progress-rows.ts';

type Names = 'listSchedules' | 'pauseSchedule' | 'resumeSchedule' | 'runSchedule';

interface ScheduleHandlerDeps {
  readonly queue: Pick<Queue, 'get'>;
  readonly audit: Audit;
  readonly submit: Enqueuer['submit'];
  /** The request of a run that is wanted in any case. */
  readonly requestOf: (plan: Plan) => Promise<RunRequest>;
  readonly present: (run: RunRecord) => Run;
}

/** The operations of clients on schedules. */
export function createScheduleHandlers(env: Pick<RunsEnvironment, 'sql' | 'clock' | 'config'>,
  deps: ScheduleHandlerDeps
): { handlers: Required<Pick<Handlers<Operations>, Names>>; preconditions: Preconditions<Operations> } {
  const { sql, clock, config } = env;
  const plans = (): Plan[] => plansOf(config.current().config);
  const find = (projectId: string, name: string): Plan => requirePlan(plans(), projectId, name);

  async function present(plan: Plan, progress: Progress | undefined): Promise<Schedule> {
    const last = progress?.lastRun ? await deps.queue.get(progress.lastRun) : undefined;
    return presentSchedule(plan, progress, last, clock.now());
  }

  /** Changes the pause of a schedule in a transaction with its audit entry, unless it is already as requested. */
  async function setPaused(plan: Plan, paused: boolean, actor: string): Promise<Schedule> {
    const target = `${plan.projectId}/${plan.name}`;
    await sql.transaction(async (tx) => {
      const progress = (await readProgress(tx))(plan);
      if ((progress?.pausedAt ?? null) !== null === paused) return;
      // Slots that passed during a pause are not made up for, and neither are slots that were due before the first
      // check.
      await noteSlot(tx, plan, slotAt(clock.now(), plan));
      await notePause(tx, plan, paused ? actor : null, paused ? unixSeconds(clock) : null);
      await deps.audit.record(tx, actor, paused ? 'pause' : 'resume', target);
    });
    return present(plan, (await readProgress(sql))(plan));
  }

  /** The run is already queued; if storing it as the last run fails, only the list does not show it. */
  async function noteLast(tx: Transaction, plan: Plan, runId: string): Promise<void> {
    const progress = (await readProgress(tx))(plan);
    if (progress?.rule !== ruleOf(plan)) await noteSlot(tx, plan, slotAt(clock.now(), plan), { run: runId });
    else await noteRun(tx, plan, runId);
  }

  return {
    preconditions: {
      runSchedule({ project_id: project, name, idempotencyKey }, identity) {
        requireProject(project, identity);
        find(String(project), String(name));
        requireKey(idempotencyKey);
      },
    },
    handlers: {
      async listSchedules(_, { identity }) {
        const progressOf = await readProgress(sql);
        const seen = plans().filter(({ projectId }) => identity.may('read', projectId));
        return { data: await Promise.all(seen.map((plan) => present(plan, progressOf(plan)))) };
      },
      async pauseSchedule({ project_id: project, name }, context) {
        return { data: await setPaused(find(project, name), true, actorOf(context)) };
      },
      async resumeSchedule({ project_id: project, name }, context) {
        return { data: await setPaused(find(project, name), false, actorOf(context)) };
      },
      async runSchedule({ project_id: project, name, idempotencyKey }, context) {
        const plan = find(project, name);
        const { run, replayed } = await deps.submit({
          source: 'schedule',
          actor: actorOf(context),
          key: idempotencyKey,
          requestHash: requestHash('runSchedule', { project, name }),
          request: () => deps.requestOf(plan),
        });
        if (!replayed) await sql.transaction((tx) => noteLast(tx, plan, run.id));
        return new Reply({ data: deps.present(run) }, replayed ? { 'Idempotent-Replayed': 'true' } : {});
      },
    },
  };
}

function requirePlan(plans: readonly Plan[], projectId: string, name: string): Plan {
  const own = plans.filter((plan) => plan.projectId === projectId);
  const found = own.find((plan) => plan.name === name);
  if (found !== undefined) return found;
  const names = own.map((plan) => plan.name);
  const others = names.length === 0
    ? '; it has none'
    : `; it has: ${names.slice(0, 10).join(', ')}${didYouMean(name, names)}`;
  throw new ServiceError('schedule_not_found',
    `the project ${JSON.stringify(projectId.slice(0, 80))} has no schedule ${
      JSON.stringify(name.slice(0, 80))
    }${others}`);
}

function presentSchedule(plan: Plan, progress: Progress | undefined, last: RunRecord | undefined,
  nowMs: number): Schedule
{
  const { projectId, name, times, active, request } = plan;
  const pausedAt = progress?.pausedAt ?? null;
  return {
    project_id: projectId,
    name,
    kind: request.kind,
    task: request.task,
    ...('cron' in times
      ? { cron: times.cron, timezone: times.timezone, interval: null }
      : { cron: null, timezone: null, interval: times.interval }),
    active,
    paused_by: progress?.pausedBy ?? null,
    paused_at: pausedAt,
    next_run_at: active && pausedAt === null ? nextAt(nowMs, plan) ?? null : null,
    last_run: last === undefined
      ? null
      : { id: last.id, state: last.state, created_at: last.createdAt, finished_at: last.finishedAt },
    last_skip: progress?.skip ?? null,
  };
}
