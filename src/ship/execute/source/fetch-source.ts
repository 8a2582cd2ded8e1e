import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PipelinePlan } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import { giveCredentials } from '../../../lib/git-credentials.ts';
import { isCommit, isGitRef } from '../../../lib/git-ref.ts';
import type { ExecutorContext, Work } from '../context.ts';
import type { Failure } from '../failure.ts';
import { collector, GIT, runGit } from '../git.ts';
import type { ProcessEnd } from '../process/run-process.ts';
import { EMPTY, FETCH, NO_LFS, NO_SUCH_COMMIT, shell, TAKE } from './scripts.ts';
import { type FetchedRepository, folderOf, mayUse, MOST_LEVELS, MOST_SUBMODULES, submodulesOf } from './submodules.ts';

/** A commit, and the ref by which it was found. */
export interface ResolvedRef {
  readonly commit: string;
  /** The form that steps see: the name of the branch or tag, or the commit. */
  readonly ref: string;
  /** The checked-out branch; absent for tags and commits. */
  readonly branch?: string;
}

/**
 * Refs by full name, as `git ls-remote --symref` lists them: git does not check the target of HEAD, which becomes the
 * name of a file.
 */
interface RemoteRefs {
  readonly commits: ReadonlyMap<string, string>;
  /** The target of HEAD, if that is the name of a ref. */
  readonly head: string | undefined;
}

/** Most names in an error message. */
const SHOWN = 10;
const [HEADS, TAGS] = ['refs/heads/', 'refs/tags/'];

function readRemoteRefs(text: string): RemoteRefs {
  const commits = new Map<string, string>();
  let head: string | undefined;
  for (const line of text.split('\n')) {
    const [value = '', name] = line.split('\t');
    if (name === undefined) continue;
    if (name === 'HEAD' && value.startsWith('ref: ')) {
      const target = value.slice('ref: '.length);
      if (isGitRef(target)) head = target;
    } else if (isCommit(value)) commits.set(name, value);
  }
  return { commits, head };
}

/** The arguments of `git ls-remote`: the names that a ref may mean. */
function patternsOf(ref: string): string[] {
  if (ref === '') return ['HEAD'];
  return [ref, `${HEADS}${ref}`, `${TAGS}${ref}`].filter((name) => name.startsWith('refs/')).flatMap((
    name,
  ) => [name, `${name}^{}`]);
}

/**
 * The commit of a ref: a full name before a branch, as git has it, and a branch before a tag. Otherwise somebody who
 * may push a branch named `refs/heads/main` could pass it off as main. An annotated tag means its commit. Without a
 * ref, the default branch is used.
 */
function resolveRef({ commits, head }: RemoteRefs, ref: string): ResolvedRef | undefined {
  if (ref === '') {
    const commit = commits.get('HEAD');
    const branch = head?.startsWith(HEADS) ? head.slice(HEADS.length) : undefined;
    return commit === undefined ? undefined : { commit, ref: branch ?? commit, branch };
  }
  for (const name of [...(ref.startsWith('refs/') ? [ref] : []), `${HEADS}${ref}`, `${TAGS}${ref}`]) {
    const commit = commits.get(`${name}^{}`) ?? commits.get(name);
    if (commit !== undefined)
      return { commit, ref, branch: name.startsWith(HEADS) ? name.slice(HEADS.length) : undefined };
  }
  return undefined;
}

/** Why nothing can be checked out, with similar names. */
function unknownRef({ commits }: RemoteRefs, ref: string): string {
  const names = [HEADS, TAGS].flatMap((prefix) =>
    [...commits.keys()].filter((name) => name.startsWith(prefix) && !name.endsWith('^{}')).map((name) =>
      name.slice(prefix.length)
    )
  );
  const more = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : '';
  const there = names.length === 0 ? 'it has none' : `there are: ${names.slice(0, SHOWN).join(', ')}${more}`;
  if (ref === '') return `the repository has no default branch; ${there}`;
  const hint = /^[0-9a-f]{7,63}$/.test(ref) ? '; a commit is named by all of its characters' : didYouMean(ref, names);
  return `the repository has no branch or tag "${ref}"; ${there}${hint}`;
}

/**
 * Turns a bare repository that no other user may enter yet into the repository of a work tree: sets its origin, and
 * what is checked out. Writing the files directly replaces six processes of git (gitrepository-layout(5)).
 */
