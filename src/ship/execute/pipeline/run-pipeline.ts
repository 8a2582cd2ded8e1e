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
import { BackgroundSteps } from './background.ts';
import { noteExceptions } from './notes.ts';
import { sendReports } from './reports.ts';
import { readResult, readSummary } from './result-file.ts';
import { runStep, type StepSetting } from './run-step.ts';
import { runTool } from './run-tool.ts';
import { restoreCache } from './step-cache.ts';
import { handOver, makeWorkFolder, removeAccounts, removeFolder } from './work-folder.ts';

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
      await removeAccounts(folder.path);
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

const NO_TIME = 'the time for steps that always run is over (queue.always_grace)';

/** Runs the steps in order. After the first failure, and when the work must end, only those marked `always` run. */
async function runSteps(before: StepSetting): Promise<WorkResult> {
  const { work, plan } = before;
  const { limits } = work;
  await noteExceptions(work);
  const { source, failure: notCheckedOut } = await checkOut(before);
  const background = new BackgroundSteps();
  const setting = { ...before, source, background };
  const problem = notCheckedOut ?? await restoreArtifacts(setting);
  const progress: Progress = { steps: [], failure: problem, cutShort: false };
  if (problem !== undefined && limits.ended.aborted) Object.assign(progress, { failure: undefined, cutShort: true });
  try {
    for (const step of plan.steps) await runNext(setting, step, progress);
  } finally {
    await background.end(setting);
  }
  await sendReports(setting, plan.reports);
  return {
    ...await resultOf(setting, progress.failure, progress.cutShort),
    ...await summaryOf(setting),
    steps: progress.steps,
  };
}

/** Also what a run says of itself that has failed or was stopped. */
async function summaryOf(
  { work: { masker, output }, folder, user }: StepSetting,
): Promise<Pick<WorkResult, 'summary'>> {
  const found = await readSummary(folder.summaryFile, masker, user);
  if (found !== undefined && 'problem' in found) await output.note('warn', found.problem);
  return found !== undefined && 'summary' in found ? { summary: found.summary } : {};
}

interface Progress {
  readonly steps: StepResult[];
  /** The first one, which the run reports. */
  failure: Failure | undefined;
  /** A step did not run to its end, because the work had to end. */
  cutShort: boolean;
}

async function runNext(setting: RunSetting, step: Step, progress: Progress): Promise<void> {
  const { work } = setting;
  const { limits, output } = work;
  if (progress.failure !== undefined && !step.always) return;
  if (limits.isSpent || (limits.ended.aborted && !step.always)) {
    progress.cutShort = true;
    if (step.always) await output.note('warn', `step ${step.name} did not run: ${NO_TIME}`, step.name);
    return;
  }
  work.started();
  const problem = step.background
    ? await setting.background.start(setting, step, progress.steps)
    : await runWhole(setting, step, progress.steps);
  if (step.always && limits.alwaysOver.aborted)
    await output.note('warn', `step ${step.name} was ended: ${NO_TIME}`, step.name);
  if (problem === undefined) return;
  if (problem === 'stopped' || limits.isSpent || (limits.ended.aborted && !step.always)) progress.cutShort = true;
  else if (step.continueOnError) await output.note('warn', `${problem.message}; the run goes on`, step.name);
  else {
    output.keep(step.name);
    progress.failure ??= problem;
  }
}

type RunSetting = StepSetting & { readonly background: BackgroundSteps };

/** Runs a step with the work before and after it: its cache, and the files that it produces. */
async function runWhole(setting: StepSetting, step: Step,
  steps: StepResult[]): Promise<Failure | 'stopped' | undefined>
{
  const { context: { clock }, work: { output } } = setting;
  const startedMs = clock.now();
  // Not awaited: a step starts although the log takes nothing at the moment.
  void output.stepIs('running', step.name, `step ${step.name} begins`);
  const cache = await restoreCache(setting, step);
  const problem = cache !== undefined && 'code' in cache ? cache : await runStep(setting, step);
  const [exitCode, signal] = typeof problem === 'object'
    ? [problem.exitCode ?? null, problem.signal ?? null]
    : [problem === undefined ? 0 : null, null];
  const outcome = stepOutcome(problem);
  const ended: StepResult = { name: step.name, startedMs, endedMs: clock.now(), outcome, exitCode, signal };
  steps.push(ended);
  const lost = problem === 'stopped' ? undefined : await keep(setting, step, problem, cache);
  await output.stepIs(outcome, step.name, endOf(ended));
  // For a failed step, its own failure is reported.
  return problem ?? lost;
}

/** What stays of a step: its cache if it has succeeded, and its artefacts in any case. */
async function keep(setting: StepSetting, step: Step, problem: Failure | undefined,
  cache: Awaited<ReturnType<typeof restoreCache>>): Promise<Failure | 'stopped' | undefined>
{
  if (problem === undefined && cache !== undefined && 'save' in cache) await cache.save();
  const lost = await keepArtifacts(setting, step);
  await sendReports(setting, step.reports, step.name);
  return lost;
}

const SAYS: Readonly<Record<StepResult['outcome'], string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'timed out',
  stopped: 'was stopped',
};

const endOf = ({ name, outcome, startedMs, endedMs }: StepResult): string =>
  `step ${name} ${SAYS[outcome]} after ${(Math.max(0, endedMs - startedMs) / 1000).toFixed(1)} s`;

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
