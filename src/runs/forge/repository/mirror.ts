import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectConfig, RunsConfig } from '../../config/index.ts';
import { GitFailure } from './git.ts';
import { mirrorsOf, type ProjectGit, type RemoteDeps, withGit } from './remote.ts';

const FETCH_MS = 300_000;
const READ_MS = 60_000;
/** Most bytes of a mirror on disk. */
const MAX_MIRROR = 2 * 1024 ** 3;
/** Above this number, the packs of a mirror are made one. */
const MAX_PACKS = 50;
/** Most bytes of a list of files. */
const MAX_OUTPUT = 8 * 1024 * 1024;

/** A mirror that is used by one at a time. Commits are full names. */
export interface Mirror {
  /** Fetches a commit unless it is there; `ref`: a ref that leads to it, in case that servers send none by its name. */
  fetch(commit: string, ref: string): Promise<void>;
  /** Fetches all branches, and removes those that are gone. */
  fetchBranches(): Promise<void>;
  /** Fetches the contents of files at once, by their names as objects; git would fetch them one by one. */
  fetchContents(blobs: readonly string[]): Promise<void>;
  /** Whether a commit is there. */
  has(commit: string): Promise<boolean>;
  /** The output of a git command that reads; `input`: what it reads itself. */
  read(args: readonly string[], maxBytes?: number, input?: string): Promise<Buffer>;
}

/**
 * Copies of repositories on this server, without the contents of files where the repository's server allows that. They
 * are read for pipelines and for changed files, never checked out. One that is broken is removed, and made again.
 */
export class Mirrors {
  readonly #deps: RemoteDeps;
  /** The use under way of each project's mirror. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(deps: RemoteDeps) {
    this.#deps = deps;
  }

  /** Uses the mirror of a project after all others that use it. Rejects with a `GitFailure`. */
  use<T>(config: RunsConfig, project: ProjectConfig, work: (mirror: Mirror) => Promise<T>,
    signal?: AbortSignal): Promise<T>
  {
    const before = this.#turns.get(project.id) ?? Promise.resolve();
    const turn = before.catch(() => {}).then(() => this.#use(config, project, work, signal));
    this.#turns.set(project.id, turn);
    const done = (): void => {
      if (this.#turns.get(project.id) === turn) this.#turns.delete(project.id);
    };
    turn.then(done, done);
    return turn;
  }

  #use<T>(config: RunsConfig, project: ProjectConfig, work: (mirror: Mirror) => Promise<T>,
    signal?: AbortSignal): Promise<T>
  {
    // Project ids have no `/` and no dot.
    const folder = join(mirrorsOf(config), `${project.id}.git`);
    return withGit(config, project, this.#deps, async (all) => {
      const git: ProjectGit = { ...all, run: (call) => all.run({ ...(signal && { signal }), ...call }) };
      try {
        await prepare(git, folder);
        return await work(mirrorIn(git, folder));
      } catch (error) {
        if (!(error instanceof GitFailure) || !(await isBroken(git, folder))) throw error;
        await rm(folder, { recursive: true, force: true });
        await prepare(git, folder);
        return await work(mirrorIn(git, folder));
      }
    });
  }
}

async function prepare(git: ProjectGit, folder: string): Promise<void> {
  const run = (...args: string[]): Promise<Buffer> => git.run({ args, timeoutMs: READ_MS, maxBytes: MAX_OUTPUT });
  if (!(await isThere(join(folder, 'HEAD')))) {
    await rm(folder, { recursive: true, force: true });
    await run('init', '--quiet', '--bare', '--template=', folder);
    // Objects that a command lacks are fetched from here.
    await run('-C', folder, 'config', 'remote.origin.promisor', 'true');
    await run('-C', folder, 'config', 'remote.origin.partialclonefilter', 'blob:none');
  }
  await run('-C', folder, 'config', 'remote.origin.url', git.url);
}

function mirrorIn(git: ProjectGit, folder: string): Mirror {
  const run = (args: readonly string[], timeoutMs: number, maxBytes = MAX_OUTPUT,
    { env = {}, input = '' }: { env?: Readonly<Record<string, string>>; input?: string } = {}): Promise<Buffer> =>
    git.run({ args: ['-C', folder, ...args], timeoutMs, maxBytes, env, input });
  // Without fetching it, which a promisor would do.
  const has = (commit: string): Promise<boolean> =>
    run(['cat-file', '-e', `${commit}^{commit}`], READ_MS, MAX_OUTPUT, { env: { GIT_NO_LAZY_FETCH: '1' } }).then(
      () => true,
      () => false,
    );
  const fetch = (...refs: string[]): Promise<Buffer> =>
    run(['fetch', '--quiet', '--force', '--no-tags', '--no-write-fetch-head', '--filter=blob:none', 'origin', ...refs],
      FETCH_MS);
  const fetchBranches = async (): Promise<void> => void await fetch('+refs/heads/*:refs/heads/*', '--prune');
  return {
    has,
    fetchBranches,
    async fetchContents(blobs) {
      // Git connects only if one of them is missing.
      await run(['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', '--quiet', '--no-tags', '--no-write-fetch-head',
        '--filter=blob:none', '--stdin', 'origin'], FETCH_MS, MAX_OUTPUT, { input: `${blobs.join('\n')}\n` });
      await checkSize(folder);
    },
    async fetch(commit, ref) {
      if (await has(commit)) return;
      // All branches, so that the base of a comparison is there, too.
      await fetchBranches();
      if (!(await has(commit))) await fetch(`+${commit}:refs/quire/${commit}`).catch(() => undefined);
      if (!(await has(commit)) && ref !== '') await fetch(`+${ref}:refs/quire/latest`);
      if (!(await has(commit))) throw new GitFailure(`the repository has no commit ${commit}`, 0);
      await checkSize(folder);
      // Git's own upkeep is off: it would run behind our back.
      if (await countPacks(folder) > MAX_PACKS) await run(['repack', '-a', '-d', '--quiet'], FETCH_MS);
    },
    read: (args, maxBytes, input) => run(args, READ_MS, maxBytes, { ...(input !== undefined && { input }) }),
  };
}

/** Whether git itself cannot read the mirror, as after a crash of the machine. */
async function isBroken(git: ProjectGit, folder: string): Promise<boolean> {
  if (!(await isThere(folder))) return false;
  return git.run({
    args: ['-C', folder, 'for-each-ref', '--format=%(objecttype)'],
    timeoutMs: READ_MS,
    maxBytes: MAX_OUTPUT,
    env: { GIT_NO_LAZY_FETCH: '1' },
  }).then(() => false, () => true);
}

const isThere = (path: string): Promise<boolean> => stat(path).then(() => true, () => false);

const packsOf = (folder: string): Promise<string[]> =>
  readdir(join(folder, 'objects', 'pack')).catch((): string[] => []);

async function countPacks(folder: string): Promise<number> {
  return (await packsOf(folder)).filter((name) => name.endsWith('.pack')).length;
}

async function checkSize(folder: string): Promise<void> {
  const packs = join(folder, 'objects', 'pack');
  let total = 0;
  for (const name of await packsOf(folder))
    total += (await stat(join(packs, name)).catch(() => ({ size: 0 }))).size;
  if (total <= MAX_MIRROR) return;
  await rm(folder, { recursive: true, force: true });
  throw new GitFailure(`its mirror is larger than ${MAX_MIRROR / 1024 ** 3} GiB even without the contents of files`, 0);
}
