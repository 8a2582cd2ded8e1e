import { createHash } from 'node:crypto';
import { parseDuration } from '../../lib/duration.ts';
import type { ProjectConfig, RunsConfig } from '../config/index.ts';
import type { RunRequest } from '../definitions/index.ts';

export type What = 'release' | 'content';

/** Runs that a project asks for again and again. */
export interface Plan {
  readonly projectId: string;
  readonly what: What;
  readonly intervalMs: number;
  /** How much later than its slot a run is queued, so that not all projects come at once. */
  readonly delayMs: number;
  readonly request: RunRequest & { readonly kind: 'pipeline' | 'ai_text' };
}

/** The plans of all enabled projects (decisions, section 2.6). */
export function plansOf(config: RunsConfig): Plan[] {
  return config.scheduler.enabled ? config.projects.flatMap((project) => plansOfProject(config, project)) : [];
}

export function plansOfProject({ scheduler }: RunsConfig, project: ProjectConfig): Plan[] {
  const { id, release_interval: release, content } = project;
  if (!scheduler.enabled || !project.enabled) return [];
  const plan = (what: What, interval: string, request: Plan['request']): Plan => {
    const intervalMs = parseDuration(interval)!;
    return { projectId: id, what, intervalMs, delayMs: delayOf(`${id}:${what}`, Math.min(scheduler.jitter, intervalMs / 2)), request };
  };
  return [
    ...(release === '' ? [] : [plan('release', release, { projectId: id, kind: 'pipeline', task: scheduler.release_pipeline })]),
    ...(content.enabled ? [plan('content', content.interval, { projectId: id, kind: 'ai_text', task: scheduler.content_role, input: promptOf(project), minScore: content.min_score })] : []),
  ];
}

/** What the content role is told besides its system prompt. */
function promptOf({ id, repository, issue_label: label }: ProjectConfig): string {
  return [`Project: ${id}`, `Repository: ${repository}`, ...(label === '' ? [] : [`Label of ready issues: ${label}`])].join('\n');
}

/** The same on every node and after every restart. */
function delayOf(name: string, most: number): number {
  return Math.floor((createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32) * most);
}

/** The slot that a moment falls into, in Unix seconds. Slots are multiples of the interval since 1970, so nodes and restarts agree. */
export function slotAt(nowMs: number, { intervalMs, delayMs }: Plan): number {
  return Math.round((Math.floor((nowMs - delayMs) / intervalMs) * intervalMs) / 1000);
}

/** When the next slot's run is queued, in Unix seconds. */
export function nextAt(nowMs: number, plan: Plan): number {
  const { intervalMs, delayMs } = plan;
  return Math.ceil(((Math.floor((nowMs - delayMs) / intervalMs) + 1) * intervalMs + delayMs) / 1000);
}
