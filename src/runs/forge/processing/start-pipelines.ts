import { ServiceError } from '../../../errors/index.ts';
import { unmet } from '../../conditions/index.ts';
import type { PipelineConfig, ProjectConfig, RunsConfig } from '../../config/index.ts';
import type { RunRequest } from '../../definitions/index.ts';
import type { Enqueuer } from '../../runs/index.ts';
import type { Outcome } from '../deliveries/rows.ts';
import type { ForgeEvent, ForgeOrigin, ProjectEvent } from '../port.ts';
import { GitFailure, type Repositories } from '../repository/index.ts';

/** Actions of pull requests that start pipelines whose expression does not ask for the action. */
const STARTING: ReadonlySet<string> = new Set(['opened', 'synchronized', 'reopened']);

export interface StartDeps {
  readonly config: RunsConfig;
  readonly repositories: Repositories;
  readonly enqueueOnce: Enqueuer['enqueueOnce'];
  /** A pipeline is wrong. */
  readonly onRejected: (event: ProjectEvent, pipeline: string, reason: string) => Promise<void>;
}

export interface Starting extends ProjectEvent {
  /** Id of the delivery, as the forge gives it. */
  readonly forgeDelivery: string;
  /** Begins the keys of its runs, so that each pipeline starts once. */
  readonly key: string;
  /** Only the pipeline of this name, whatever its conditions (`/run NAME`). */
  readonly only?: string | undefined;
}

/** A pipeline that may start. */
interface Candidate {
  readonly pipeline: PipelineConfig;
  readonly definition: ForgeOrigin['definition'];
}

type Part = Outcome;

/**
 * Starts the pipelines of a project whose conditions an event meets, each once. Rejects with a `GitFailure` if its
 * repository cannot be read.
 */
export async function startPipelines(starting: Starting, deps: StartDeps): Promise<Part> {
  const { event, project, only } = starting;
  const skip = (pipeline: string, reason: string): Part => ({
    runs: [],
    skipped: [{ project: project.id, pipeline, reason: reason.slice(0, 2000) }],
  });
  if (!project.enabled) return skip('', `the project ${project.id} is disabled`);
  if (event.pullRequest?.isFork && project.forks.runs === 'never')
    return skip('', `the project ${project.id} runs nothing for forks (forks.runs)`);
  const { candidates, rejected } = await candidatesOf(event, project, deps);
  const parts: Part[] = [];
  for (const { file, reason } of rejected) {
    await deps.onRejected(starting, file, reason);
    parts.push(skip(file, reason));
  }
  const chosen = candidates.filter(({ pipeline }) => only === undefined || pipeline.name === only);
  if (only !== undefined && chosen.length === 0) parts.push(skip(only, 'there is no such pipeline'));
  for (const { pipeline, definition } of chosen) {
    const result = await startOne(pipeline, toOrigin(starting, definition), starting, deps);
    parts.push(typeof result === 'string' ? skip(pipeline.name, result) : result);
  }
  return { runs: parts.flatMap(({ runs }) => runs), skipped: parts.flatMap(({ skipped }) => skipped).slice(0, 100) };
}

/** The run, or why there is none. */
async function startOne(pipeline: PipelineConfig, origin: ForgeOrigin, starting: Starting,
  { repositories, enqueueOnce, onRejected }: StartDeps): Promise<Part | string>
{
  const { project, key, event, only } = starting;
  if (only === undefined) {
    if (event.name === 'pull_request' && !STARTING.has(event.action) && !pipeline.when.expression.includes('action'))
      return `is not for pull requests that are ${event.action}`;
    const reason = await unmet(pipeline.when, repositories.factsOf(project, origin)).catch((error: unknown) => {
      if (error instanceof GitFailure) throw error;
      return `has a condition that cannot be decided: ${(error as Error).message}`;
    });
    if (reason !== undefined) return reason;
  }
  try {
    const { run } = await enqueueOnce('forge', `${key}:${project.id}:${pipeline.name}`,
      requestOf(pipeline, origin, project));
    return { runs: [{ project: project.id, pipeline: pipeline.name, runId: run.id }], skipped: [] };
  } catch (error) {
    if (!isLasting(error)) throw error;
    await onRejected(starting, pipeline.name, (error as Error).message);
    return (error as Error).message;
  }
}

/** Errors that the same event would cause again. */
const LASTING: ReadonlySet<string> = new Set(['project_unavailable', 'pipeline_unavailable', 'invalid_input',
  'model_or_input_unavailable']);

const isLasting = (error: unknown): boolean => error instanceof ServiceError && LASTING.has(error.code);

function requestOf({ name, checkout }: PipelineConfig, forge: ForgeOrigin, { id }: ProjectConfig): RunRequest {
  const gitRef = forge.pullRequest === undefined ? forge.branch || forge.tag : forge.ref;
  return {
    projectId: id,
    kind: 'pipeline',
    task: name,
    forge,
    ...(checkout !== 'none' && gitRef !== '' && { gitRef, gitCommit: forge.commit || undefined }),
  };
}

/**
 * The pipelines that an event may start: those of the configuration that name events, or those of the repository. For
 * a fork these are the pipelines of the branch that its pull request is for: otherwise a stranger could choose ships,
 * limits and images.
 */
async function candidatesOf(event: ForgeEvent, project: ProjectConfig,
  { config, repositories }: StartDeps
): Promise<{ candidates: readonly Candidate[]; rejected: readonly { file: string; reason: string }[] }> {
  if (project.pipelines_from === 'server') {
    const own = config.pipelines.filter(({ projects, when }) =>
      when.event.length > 0 && (projects === null || projects.includes(project.id))
    );
    return { candidates: own.map((pipeline) => ({ pipeline, definition: undefined })), rejected: [] };
  }
  const { commit, ref } = await definedAt(event, project, repositories);
  const { pipelines, rejected } = await repositories.pipelinesAt(project, commit, ref);
  return {
    candidates: pipelines.map(({ pipeline, file }) => ({ pipeline, definition: { commit, file } })),
    rejected,
  };
}

async function definedAt({ pullRequest, commit, ref }: ForgeEvent, project: ProjectConfig,
  repositories: Repositories): Promise<{ commit: string; ref: string }>
{
  // Issues have no ref: they are about the default branch.
  const wanted = pullRequest?.isFork ? `refs/heads/${pullRequest.base}` : ref || 'HEAD';
  if (!pullRequest?.isFork && commit !== '') return { commit, ref };
  const found = (await repositories.refs(project, [wanted, `${wanted}^{}`])).get(wanted);
  if (found === undefined) throw new GitFailure(`the repository has no ${wanted}`, 0);
  return { commit: found, ref: wanted };
}

function toOrigin({ event, forge, forgeDelivery }: Starting, definition: ForgeOrigin['definition']): ForgeOrigin {
  const { name, action, ref, branch, tag, commit, before, title, author, url, pullRequest, issue } = event;
  return {
    forge,
    event: name,
    action,
    delivery: forgeDelivery,
    ref,
    branch,
    tag,
    commit,
    before,
    title,
    author,
    url,
    ...(pullRequest && {
      labels: pullRequest.labels,
      pullRequest: {
        number: pullRequest.number,
        base: pullRequest.base,
        head: pullRequest.head,
        isFork: pullRequest.isFork,
      },
    }),
    ...(issue && { issue: issue.number }),
    ...(definition && { definition }),
  };
}
