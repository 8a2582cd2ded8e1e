import { Outcome, type PipelinePlan } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatDuration } from '../../../lib/duration.ts';
import type { ExecutorContext, Work } from '../context.ts';
import { failed, type Failure } from '../failure.ts';
import type { WorkResult } from '../port.ts';
import { isSandbox } from '../sandbox/index.ts';
import { checkOut } from './checkout.ts';
import { readResult } from './result-file.ts';
import { runStep, type StepSetting } from './run-step.ts';
import { makeWorkFolder, removeFolder } from './work-folder.ts';

/** Runs the commands of a pipeline in a fresh folder (decisions, section 5, "pipeline"). */
export async function runPipeline(context: ExecutorContext, work: Work, plan: PipelinePlan): Promise<WorkResult> {
  const sandbox = plan.sandbox === 'inherit' || plan.sandbox === '' ? context.sandbox : plan.sandbox;
  if (!isSandbox(sandbox)) return failed({ code: 'ship_error', message: `the sandbox ${sandbox} is unknown` }, work.masker);
  const missing = await context.sandboxes.check(sandbox);
  if (missing !== undefined) return failed({ code: 'ship_error', message: `the sandbox ${sandbox} is missing: ${missing}` }, work.masker);
  if (sandbox === 'container' && plan.image === '') return failed({ code: 'spawn_failed', message: 'the sandbox container needs an image, and the pipeline names none' }, work.masker);
  const folder = await makeWorkFolder(context.workDir, `${work.ref.runId}.${work.ref.attempt}`, work.assignment.input, context.user);
  try {
    return await runSteps({ context, work, plan, folder, sandbox });
  } finally {
    if (context.keepWork) context.log.info({ run: work.ref.runId, folder: folder.path }, 'work folder kept');
    else await removeFolder(folder.path);
  }
}

/** The steps in their order. After the first failure, and when the work is to end, only those that always run. */
async function runSteps(setting: StepSetting): Promise<WorkResult> {
  const { context, work, plan, folder } = setting;
  const { limits, output } = work;
  let failure = await checkOut(context, work, plan, folder);
  let cutShort = failure !== undefined && limits.ended.aborted;
  if (cutShort) failure = undefined;
  for (const step of plan.steps) {
    if (failure !== undefined && !step.always) continue;
    if (limits.isSpent || (limits.ended.aborted && !step.always)) {
      cutShort = true;
      continue;
    }
    work.started();
    const problem = await runStep(setting, step);
    if (problem === undefined) continue;
    if (problem === 'stopped' || limits.isSpent || (limits.ended.aborted && !step.always)) cutShort = true;
    else if (step.continueOnError) await output.note('warn', `${problem.message}; the run goes on`, step.name);
    else failure ??= problem;
  }
  return resultOf(setting, failure, cutShort);
}

async function resultOf({ work, folder }: StepSetting, failure: Failure | undefined, cutShort: boolean): Promise<WorkResult> {
  const { limits, masker, output, assignment } = work;
  if (failure === undefined && cutShort) {
    if (limits.reason === 'stop') return { outcome: Outcome.CANCELLED };
    return failed({ code: 'timeout', message: `the run took longer than ${formatDuration(Number(assignment.timeoutMs))}` }, masker);
  }
  const result = await readResult(folder.resultFile, masker);
  if (typeof result === 'string') await output.note('warn', result);
  const ended = failure === undefined ? { outcome: Outcome.SUCCEEDED } : failed(failure, masker);
  return typeof result === 'object' ? { ...ended, result } : ended;
}
