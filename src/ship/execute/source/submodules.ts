import { join } from 'node:path';
import { isBelow, submoduleAddress } from '../../../lib/git-address.ts';
import { isCommit } from '../../../lib/git-ref.ts';
import { collector, GIT, runGit } from '../git.ts';
import type { ProcessEnd } from '../process/run-process.ts';
import type { SourceRequest } from './fetch-source.ts';

/** A submodule at a commit of its repository. */
export interface Submodule {
  /** Name of its folder in `.git/modules`. */
  readonly name: string;
  readonly address: string;
  readonly commit: string;
}

/** A fetched repository. */
export interface FetchedRepository {
  readonly address: string;
  readonly commit: string;
  /** Its folder for git. */
  readonly folder: string;
}

/** Most submodules of one repository, and of a checkout with `recursive`. */
export const MOST_SUBMODULES = 200;
/** Submodules of submodules, and so on. */
export const MOST_LEVELS = 8;

/** Lists the submodules of a repository at a commit. Throws a readable reason. */
export async function submodulesOf(request: SourceRequest,
  { address, commit, folder }: FetchedRepository): Promise<Submodule[]>
{
  const settings = await read(request, folder, ['config', '--blob', `${commit}:.gitmodules`, '--null', '--list']);
  if (settings === undefined) return [];
  const declared = readSettings(settings).filter(({ path, url }) => path !== undefined && url !== undefined);
  if (declared.length > MOST_SUBMODULES)
    throw new Error(`it has ${declared.length} submodules, at most ${MOST_SUBMODULES} are fetched`);
  if (declared.length === 0) return [];
  const paths = declared.map(({ path }) => path!);
  const listed = await read(request, folder, ['--literal-pathspecs', 'ls-tree', '-z', commit, '--', ...paths]);
  const commits = new Map((listed ?? '').split('\0').flatMap((line) => {
    const [, type, hash, path] = /^160000 (commit) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return type !== undefined && isCommit(hash!) ? [[path!, hash!] as const] : [];
  }));
  return declared.flatMap(({ name, path, url }) => {
    const found = commits.get(path!.replace(/\/+$/, ''));
    if (found === undefined) return []; // declared, but not in this commit
    const resolved = submoduleAddress(address, url!);
    if (resolved === undefined) throw new Error(`its submodule ${path} has no address that may be used`);
    return [{ name, address: resolved, commit: found }];
  });
}

/** Whether the credentials of a repository may be used for a submodule: below the address that they are for. */
export function mayUse(credentials: SourceRequest['plan']['credentials'], address: string): boolean {
  return credentials !== undefined && credentials.url !== '' && isBelow(address, credentials.url);
}

/** Characters of a setting with its name. */
const MAX_ENTRY = 4096;

interface Declared {
  readonly name: string;
  readonly path?: string;
  readonly url?: string;
}

/** `submodule.NAME.path` and so on, as `git config --null --list` prints them. */
function readSettings(text: string): Declared[] {
  const found = new Map<string, { name: string; path?: string; url?: string }>();
  for (const entry of text.split('\0')) {
    if (entry.length > MAX_ENTRY) continue;
    const [, name, key, value] = /^submodule\.(.+)\.(path|url)\n(.*)$/s.exec(entry) ?? [];
    if (name === undefined || !isSafe(name) || (key === 'path' && !isSafe(value!))) continue;
    const known = found.get(name) ?? { name };
    found.set(name, { ...known, [key!]: value });
  }
  return [...found.values()];
}

/** A relative path without `..`, which git would refuse, too, and no option. */
function isSafe(path: string): boolean {
  return path !== '' && path.length <= 512 && !/[\u0000-\u001f\u007f\\]/.test(path) && !/^[-/]/.test(path) &&
    !path.split('/').some((part) => part === '..' || part === '.' || part.toLowerCase() === '.git');
}

/** The output of git; undefined if it fails, as it does for a file that the commit does not have. */
async function read({ context, work, folder: cwd }: SourceRequest, repository: string,
  args: readonly string[]): Promise<string | undefined>
{
  const stdout = collector();
  const end: ProcessEnd = await runGit(context, work, {
    argv: [...GIT, `--git-dir=${repository}`, ...args],
    cwd,
    stdout,
    isQuiet: true,
  });
  return end.exitCode === 0 ? stdout.text() : undefined;
}

/** The folder of a submodule below that of its repository, where git looks for it. */
export const folderOf = (repository: string, { name }: Submodule): string => join(repository, 'modules', name);
