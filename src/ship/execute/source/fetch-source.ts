import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { PipelinePlan } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { isCommit, isGitRef } from '../../../lib/git-ref.ts';
import type { ExecutorContext, Work } from '../context.ts';
import type { Failure } from '../failure.ts';
import { GIT } from '../git.ts';
import type { ProcessEnd } from '../process/index.ts';
import { arrangeRepository } from './arrange-repository.ts';
import { giveCredentials } from './credentials.ts';
import { patternsOf, readRemoteRefs, type RemoteRefs, type ResolvedRef, resolveRef,
  unknownRef } from './remote-refs.ts';
import { collector, runGit } from './run-git.ts';
import { EMPTY, FETCH, NO_SUCH_COMMIT, shell, TAKE } from './scripts.ts';

export interface SourceRequest {
  readonly context: ExecutorContext;
  readonly work: Work;
  readonly plan: PipelinePlan;
  /** The attempt's own folder, still closed to all other users. */
  readonly folder: string;
  /** Folder of the work tree. */
  readonly target: string;
}

/** Thrown to end a fetch; the failure is for the run's record. */
class SourceFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What was fetched; `undefined` for a repository without commits. */
export type Fetched = { readonly source: ResolvedRef | undefined } | { readonly failure: Failure };

/**
 * Finds the commit of a pipeline, and fetches it with its repository into the work tree's `.git`, without writing a
 * file of it. It comes from a clone that the ship keeps and updates first. Git has the project's credentials meanwhile.
 */
export async function fetchSource(request: SourceRequest): Promise<Fetched> {
  const { plan, folder } = request;
  try {
    if (plan.gitUrl === '') throw failure('the project has no address for git');
    if (plan.gitRef !== '' && !isGitRef(plan.gitRef)) throw failure('its ref is no name of a branch, tag or commit');
    const given = await giveCredentials(plan.credentials, plan.gitUrl, folder).catch((error: Error) => {
      throw failure(error.message);
    });
    try {
      return { source: await fetchWith(request, given.env) };
    } finally {
      await given.remove();
    }
  } catch (error) {
    if (error instanceof SourceFailure) return { failure: error.failure };
    if (request.work.limits.ended.aborted) return { failure: failure('the run had to end').failure };
    throw error;
  }
}

async function fetchWith(request: SourceRequest,
  env: Readonly<Record<string, string>>): Promise<ResolvedRef | undefined>
{
  const { plan, work } = request;
  const isKnown = isCommit(plan.commit) || isCommit(plan.gitRef);
  const found = isKnown ? await knownCommit(request, env) : await resolveRemote(request, env);
  if (found === undefined) {
    check(await runGit(request.context, work, {
      argv: shell(EMPTY, join(request.target, '.git'), 'sha1'),
      cwd: request.folder,
    }));
    await arrangeRepository(join(request.target, '.git'), plan.gitUrl);
    return undefined;
  }
  work.sourceFound(found.ref, found.commit);
  await fetchCommit(request, found, isKnown, env);
  await arrangeRepository(join(request.target, '.git'), plan.gitUrl, found);
  return found;
}

/**
 * A further attempt or a retry uses the same commit, even if the branch has moved; the server says whether the ref is a
 * branch.
 */
async function knownCommit(request: SourceRequest, env: Readonly<Record<string, string>>): Promise<ResolvedRef> {
  const { commit, gitRef } = request.plan;
  if (isCommit(gitRef) || gitRef === '') return { commit: commit || gitRef, ref: gitRef || commit };
  const now = resolveRef(await list(request, patternsOf(gitRef), env), gitRef);
  return { commit, ref: gitRef, ...(now?.branch !== undefined && { branch: now.branch }) };
}

async function resolveRemote(request: SourceRequest,
  env: Readonly<Record<string, string>>): Promise<ResolvedRef | undefined>
{
  const { gitRef } = request.plan;
  const found = resolveRef(await list(request, patternsOf(gitRef), env), gitRef);
  if (found !== undefined) return found;
  const all = await list(request, ['refs/heads/*', 'refs/tags/*'], env);
  // A new repository.
  if (gitRef === '' && all.commits.size === 0) return undefined;
  throw failure(unknownRef(all, gitRef));
}

async function list({ context, work, plan, folder }: SourceRequest, patterns: readonly string[],
  env: Readonly<Record<string, string>>): Promise<RemoteRefs>
{
  const stdout = collector();
  check(await runGit(context, work, {
    argv: [...GIT, 'ls-remote', '--symref', '--', plan.gitUrl, ...patterns],
    cwd: folder,
    env,
    stdout,
  }));
  return readRemoteRefs(stdout.text());
}

async function fetchCommit(request: SourceRequest, { commit, ref }: ResolvedRef, isKnown: boolean,
  env: Readonly<Record<string, string>>): Promise<void>
{
  const { context, work, plan, folder, target } = request;
  const { kept } = context;
  const fetchInto = (repository: string, keep: string): Promise<ProcessEnd> =>
    runGit(context, work, {
      argv: shell(FETCH, repository, formatOf(commit), plan.checkout, plan.gitUrl, commit, keep,
        isKnown ? 'yes' : 'no'),
      cwd: folder,
      env,
    });
  const fetchDirectly = async (): Promise<void> => check(await fetchInto(join(target, '.git'), ''), commit);
  if (!kept.isOpen) return fetchDirectly();
  // A project uses only its own clones: reading a clone requires that credentials for it were shown.
  const key = hash(`${work.assignment.projectId}\0${plan.gitUrl}\0${plan.checkout === 'full' ? 'full' : 'shallow'}`);
  const taken = await kept.change('clones', key, work.limits.ended, async (path) => {
    const clone = join(path, 'git');
    const fetched = uncut(await fetchInto(clone, `refs/quire/${hash(ref)}`));
    if (fetched.exitCode !== 0) return fetched;
    return uncut(await runGit(context, work, {
      argv: shell(TAKE, join(target, '.git'), formatOf(commit), plan.checkout, clone, commit),
      cwd: folder,
      env: { GIT_ALLOW_PROTOCOL: 'file' },
    }));
  });
  if (taken.exitCode === 0 || taken.exitCode === NO_SUCH_COMMIT) return check(taken, commit);
  // Either the server or the clone has a problem.
  await fetchDirectly();
  context.log.warn({ run: work.ref.runId, clone: key }, 'a clone of a repository is damaged, and removed');
  await kept.remove('clones', key);
}

/** Git that was killed leaves locks behind; its repository must not be used again. */
function uncut(end: ProcessEnd): ProcessEnd {
  if (end.exitCode === null || end.stopped) check({ ...end, exitCode: null });
  return end;
}

const formatOf = (commit: string): string => (commit.length === 64 ? 'sha256' : 'sha1');

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40);

const failure = (message: string, end: Partial<ProcessEnd> = {}): SourceFailure =>
  new SourceFailure({
    code: 'step_failed',
    message: `the checkout failed: ${message}`,
    exitCode: end.exitCode ?? null,
    signal: end.signal ?? null,
  });

function check(end: ProcessEnd, commit?: string): void {
  const { exitCode, signal, spawnError } = end;
  if (spawnError !== undefined)
    throw new SourceFailure({ code: 'spawn_failed', message: `the checkout can't start: ${spawnError}` });
  if (exitCode === 0) return;
  if (exitCode === NO_SUCH_COMMIT && commit !== undefined) throw failure(`the repository has no commit ${commit}`);
  throw failure(exitCode === null ? `git was ended by ${signal}` : `git exited with code ${exitCode}`, end);
}
