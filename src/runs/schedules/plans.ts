import { createHash } from 'node:crypto';
import { Lru } from '../../lib/caches.ts';
import { CronTimes } from '../../lib/cron-times.ts';
import { parseDuration } from '../../lib/duration.ts';
import { dependsOnCommits, type ProjectConfig, type RunsConfig, type ScheduleConfig } from '../config/index.ts';
import type { RunRequest } from '../definitions/index.ts';

/** Names of a project's own schedules (run-queue decisions, section 2.6). */
export type What = 'release' | 'content';

/** When runs are due: after intervals, or at the times of a cron expression. */
type Times = { readonly interval: string;
  readonly intervalMs: number; /** Delay after the slot; spreads the projects. */ readonly delayMs: number } | {
  readonly cron: string;
  readonly timezone: string;
};

/** A schedule: runs that are queued repeatedly. */
export interface Plan {
  readonly projectId: string;
  /** Unique in its project. */
  readonly name: string;
  readonly times: Times;
  /** False while its project or the scheduler is disabled. */
  readonly active: boolean;
  readonly request: RunRequest & { readonly kind: 'pipeline' | 'ai_text' | 'diagnostic' };
  /** The project of a release that depends on what was committed, or gets it as its input; absent for others. */
  readonly release?: ProjectConfig | undefined;
  /** Its repository is read before its run is queued, which may take minutes. */
  readonly asksGit: boolean;
}

/** The entries of `schedules` in order, then the schedules of projects. */
export function plansOf(config: RunsConfig): Plan[] {
  return [...config.schedules.flatMap((schedule) => planOf(config, schedule)),
    ...config.projects.flatMap((project) => plansOfProject(config, project))];
}

function planOf(config: RunsConfig,
  { name, project: projectId, cron, timezone, kind, task, input, ref, runs_on: runsOn }: ScheduleConfig): Plan[]
{
  const { scheduler, projects } = config;
  const project = projects.find(({ id }) => id === projectId);
  if (project === undefined) return [];
  const request = {
    projectId,
    kind,
    task,
    schedule: name,
    event: 'schedule' as const,
    input: input || undefined,
    gitRef: ref || undefined,
    runsOn: runsOn.length > 0 ? runsOn : undefined,
  };
  return [{
    projectId,
    name,
    times: { cron, timezone },
    active: scheduler.enabled && project.enabled,
    request,
    asksGit: asksGit(config, project, request),
  }];
}

/** Whether the repository defines the pipeline, or has files for the role. */
function asksGit({ pipelines, ai }: RunsConfig, { pipelines_from: from }: ProjectConfig,
  { kind, task }: Pick<RunRequest, 'kind' | 'task'>): boolean
{
  return kind === 'pipeline'
    ? from === 'repository' && !pipelines.some(({ name }) => name === task)
    : ai.roles.some(({ name, files }) => kind === 'ai_text' && name === task && files.length > 0);
}

/** The schedules that `release_interval` and `content` of a project define. */
export function plansOfProject(config: RunsConfig, project: ProjectConfig): Plan[] {
  const { scheduler: { release_pipeline: releasePipeline, content_role: contentRole } } = config;
  const { id: projectId, release_interval: releaseInterval, release, content } = project;
  const shared = { projectId, event: 'schedule' } as const;
  return [
    ...(releaseInterval === '' ? [] : [{
      ...ownPlan(config, project, releaseInterval, {
        ...shared,
        kind: 'pipeline',
        task: releasePipeline,
        schedule: 'release',
      }),
      ...(dependsOnCommits(release) && { release: project, asksGit: true }),
    }]),
    ...(content.enabled
      ? [ownPlan(config, project, content.interval, {
        ...shared,
        kind: 'ai_text',
        task: contentRole,
        schedule: 'content',
        input: promptOf(project),
        minScore: content.min_score,
      })]
      : []),
  ];
}

function ownPlan(config: RunsConfig, project: ProjectConfig, interval: string,
  request: Plan['request'] & { readonly schedule: What }): Plan
{
  const { scheduler } = config;
  const { id: projectId, enabled } = project;
  const intervalMs = parseDuration(interval)!;
  const delayMs = delayOf(`${projectId}:${request.schedule}`, Math.min(scheduler.jitter, intervalMs / 2));
  return {
    projectId,
    name: request.schedule,
    times: { interval, intervalMs, delayMs },
    active: scheduler.enabled && enabled,
    request,
    asksGit: asksGit(config, project, request),
  };
}

/** The input of the content role, in addition to its system prompt. */
function promptOf({ id, repository, issue_label: label }: ProjectConfig): string {
  return [`Project: ${id}`, `Repository: ${repository}`, ...(label === '' ? [] : [`Label of ready issues: ${label}`])]
    .join('\n');
}

/** The same on every node and after every restart. */
function delayOf(name: string, most: number): number {
  return Math.floor((createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32) * most);
}

const known = new Lru<string, CronTimes>(1000);

function timesOf({ cron, timezone }: { readonly cron: string; readonly timezone: string }): CronTimes {
  const key = `${cron} ${timezone}`;
  const times = known.get(key) ?? new CronTimes(cron, timezone);
  known.set(key, times);
  return times;
}

/**
 * The slot of a time, in Unix seconds: when the run was last due. Slots of intervals are multiples of the interval
 * since 1970, so nodes and restarts agree. 0 before the first slot.
 */
export function slotAt(nowMs: number, { times }: Plan): number {
  if ('cron' in times) return Math.round((timesOf(times).upTo(nowMs) ?? 0) / 1000);
  const { intervalMs, delayMs } = times;
  return Math.round((Math.floor((nowMs - delayMs) / intervalMs) * intervalMs) / 1000);
}

/** When the next slot's run is queued, in Unix seconds; undefined for never. */
export function nextAt(nowMs: number, { times }: Plan): number | undefined {
  if ('cron' in times) {
    const next = timesOf(times).after(nowMs);
    return next === undefined ? undefined : Math.round(next / 1000);
  }
  const { intervalMs, delayMs } = times;
  return Math.ceil(((Math.floor((nowMs - delayMs) / intervalMs) + 1) * intervalMs + delayMs) / 1000);
}
