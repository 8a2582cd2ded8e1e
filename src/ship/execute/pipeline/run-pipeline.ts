import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Outcome, type PipelinePlan, type Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatDuration } from '../../../lib/duration.ts';
import type { ExecutorContext, Work } from '../context.ts';
import { failed, type Failure } from '../failure.ts';
import { GIT } from '../git.ts';
import type { StepResult, WorkResult } from '../port.ts';
import type { ProcessEnd } from '../process/run-process.ts';
import type { SandboxName } from '../sandbox/index.ts';
import { fetchSource, type ResolvedRef } from '../source/fetch-source.ts';
import { keepArtifacts, restoreArtifacts } from './artifacts.ts';
import { readResult, readSummary } from './result-file.ts';
import { runStep, type StepSetting } from './run-step.ts';
import { runTool } from './run-tool.ts';
import { restoreCache } from './step-cache.ts';
import { handOver, makeWorkFolder, removeFolder } from './work-folder.ts';

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
async function checkOut(setting: StepSetting): Promise<CheckedOut> {
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

/** Files in external storage (LFS) would need credentials; a step can fetch them. */
async function writeFiles(setting: StepSetting): Promise<ProcessEnd> {
  return runTool(setting, { name: 'checkout', step: null }, {
    argv: [...GIT, '-c', 'core.fsmonitor=false', 'reset', '--hard', '--quiet'],
    cwd: setting.folder.source,
    env: { GIT_LFS_SKIP_SMUDGE: '1', GIT_TERMINAL_PROMPT: '0' },
  });
}

function failureOf({ exitCode, signal, spawnError }: ProcessEnd): Failure | undefined {
  if (spawnError !== undefined) return { code: 'spawn_failed', message: `the checkout can't start: ${spawnError}` };
  if (exitCode === 0) return undefined;
  const how = exitCode === null ? `git was ended by ${signal}` : `git exited with code ${exitCode}`;
  return { code: 'step_failed', message: `the checkout failed: ${how}`, exitCode, signal };
}

/** Runs the commands of a pipeline in a new folder (decisions, section 5, "pipeline"). */
export async function runPipeline(context: ExecutorContext, work: Work, plan: PipelinePlan): Promise<WorkResult> {
  const chosen = await context.sandboxes.choose(
    plan.sandbox === 'inherit' || plan.sandbox === '' ? context.sandbox : plan.sandbox,
  );
  if ('reason' in chosen) return failed({ code: 'ship_error', message: chosen.reason }, work.masker);
  const sandbox = chosen.name;
  if (sandbox === 'container' && plan.image === '')
    return failed({
      code: 'spawn_failed',
      message: 'the sandbox container needs an image, and the pipeline names none',
    }, work.masker);
  const user = await context.users?.acquire(work.limits.leaseLeft);
  try {
    return await runInFolder({ context, work, plan, sandbox, user });
  } finally {
    const survivors = await user?.release(!PRIVATE_PLACES.includes(sandbox)).catch(cleaningFailed(context, work)) ?? [];
    if (survivors.length > 0)
      context.log.error({ run: work.ref.runId, processes: survivors }, 'processes of a run cannot be killed');
  }
}

/** In these sandboxes a step shares no folder with other runs in which it could leave files. */
const PRIVATE_PLACES: readonly SandboxName[] = ['bubblewrap', 'namespaces', 'container'];

async function runInFolder(setting: Omit<StepSetting, 'folder' | 'view'>): Promise<WorkResult> {
  const { context, work, user } = setting;
  const folder = await makeWorkFolder(context.workDir, `${work.ref.runId}.${work.ref.attempt}`, work.assignment.input,
    user);
  try {
    return await runSteps({ ...setting, folder, view: context.view() });
  } finally {
    if (context.keepWork) {
      await chmod(folder.path, 0o700); // the next run may get this user
      context.log.info({ run: work.ref.runId, folder: folder.path }, 'work folder kept');
    } else {
      await removeFolder(folder.path, user).catch(cleaningFailed(context, work));
    }
  }
}

/** A full disk must not hide how the run ended; the rest is removed when the ship starts again. */
function cleaningFailed({ log }: ExecutorContext, { ref }: Work): (err: unknown) => undefined {
  return (err) => {
    log.error({ err, run: ref.runId }, 'what a run has used could not be cleared');
    return undefined;
  };
}

/** Runs the steps in order. After the first failure, and when the work must end, only those marked `always` run. */
async function runSteps(before: StepSetting): Promise<WorkResult> {
  const { work, plan } = before;
  const { limits, output } = work;
  const { source, failure: notCheckedOut } = await checkOut(before);
  const setting = { ...before, source };
  const problem = notCheckedOut ?? await restoreArtifacts(setting);
  const steps: StepResult[] = [];
  let failure = problem;
  let cutShort = failure !== undefined && limits.ended.aborted;
  if (cutShort) failure = undefined;
  for (const step of plan.steps) {
    if (failure !== undefined && !step.always) continue;
    if (limits.isSpent || (limits.ended.aborted && !step.always)) {
      cutShort = true;
      continue;
    }
    work.started();
    const problem = await runWhole(setting, step, steps);
    if (problem === undefined) continue;
    if (problem === 'stopped' || limits.isSpent || (limits.ended.aborted && !step.always)) cutShort = true;
    else if (step.continueOnError) await output.note('warn', `${problem.message}; the run goes on`, step.name);
    else {
      output.keep(step.name);
      failure ??= problem;
    }
  }
  return { ...await resultOf(setting, failure, cutShort), ...await summaryOf(setting), steps };
}

/** Also what a run says of itself that has failed or was stopped. */
async function summaryOf(
  { work: { masker, output }, folder, user }: StepSetting,
): Promise<Pick<WorkResult, 'summary'>> {
  const found = await readSummary(folder.summaryFile, masker, user);
  if (found !== undefined && 'problem' in found) await output.note('warn', found.problem);
  return found !== undefined && 'summary' in found ? { summary: found.summary } : {};
}

/** Runs a step with the work before and after it: its cache, and the files that it produces. */
async function runWhole(setting: StepSetting, step: Step,
  steps: StepResult[]): Promise<Failure | 'stopped' | undefined>
{
  const { clock } = setting.context;
  const startedMs = clock.now();
  const cache = await restoreCache(setting, step);
  const problem = cache !== undefined && 'code' in cache ? cache : await runStep(setting, step);
  const [exitCode, signal] = typeof problem === 'object'
    ? [problem.exitCode ?? null, problem.signal ?? null]
    : [problem === undefined ? 0 : null, null];
  steps.push({ name: step.name, startedMs, endedMs: clock.now(), outcome: stepOutcome(problem), exitCode, signal });
  if (problem === 'stopped') return problem;
  if (problem === undefined && cache !== undefined && 'save' in cache) await cache.save();
  const lost = await keepArtifacts(setting, step);
  // For a failed step, its own failure is reported.
  return problem ?? lost;
}

function stepOutcome(problem: Failure | 'stopped' | undefined): StepResult['outcome'] {
  if (problem === undefined) return 'succeeded';
  if (problem === 'stopped') return 'stopped';
  return problem.code === 'timeout' ? 'timed_out' : 'failed';
}

async function resultOf({ work, folder, user }: StepSetting, failure: Failure | undefined,
  cutShort: boolean): Promise<WorkResult>
{
  const { limits, masker, output, assignment } = work;
  if (failure === undefined && cutShort) {
    if (limits.reason === 'stop') return { outcome: Outcome.CANCELLED };
    return failed({
      code: 'timeout',
      message: `the run took longer than ${formatDuration(Number(assignment.timeoutMs))}`,
    }, masker);
  }
  const result = await readResult(folder.resultFile, masker, user);
  if (typeof result === 'string') await output.note('warn', result);
  const ended = failure === undefined ? { outcome: Outcome.SUCCEEDED } : failed(failure, masker);
  return typeof result === 'object' ? { ...ended, result } : ended;
}
