import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../lib/files.ts';
import { giveCredentials } from '../../../lib/git-credentials.ts';
import { environmentOfGit } from '../../../lib/git-environment.ts';
import { isCommit, isGitRef } from '../../../lib/git-ref.ts';
import { type Environment, inDataDir, type ProjectConfig, type RunsConfig } from '../../config/index.ts';
import { remoteOf } from '../../definitions/index.ts';
import type { SecretReader } from '../port.ts';
import { type GitCall, GitFailure, runGit } from './git.ts';

export interface RemoteDeps {
  readonly variables: Environment;
  /** The current value of a secret; undefined if it is not set. */
  readonly secretValue: SecretReader;
}

/** Git with the credentials of one project. */
export interface ProjectGit {
  readonly url: string;
  run(
    call: Omit<GitCall, 'env' | 'cwd'> & { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Buffer>;
}

/** The folder of all mirrors. */
export const mirrorsOf = (config: RunsConfig): string => inDataDir(config, 'mirrors');

/** Beginning of the names of folders with keys. */
const KEYS = '.git-';

/** Removes keys that a process has left that was killed. */
export async function removeKeys(config: RunsConfig): Promise<void> {
  const parent = mirrorsOf(config);
  const names = await readdir(parent).catch((): string[] => []);
  for (const name of names)
    if (name.startsWith(KEYS)) await rm(join(parent, name), { recursive: true, force: true });
}

const LIST_MS = 60_000;
/** Most bytes of a list of refs: about 200,000 refs. */
const MAX_LIST = 16 * 1024 * 1024;

/**
 * Calls `work` with git for a project's repository, which may use the transports of `local.git_protocols`. Keys are
 * files in a folder that is removed afterwards. Rejects with a `GitFailure` for a secret without a value.
 */
export async function withGit<T>(config: RunsConfig, project: ProjectConfig, { variables, secretValue }: RemoteDeps,
  work: (git: ProjectGit) => Promise<T>): Promise<T>
{
  const { url, git } = remoteOf(config, project);
  const parent = mirrorsOf(config);
  makeFolder(parent, 0o700);
  const folder = await mkdtemp(join(parent, KEYS));
  const valueOf = async (name: string): Promise<string> => {
    const value = name === '' ? '' : await secretValue(name);
    if (value === undefined) throw new GitFailure(`the secret ${name} of git.credentials has no value`, null);
    return value;
  };
  try {
    const given = await giveCredentials(git && {
      username: git.username,
      password: await valueOf(git.token),
      sshKey: await valueOf(git.sshKey),
      knownHosts: git.knownHosts,
    }, url, folder).catch((error: Error) => Promise.reject(new GitFailure(error.message, null)));
    const environment = { ...environmentOfGit(variables, config.local.git_protocols, parent), ...given.env };
    return await work({
      url,
      run: ({ env, ...call }) => runGit({ cwd: folder, ...call, env: { ...environment, ...env } }),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A branch or tag by its full name, with its commit. */
export interface FoundRef {
  readonly name: string;
  readonly commit: string;
}

/**
 * The branch or tag that a ref means, in the order in which ships look: a full name, a branch, a tag; the default
 * branch for none. Undefined if the repository has none. Rejects with a `GitFailure`.
 */
export async function findRef(git: ProjectGit, ref: string | undefined,
  signal?: AbortSignal): Promise<FoundRef | undefined>
{
  const names = ref === undefined
    ? ['HEAD']
    : [...(/^refs\/(heads|tags)\/./.test(ref) ? [ref] : []), `refs/heads/${ref}`, `refs/tags/${ref}`];
  const args = ['ls-remote', '--symref', '--', git.url, ...names.flatMap((name) => [name, `${name}^{}`])];
  const text = (await git.run({ args, timeoutMs: LIST_MS, maxBytes: MAX_LIST, ...(signal && { signal }) })).toString();
  const refs = readRefs(text);
  const name = names.find((each) => refs.has(each));
  const commit = name === undefined ? undefined : refs.get(name);
  if (name === undefined || commit === undefined) return undefined;
  if (name !== 'HEAD') return { name, commit };
  // The server says which branch it is, so the name is checked.
  const branch = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(text)?.[1];
  return { name: branch !== undefined && isGitRef(branch) ? branch : 'HEAD', commit };
}

/**
 * The commits of branches and tags by full name, as the repository has them now; an annotated tag stands for its
 * commit. `patterns` as `git ls-remote` takes them; by default all.
 */
export async function listRefs(git: ProjectGit, patterns: readonly string[] = ['refs/heads/*', 'refs/tags/*'],
  signal?: AbortSignal): Promise<ReadonlyMap<string, string>>
{
  const args = ['ls-remote', '--', git.url, ...patterns];
  return readRefs(
    (await git.run({ args, timeoutMs: LIST_MS, maxBytes: MAX_LIST, ...(signal && { signal }) })).toString(),
  );
}

/** What `git ls-remote` has written. */
function readRefs(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [commit = '', name] = line.split('\t');
    // A peeled tag follows the tag itself.
    if (name !== undefined && isCommit(commit)) refs.set(name.replace(/\^\{\}$/, ''), commit);
  }
  return refs;
}
