import { chmod } from 'node:fs/promises';
import { Outcome, type PipelinePlan } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatDuration } from '../../../lib/duration.ts';
import type { ExecutorContext, Work } from '../context.ts';
import { failed, type Failure } from '../failure.ts';
import type { WorkResult } from '../port.ts';
import type { SandboxName } from '../sandbox/index.ts';
import { restoreArtifacts } from './artifacts.ts';
import { checkOut } from './check-out.ts';
import { LivingWork } from './living-work.ts';
import { noteExceptions } from './notes.ts';
import { sendReports } from './reports.ts';
import { readResult, readSummary } from './result-file.ts';
import type { StepSetting } from './run-step.ts';
import { type Progress, runSteps } from './run-steps.ts';
import { prepareServices, startServices } from './services.ts';
import { SideWork } from './side-work.ts';
import { WorkFiles } from './work-files.ts';
import { makeWorkFolder, noteContainers, removeAccounts, removeFolder } from './work-folder.ts';

/** Runs the commands of a pipeline in a new folder (decisions, section 5, "pipeline"). */
export async function runPipeline(context: ExecutorContext, work: Work, plan: PipelinePlan): Promise<WorkResult> {
  const chosen = await context.sandboxes.choose(
    plan.sandbox === 'inherit' || plan.sandbox === '' ? context.sandbox : plan.sandbox,
  );
  if ('reason' in chosen) return failed({ code: 'ship_error', message: chosen.reason }, work.masker);
  const sandbox = chosen.name;
  if (sandbox === 'container' && plan.image === '' && plan.steps.some(({ image }) => image === ''))
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

async function runInFolder(
  setting: Pick<StepSetting, 'context' | 'work' | 'plan' | 'sandbox' | 'user'>,
): Promise<WorkResult> {
  const { context, work, plan, user } = setting;
  const folder = await makeWorkFolder(context.workDir, `${work.ref.runId}.${work.ref.attempt}`, work.assignment.input,
    user);
  try {
    const living = new LivingWork(isShared(plan));
    return await runWork({ ...setting, folder, view: context.view(), living, files: new WorkFiles(), services: [] });
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

/** Whether processes of the run may go on while one of its steps ends. */
const isShared = ({ steps, services }: PipelinePlan): boolean =>
  services.length > 0 || steps.some(({ needs, background }) => needs !== undefined || background);

/** Checks out, starts the services and runs the steps. */
async function runWork(before: StepSetting): Promise<WorkResult> {
  const { work, plan } = before;
  const { limits } = work;
  await noteExceptions(work);
  await noteImages(before);
  if (before.sandbox === 'container') await noteContainers(before.folder);
  const { source, failure: notCheckedOut } = await checkOut(before);
  const side = new SideWork();
  const ground = await prepareServices(before);
  const unprepared = 'code' in ground ? ground : undefined;
  const setting = { ...before, source, ...('code' in ground ? {} : ground) };
  const progress: Progress = { steps: [], failure: undefined, cutShort: false };
  try {
    const problem = notCheckedOut ?? unprepared ?? await restoreArtifacts(setting) ??
      await startServices(setting, side);
    if (problem === 'stopped' || (problem !== undefined && limits.ended.aborted)) progress.cutShort = true;
    else progress.failure = problem;
    await runSteps(setting, side, progress);
  } finally {
    await side.end(setting);
    if (!('code' in ground)) await ground.leave();
  }
  await sendReports(setting, plan.reports);
  return {
    ...await resultOf(setting, progress.failure, progress.cutShort),
    ...await summaryOf(setting),
    steps: progress.steps,
  };
}

/** Images are for containers alone. */
async function noteImages({ sandbox, plan, work: { output } }: StepSetting): Promise<void> {
  if (sandbox === 'container') return;
  const images = new Set([plan.image, ...plan.steps.map(({ image }) => image)].filter((image) => image !== ''));
  if (images.size > 0)
    await output.note('warn',
      `the sandbox of this ship is ${sandbox}, so steps do not use the ${images.size === 1 ? 'image' : 'images'} ${
        [...images].join(', ')
      }`);
}

/** Also what a run says of itself that has failed or was stopped. */
async function summaryOf(
  { work: { masker, output }, folder, user }: StepSetting,
): Promise<Pick<WorkResult, 'summary'>> {
  const found = await readSummary(folder.summaryFile, masker, user);
  if (found !== undefined && 'problem' in found) await output.note('warn', found.problem);
  return found !== undefined && 'summary' in found ? { summary: found.summary } : {};
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
