import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Failure } from '../failure.ts';
import { GIT } from '../git.ts';
import type { ProcessEnd } from '../process/run-process.ts';
import { fetchSource, type ResolvedRef } from '../source/fetch-source.ts';
import type { StepSetting } from './run-step.ts';
import { runTool } from './run-tool.ts';
import { handOver } from './work-folder.ts';

interface CheckedOut {
  /** The commit that the steps use; absent if nothing is checked out. */
  readonly source?: ResolvedRef;
  readonly failure?: Failure;
}

/**
 * Fetches the repository into the folder where steps start, and hands the folder over to the run; returns what went
 * wrong. Git fetches with credentials into a folder that only this process may enter, and writes no file of the
 * repository there. The run itself writes those: as its user, in its sandbox, without credentials.
 */
export async function checkOut(setting: StepSetting): Promise<CheckedOut> {
  const { context, work, plan, folder, user } = setting;
  if (plan.checkout === 'none' || plan.checkout === '') {
    await handOver(folder, user);
    return {};
  }
  const fetched = await fetchSource({ context, work, plan, folder: folder.path, target: folder.source });
  if (user !== undefined)
    await promisify(execFile)('chown', ['-R', '-h', '-P', `${user.uid}:${user.gid}`, '--', folder.source]);
  await handOver(folder, user);
  if ('failure' in fetched) return fetched;
  const failure = fetched.source === undefined ? undefined : failureOf(await writeFiles(setting));
  return { source: fetched.source, failure };
}

/** Writes the files of the repository and of its submodules, which are all on this machine by now. */
async function writeFiles(setting: StepSetting): Promise<ProcessEnd> {
  const { plan, folder } = setting;
  const git = (name: string, ...args: string[]): Promise<ProcessEnd> =>
    runTool(setting, { name, step: null }, {
      argv: [...GIT, '-c', 'core.fsmonitor=false', ...args],
      cwd: folder.source,
      // Without `lfs`, files in Git LFS stay pointers, which a step can resolve with a secret of its own.
      env: { ...(!plan.lfs && { GIT_LFS_SKIP_SMUDGE: '1' }), GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: '' },
    });
  const written = await git('checkout', 'reset', '--hard', '--quiet');
  if (written.exitCode !== 0 || (plan.submodules !== 'direct' && plan.submodules !== 'recursive')) return written;
  return git('submodules', 'submodule', '--quiet', 'update', '--init', '--no-fetch', '--checkout',
    ...(plan.submodules === 'recursive' ? ['--recursive'] : []));
}

function failureOf({ exitCode, signal, spawnError }: ProcessEnd): Failure | undefined {
  if (spawnError !== undefined) return { code: 'spawn_failed', message: `the checkout can't start: ${spawnError}` };
  if (exitCode === 0) return undefined;
  const how = exitCode === null ? `git was ended by ${signal}` : `git exited with code ${exitCode}`;
  return { code: 'step_failed', message: `the checkout failed: ${how}`, exitCode, signal };
}
