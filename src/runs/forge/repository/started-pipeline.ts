import { ServiceError } from '../../../errors/index.ts';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import { isGitRef } from '../../../lib/git-ref.ts';
import type { ProjectConfig } from '../../config/index.ts';
import { namesOf } from '../kinds/payload.ts';
import type { ForgeOrigin, WantedPipeline } from '../port.ts';
import type { Mirror } from './mirror.ts';
import type { PipelinesAt } from './pipeline-files.ts';
import type { FoundRef } from './remote.ts';

/**
 * A ref that may define a pipeline: the name of a branch or tag, in full or not, or a commit. Throws `invalid_input`
 * for others, such as `refs/pull/7/head`, behind which is what strangers have written.
 */
export function requireTrusted(ref: string | undefined): string | undefined {
  if (ref === undefined) return undefined;
  const shown = JSON.stringify(ref.slice(0, 80).toWellFormed());
  if (!isGitRef(ref))
    throw new ServiceError('invalid_input', `ref must name a branch, a tag or a commit, got ${shown}`);
  if (ref.startsWith('refs/') && namesOf(ref) === undefined)
    throw new ServiceError('invalid_input',
      `ref: pipelines of a repository are read at its branches and tags, not at ${shown}`);
  return ref;
}

/** What a run keeps of a pipeline that no event of the forge has started; the name of a commit alone is empty. */
export function originOf({ forge }: ProjectConfig, event: WantedPipeline['event'],
  { name, commit }: FoundRef): ForgeOrigin
{
  const ref = name === 'HEAD' ? '' : name;
  const { branch = '', tag = '' } = namesOf(ref) ?? {};
  return {
    forge,
    event,
    action: '',
    delivery: '',
    ref,
    branch,
    tag,
    commit,
    before: '',
    title: '',
    author: '',
    url: '',
  };
}

/** Whether a branch of the mirror contains a commit. */
export async function isOnBranch(mirror: Mirror, commit: string): Promise<boolean> {
  if (!(await mirror.has(commit))) return false;
  return (await mirror.read(['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/heads'])).length > 0;
}

/** Names that an error message lists, and characters of a name that it repeats. */
const [MAX_NAMES, SHOWN] = [10, 80];

/** Says which pipelines there are, or what is wrong with the file of the wanted one. */
export function noPipeline({ id }: ProjectConfig, task: string, commit: string,
  { pipelines, rejected }: PipelinesAt): ServiceError
{
  const wrong = rejected.find(({ file }) => file === '.quire/' || fileOf(file) === task);
  const names = pipelines.map(({ pipeline }) => pipeline.name);
  const there = names.length === 0 ? 'it has none' : `it has: ${names.slice(0, MAX_NAMES).join(', ')}`;
  return new ServiceError('pipeline_unavailable',
    wrong === undefined
      ? `task: no pipeline "${
        task.slice(0, SHOWN).toWellFormed()
      }" in the configuration for the project ${id}, nor in ` +
        `.quire of its repository at ${commit.slice(0, 12)}; ${there}${didYouMean(task.slice(0, SHOWN), names)}`
      : `task: ${wrong.reason}`);
}

const fileOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
