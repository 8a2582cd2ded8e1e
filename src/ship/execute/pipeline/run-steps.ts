import type { Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Failure } from '../failure.ts';
import type { StepResult } from '../port.ts';
import { keepArtifacts } from './artifacts.ts';
import { sendReports } from './reports.ts';
import { runStep, type StepSetting } from './run-step.ts';
import { type SideWork, startBackground } from './side-work.ts';
import { restoreCache } from './step-cache.ts';
import { nextSteps } from './step-graph.ts';

const NO_TIME = 'the time for steps that always run is over (queue.always_grace)';

export interface Progress {
  readonly steps: StepResult[];
  /** The first one, which the run reports. */
  failure: Failure | undefined;
  /** A step did not run to its end, because the work had to end. */
  cutShort: boolean;
}

/**
 * Runs the steps, each as soon as those that it needs have ended. After the first failure, and when the work must end,
 * those that run go on to their end, and only those marked `always` start; after a failure also those for failures.
 */
export async function runSteps(setting: StepSetting, side: SideWork, progress: Progress): Promise<void> {
  const { work: { limits }, plan: { steps, maxParallelSteps } } = setting;
  const running = new Map<string, Promise<void>>();
  const over = new Set<string>();
  const errors: unknown[] = [];
  while (errors.length === 0) {
    const { start, never } = nextSteps(steps, {
      running: new Set(running.keys()),
      over,
      hasFailed: progress.failure !== undefined,
      mustEnd: limits.ended.aborted,
      most: maxParallelSteps || Infinity,
    });
    for (const step of never) {
      over.add(step.name);
      await leaveOut(setting, step, progress);
    }
    for (const step of start)
      running.set(step.name, runOne(setting, side, step, progress).catch((error: unknown) =>
        errors.push(error)
      ).then(() => {
        running.delete(step.name);
        over.add(step.name);
      }));
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  // Nothing may be alive when it rejects.
  await Promise.all(running.values());
  if (errors.length > 0) throw errors[0];
  const order = new Map(steps.map(({ name }, at) => [name, at]));
  progress.steps.sort((one, other) => order.get(one.name)! - order.get(other.name)!);
}

/** In a list whose steps run one after the other, the reason is the line before. */
async function leaveOut({ work: { limits, output }, plan }: StepSetting, { name, runIf }: Step,
  progress: Progress): Promise<void>
{
  if (progress.failure === undefined && runIf === 'failure') {
    if (!limits.ended.aborted)
      await output.note('info', `step ${name} did not run: nothing before it has failed`, name);
    return;
  }
  if (progress.failure === undefined) progress.cutShort = true;
  if (plan.steps.every(({ needs }) => needs === undefined)) return;
  const failed = progress.failure?.step;
  const why = progress.failure === undefined
    ? limits.reason === 'stop' ? 'the run is stopped' : 'the time of the run is over'
    : failed === undefined
    ? 'the run has failed before'
    : `${failed} has failed`;
  await output.note('info', `step ${name} does not start: ${why}`, name);
}

async function runOne(setting: StepSetting, side: SideWork, step: Step, progress: Progress): Promise<void> {
  const { work } = setting;
  const { limits, output } = work;
  if (limits.isSpent) {
    progress.cutShort = true;
    if (step.always) await output.note('warn', `step ${step.name} did not run: ${NO_TIME}`, step.name);
    return;
  }
  work.started();
  const problem = step.background
    ? await startBackground(setting, side, step, progress.steps)
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

/** Runs a step with the work before and after it: its cache, and the files that it produces. */
async function runWhole(setting: StepSetting, step: Step,
  steps: StepResult[]): Promise<Failure | 'stopped' | undefined>
{
  const { context: { clock }, work: { output }, files } = setting;
  const startedMs = clock.now();
  // Not awaited: a step starts although the log takes nothing at the moment.
  void output.stepIs('running', step.name, `step ${step.name} begins`);
  const cache = await files.inTurn(() => restoreCache(setting, step));
  const problem = cache !== undefined && 'code' in cache ? cache : await runStep(setting, step);
  const [exitCode, signal] = typeof problem === 'object'
    ? [problem.exitCode ?? null, problem.signal ?? null]
    : [problem === undefined ? 0 : null, null];
  const outcome = stepOutcome(problem);
  const ended: StepResult = { name: step.name, startedMs, endedMs: clock.now(), outcome, exitCode, signal };
  steps.push(ended);
  const lost = problem === 'stopped' ? undefined : await files.inTurn(() => keep(setting, step, problem, cache));
  await output.stepIs(outcome, step.name, endOf(ended));
  // For a failed step, its own failure is reported.
  return problem ?? lost;
}

/** What stays of a step: its cache if it has succeeded, and its artefacts and test reports in any case. */
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
