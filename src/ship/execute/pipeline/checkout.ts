import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { marksOf, type ExecutorContext, type Work } from '../context.ts';
import type { Failure } from '../failure.ts';
import { GIT, gitEnvironment } from '../git.ts';
import { runProcess, type ProcessEnd } from '../process/index.ts';
import { handOver } from './work-folder.ts';
import type { StepSetting } from './run-step.ts';

/**
 * Fetches the repository into the folder where steps start, and hands the folder over; says what went wrong. Git fetches with
 * the machine's credentials into a folder that only this process may enter, and writes no file of the repository there. It
 * writes those as the run itself: as its user, behind its fence, without credentials.
 */
export async function checkOut(setting: StepSetting): Promise<Failure | undefined> {
  const { context, work, plan, folder, user } = setting;
  if (plan.checkout === 'none' || plan.checkout === '') return handOver(folder, user).then(() => undefined);
  if (plan.gitUrl === '') return { code: 'step_failed', message: 'the checkout failed: the project has no address for git' };
  const depth = plan.checkout === 'full' ? [] : ['--depth=1', '--single-branch', '--no-tags'];
  const cloned = await fetch(context, work, folder.path, [...GIT, 'clone', '--no-checkout', '--template=', ...depth, '--', plan.gitUrl, folder.source]);
  const failure = failureOf(cloned);
  if (user !== undefined) await promisify(execFile)('chown', ['-R', '-h', '-P', `${user.uid}:${user.gid}`, '--', folder.source]);
  await handOver(folder, user);
  return failure ?? failureOf(await writeFiles(setting));
}

function fetch(context: ExecutorContext, { ref, output, limits }: Work, cwd: string, argv: readonly string[]): Promise<ProcessEnd> {
  const marks = marksOf(ref);
  return runProcess(
    { argv, cwd, env: gitEnvironment(context, marks), marks, stdout: output.writer('stdout', null), stderr: output.writer('stderr', null) },
    { stop: limits.ended, graceMs: () => limits.graceMs, kill: limits.over, leaseLeft: limits.leaseLeft },
  );
}

/** A repository without a commit has none. Files that are kept elsewhere (LFS) would need credentials: a step can fetch them. */
const WRITE_FILES = 'git rev-parse --quiet --verify HEAD >/dev/null || exit 0; exec "$@"';

async function writeFiles({ context, work, plan, folder, user, sandbox, view }: StepSetting): Promise<ProcessEnd> {
  const { output, limits, ref } = work;
  const marks = marksOf(ref);
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = context.env;
  const env = { PATH, LANG: 'C.UTF-8', HOME: folder.home, TMPDIR: folder.temporary, GIT_LFS_SKIP_SMUDGE: '1', GIT_TERMINAL_PROMPT: '0', ...Object.fromEntries(marks.map((mark) => mark.split('='))) };
  const argv = ['/bin/sh', '-c', WRITE_FILES, 'sh', ...GIT, '-c', 'core.fsmonitor=false', 'reset', '--hard', '--quiet'];
  // The image of a container may have no git.
  const chosen = sandbox === 'container' ? await context.sandboxes.choose('auto') : { name: sandbox };
  const fence = 'name' in chosen ? chosen.name : 'none';
  const name = `quire-${ref.runId}-${ref.attempt}-${ref.fencingToken}-checkout`;
  const wrapped = context.sandboxes.wrap(fence, { argv, cwd: folder.source, env, folder: folder.path, view, name, image: plan.image, ...(user !== undefined && { user }) });
  return runProcess(
    { ...wrapped, marks, ...(user !== undefined && { ownUser: user.uid }), stdout: output.writer('stdout', null), stderr: output.writer('stderr', null) },
    { stop: limits.ended, graceMs: () => limits.graceMs, kill: limits.over, leaseLeft: limits.leaseLeft },
  );
}

function failureOf({ exitCode, signal, spawnError }: ProcessEnd): Failure | undefined {
  if (spawnError !== undefined) return { code: 'spawn_failed', message: `the checkout can't start: ${spawnError}` };
  if (exitCode === 0) return undefined;
  const how = exitCode === null ? `git was ended by ${signal}` : `git exited with code ${exitCode}`;
  return { code: 'step_failed', message: `the checkout failed: ${how}`, exitCode, signal };
}
