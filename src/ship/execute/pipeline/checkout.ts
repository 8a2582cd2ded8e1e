import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { marksOf } from '../context.ts';
import type { Failure } from '../failure.ts';
import { GIT } from '../git.ts';
import { type ProcessEnd, runProcess } from '../process/index.ts';
import { fetchSource, type ResolvedRef } from '../source/index.ts';
import { fenceForTools, type StepSetting } from './run-step.ts';
import { handOver } from './work-folder.ts';

export interface CheckedOut {
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
  return { ...(fetched.source !== undefined && { source: fetched.source }), ...(failure !== undefined && { failure }) };
}

/** Files in external storage (LFS) would need credentials; a step can fetch them. */
async function writeFiles(setting: StepSetting): Promise<ProcessEnd> {
  const { context, work, plan, folder, user, view } = setting;
  const { output, limits, ref } = work;
  const marks = marksOf(ref);
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = context.env;
  const env = {
    PATH,
    LANG: 'C.UTF-8',
    HOME: folder.home,
    TMPDIR: folder.temporary,
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...Object.fromEntries(marks.map((mark) => mark.split('='))),
  };
  const argv = [...GIT, '-c', 'core.fsmonitor=false', 'reset', '--hard', '--quiet'];
  const name = `quire-${ref.runId}-${ref.attempt}-${ref.fencingToken}-checkout`;
  const wrapped = context.sandboxes.wrap(await fenceForTools(setting), {
    argv,
    cwd: folder.source,
    env,
    folder: folder.path,
    view,
    name,
    image: plan.image,
    ...(user !== undefined && { user }),
  });
  return runProcess({
    ...wrapped,
    marks,
    ...(user !== undefined && { ownUser: user.uid }),
    stdout: output.writer('stdout', null),
    stderr: output.writer('stderr', null),
  }, { stop: limits.ended, graceMs: () => limits.graceMs, kill: limits.over, leaseLeft: limits.leaseLeft });
}

function failureOf({ exitCode, signal, spawnError }: ProcessEnd): Failure | undefined {
  if (spawnError !== undefined) return { code: 'spawn_failed', message: `the checkout can't start: ${spawnError}` };
  if (exitCode === 0) return undefined;
  const how = exitCode === null ? `git was ended by ${signal}` : `git exited with code ${exitCode}`;
  return { code: 'step_failed', message: `the checkout failed: ${how}`, exitCode, signal };
}
