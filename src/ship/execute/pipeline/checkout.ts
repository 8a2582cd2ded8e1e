import type { PipelinePlan } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { marksOf, type ExecutorContext, type Work } from '../context.ts';
import type { Failure } from '../failure.ts';
import { GIT, gitEnvironment } from '../git.ts';
import { runProcess, type ProcessEnd } from '../process/index.ts';
import type { WorkFolder } from './work-folder.ts';

/** Fetches the repository into the folder where steps start; says what went wrong. */
export async function checkOut(context: ExecutorContext, work: Work, plan: PipelinePlan, folder: WorkFolder): Promise<Failure | undefined> {
  if (plan.checkout === 'none' || plan.checkout === '') return undefined;
  if (plan.gitUrl === '') return { code: 'step_failed', message: 'the checkout failed: the project has no address for git' };
  const depth = plan.checkout === 'full' ? [] : ['--depth=1', '--single-branch', '--no-tags'];
  const cloned = await run(context, work, folder, [...GIT, 'clone', ...depth, '--', plan.gitUrl, folder.source]);
  const failure = failureOf(cloned);
  if (failure !== undefined || context.user === undefined) return failure;
  const { uid, gid } = context.user;
  return failureOf(await run(context, work, folder, ['chown', '-R', '-h', `${uid}:${gid}`, '--', folder.source]));
}

function run(context: ExecutorContext, { ref, output, limits }: Work, folder: WorkFolder, argv: readonly string[]): Promise<ProcessEnd> {
  const marks = marksOf(ref);
  return runProcess(
    { argv, cwd: folder.path, env: gitEnvironment(context, marks), marks, stdout: output.writer('stdout', null), stderr: output.writer('stderr', null) },
    { stop: limits.ended, graceMs: () => limits.graceMs, kill: limits.over },
  );
}

function failureOf({ exitCode, signal, spawnError }: ProcessEnd): Failure | undefined {
  if (spawnError !== undefined) return { code: 'spawn_failed', message: `the checkout can't start: ${spawnError}` };
  if (exitCode === 0) return undefined;
  const how = exitCode === null ? `git was ended by ${signal}` : `git exited with code ${exitCode}`;
  return { code: 'step_failed', message: `the checkout failed: ${how}`, exitCode, signal };
}
