import { ServiceError } from '../../errors/index.ts';
import type { Sql } from '../../storage/index.ts';
import type { ProjectConfig } from '../config/index.ts';
import type { RunRequest } from '../definitions/index.ts';
import type { Repositories } from '../forge/index.ts';
import { type CommitsSince, GitFailure } from '../forge/port.ts';
import type { Plan } from './plans.ts';

export interface ReleaseDeps {
  readonly sql: Pick<Sql, 'all'>;
  readonly repositories: Pick<Repositories, 'commitsSince'>;
}

/** What a slot starts, or why it starts nothing. */
export type Turn = { readonly request: RunRequest } | { readonly skip: string };

/** Earlier releases that are looked at: those of other branches do not count. */
const MAX_RELEASED = 20;

/** What a plan starts now. Rejects with a `GitFailure` if its repository cannot be read. */
export async function turnOf(plan: Plan, deps: ReleaseDeps, signal?: AbortSignal): Promise<Turn> {
  if (plan.release === undefined) return { request: plan.request };
  const since = await commitsOf(plan, plan.release, deps, signal);
  if (since === undefined) return { skip: 'the repository has no commits' };
  const { commits, previousTag, previousCommit } = since;
  if (commits.length === 0 && plan.release.release.only_if_changed)
    return { skip: `nothing was committed since ${previousTag ?? previousCommit?.slice(0, 12)}` };
  return { request: requestOf(plan, since) };
}

/**
 * The request of a plan that somebody starts, whatever was committed. Throws `pipeline_unavailable` if its repository
 * cannot be read.
 */
export async function requestNow(plan: Plan, deps: ReleaseDeps): Promise<RunRequest> {
  if (plan.release === undefined) return plan.request;
  try {
    const since = await commitsOf(plan, plan.release, deps);
    if (since === undefined) throw new GitFailure('it has no commits', 0);
    return requestOf(plan, since);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new ServiceError('pipeline_unavailable',
      `the repository of the project ${plan.projectId} cannot be read: ${error.message}`, { cause: error });
  }
}

async function commitsOf({ projectId, request: { task } }: Plan, project: ProjectConfig,
  { sql, repositories }: ReleaseDeps, signal?: AbortSignal): Promise<CommitsSince | undefined>
{
  const released = await sql.all<{ git_commit: string }>(LAST_RELEASES, [projectId, task, MAX_RELEASED]);
  return repositories.commitsSince(project, {
    tag: project.release.tag,
    released: released.map(({ git_commit: commit }) => commit),
  }, signal);
}

/** As the index `runs_ended` has it. */
const LAST_RELEASES = `SELECT git_commit FROM runs WHERE project_id = ? AND task = ? AND kind = 'pipeline'
   AND state IN ('succeeded', 'failed') AND parent_id IS NULL AND state = 'succeeded' AND git_commit IS NOT NULL
   ORDER BY finished_at DESC LIMIT ?`;

/** A release works on the newest commit that its input lists. */
function requestOf({ request }: Plan,
  { previousTag, previousCommit, head, commits, truncated }: CommitsSince): RunRequest
{
  return {
    ...request,
    gitCommit: head,
    input: { previous_tag: previousTag, previous_commit: previousCommit, head, commits, truncated },
  };
}