async function arrangeRepository(folder: string, url: string, lfs: boolean, source?: ResolvedRef): Promise<void> {
  const config = await readFile(join(folder, 'config'), 'utf8');
  await writeFile(join(folder, 'config'), config.replace('bare = true', 'bare = false'));
  await appendFile(join(folder, 'config'),
    `[remote "origin"]\n\turl = ${quoted(url)}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n${
      lfs ? LFS_FILTER : ''
    }`);
  await rm(join(folder, 'FETCH_HEAD'), { force: true });
  if (source === undefined) return;
  const { commit, branch } = source;
  if (branch === undefined) return writeFile(join(folder, 'HEAD'), `${commit}\n`);
  for (const ref of [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`]) {
    await mkdir(dirname(join(folder, ref)), { recursive: true });
    await writeFile(join(folder, ref), `${commit}\n`);
  }
  await appendFile(join(folder, 'config'),
    `[branch ${quoted(branch)}]\n\tremote = origin\n\tmerge = ${quoted(`refs/heads/${branch}`)}\n`);
  await writeFile(join(folder, 'HEAD'), `ref: refs/heads/${branch}\n`);
}

/** What `git lfs install` writes into the configuration of a repository. */
const LFS_FILTER = '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n' +
  '\tprocess = git-lfs filter-process\n\trequired = true\n[lfs]\n\trepositoryformatversion = 0\n';

/** Quotes values and names of sections (git-config(1), "Syntax"). */
function quoted(text: string): string {
  if (/[\u0000-\u001f]/.test(text)) throw new Error('the address of the repository has control characters');
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

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
type Fetched = { readonly source: ResolvedRef | undefined } | { readonly failure: Failure };

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
    await arrangeRepository(join(request.target, '.git'), plan.gitUrl, plan.lfs);
    return undefined;
  }
  work.sourceFound(found.ref, found.commit);
  const repository: FetchedRepository = {
    address: plan.gitUrl,
    commit: found.commit,
    folder: join(request.target, '.git'),
  };
  await fetchCommit(request, repository, { ref: found.ref, isKnown, env });
  await arrangeRepository(repository.folder, plan.gitUrl, plan.lfs, found);
  if (plan.submodules === 'direct' || plan.submodules === 'recursive')
    await fetchSubmodules(request, repository, { env, levels: plan.submodules === 'direct' ? 1 : MOST_LEVELS });
  return found;
}

interface Levels {
  /** Levels of submodules that are fetched. */
  readonly levels: number;
  readonly env: Readonly<Record<string, string>>;
  /** How many were fetched. */
  readonly count?: { fetched: number };
}

/** Fetches submodules into the folders where git looks for them. */
async function fetchSubmodules(request: SourceRequest, parent: FetchedRepository,
  { levels, env, count = { fetched: 0 } }: Levels): Promise<void>
{
  if (levels === 0) return;
  const submodules = await submodulesOf(request, parent).catch((error: Error) => {
    throw failure(error.message);
  });
  for (const submodule of submodules) {
    if (++count.fetched > MOST_SUBMODULES) throw failure(`it has more than ${MOST_SUBMODULES} submodules`);
    const { address, commit } = submodule;
    const repository = { address, commit, folder: folderOf(parent.folder, submodule) };
    const own = mayUse(request.plan.credentials, address) ? env : {};
    await mkdir(repository.folder, { recursive: true });
    await fetchCommit(request, repository, { ref: commit, isKnown: true, env: own });
    await arrangeRepository(repository.folder, address, request.plan.lfs, { commit, ref: commit });
    await fetchSubmodules(request, repository, { levels: levels - 1, env, count });
  }
}

/**
 * A further attempt or a retry uses the same commit, even if the branch has moved; the server says whether the ref is a
 * branch.
 */
async function knownCommit(request: SourceRequest, env: Readonly<Record<string, string>>): Promise<ResolvedRef> {
  const { commit, gitRef } = request.plan;
  if (isCommit(gitRef) || gitRef === '') return { commit: commit || gitRef, ref: gitRef || commit };
  const now = resolveRef(await list(request, patternsOf(gitRef), env), gitRef);
  return { commit, ref: gitRef, branch: now?.branch };
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

interface Fetch {
  /** By which the commit was found; its name in a kept clone. */
  readonly ref: string;
  /** The server need not be asked for a commit that is there. */
  readonly isKnown: boolean;
  readonly env: Readonly<Record<string, string>>;
}

async function fetchCommit(request: SourceRequest, { address, commit, folder: target }: FetchedRepository,
  { ref, isKnown, env }: Fetch): Promise<void>
{
  const { context, work, plan, folder } = request;
  const { kept } = context;
  const lfs = plan.lfs ? 'yes' : 'no';
  const fetchInto = (repository: string, keep: string): Promise<ProcessEnd> =>
    runGit(context, work, {
      argv: shell(FETCH, repository, formatOf(commit), plan.checkout, address, commit, keep, isKnown ? 'yes' : 'no',
        lfs),
      cwd: folder,
      env,
    });
  const fetchDirectly = async (): Promise<void> => check(await fetchInto(target, ''), commit);
  if (!kept.isOpen) return fetchDirectly();
  // A project uses only its own clones, and those that were fetched with credentials only with credentials: reading a
  // clone requires that they were shown.
  const access = Object.keys(env).length > 0 ? 'private' : 'open';
  const depth = plan.checkout === 'full' ? 'full' : 'shallow';
  const key = hash([work.assignment.projectId, address, depth, access].join('\0'));
  const taken = await kept.change('clones', key, work.limits.ended, async (path) => {
    const clone = join(path, 'git');
    const fetched = uncut(await fetchInto(clone, `refs/quire/${hash(ref)}`));
    if (fetched.exitCode !== 0) return fetched;
    return uncut(await runGit(context, work, {
      argv: shell(TAKE, target, formatOf(commit), plan.checkout, clone, commit, lfs),
      cwd: folder,
      env: { GIT_ALLOW_PROTOCOL: 'file' },
    }));
  });
  if (taken.exitCode === 0 || taken.exitCode === NO_SUCH_COMMIT || taken.exitCode === NO_LFS)
    return check(taken, commit);
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
  if (exitCode === NO_LFS) throw failure('the pipeline asks for files in Git LFS, and this ship has no git-lfs');
  if (exitCode === NO_SUCH_COMMIT && commit !== undefined) throw failure(`the repository has no commit ${commit}`);
  throw failure(exitCode === null ? `git was ended by ${signal}` : `git exited with code ${exitCode}`, end);
}
