import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Assignment, PipelinePlan, Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatDuration } from '../../../lib/duration.ts';
import { type ExecutorContext, marksOf, type Work } from '../context.ts';
import type { Failure } from '../failure.ts';
import { type ProcessEnd, type ProcessPlan, type ProcessSignals, runProcess } from '../process/run-process.ts';
import { findProgram, isWithin, type SandboxName, type User, type Variables, type View } from '../sandbox/index.ts';
import type { ResolvedRef } from '../source/fetch-source.ts';
import { alarm } from '../work-limits.ts';
import type { BackgroundSteps } from './background.ts';
import { inDefaultShell } from './default-shell.ts';
import { endedBy, MemoryWatch } from './kill-reason.ts';
import { inputVariable } from './notes.ts';
import { whatIsTooLong } from './too-long.ts';
import { isPlainFolder, type WorkFolder } from './work-folder.ts';

/**
 * The environment of a step. From the machine it contains only path and language, because the rest may contain secrets
 * of the machine. Variables of the service are set last, so that a step cannot pretend to belong to another run.
 */
function stepEnvironment(machine: Variables, assignment: Assignment, step: Step, folder: WorkFolder,
  source?: ResolvedRef): Record<string, string>
{
  const { ref, input, projectId, repository, issueLabel } = assignment;
  const variable = inputVariable(input);
  return {
    PATH: machine['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LANG: machine['LANG'] ?? 'C.UTF-8',
    HOME: folder.home,
    TMPDIR: folder.temporary,
    CI: 'true',
    ...assignment.env,
    ...step.env,
    ...assignment.secrets,
    ...Object.fromEntries(marksOf(ref!).map((mark) => mark.split('='))),
    QUIRE_STEP: step.name,
    QUIRE_PROJECT: projectId,
    QUIRE_REPOSITORY: repository,
    QUIRE_ISSUE_LABEL: issueLabel,
    ...(source === undefined ? {} : { QUIRE_COMMIT: source.commit, QUIRE_REF: source.ref }),
    QUIRE_INPUT_FILE: folder.inputFile,
    QUIRE_RESULT_FILE: folder.resultFile,
    QUIRE_SUMMARY: folder.summaryFile,
    ...('text' in variable ? { QUIRE_INPUT: variable.text } : {}),
  };
}

export interface StepSetting {
  readonly context: ExecutorContext;
  readonly work: Work;
  readonly plan: PipelinePlan;
  readonly folder: WorkFolder;
  readonly sandbox: SandboxName;
  readonly view: View;
  /** The user that only this run has; absent if steps run as the user of this process. */
  readonly user: User | undefined;
  /** The checked-out commit; absent before the checkout, and if there is none. */
  readonly source?: ResolvedRef | undefined;
  /** The steps that go on beside others; absent before the first step. */
  readonly background?: BackgroundSteps | undefined;
}

/** The sandbox of programs that the ship runs for a run; a container's image may lack them. */
export async function fenceForTools(
  { context, sandbox }: Pick<StepSetting, 'context' | 'sandbox'>,
): Promise<SandboxName> {
  if (sandbox !== 'container') return sandbox;
  const chosen = await context.sandboxes.choose('auto');
  return 'name' in chosen ? chosen.name : 'none';
}

/** A step that can start, and what its end means. */
interface PreparedStep {
  readonly process: ProcessPlan;
  failureOf(end: ProcessEnd): Failure | undefined;
}

/** Returns why a step cannot start, or how. */
export async function prepareStep(setting: StepSetting, step: Step): Promise<PreparedStep | Failure> {
  const { context, work, plan, folder, sandbox, view, user, source, background } = setting;
  const cwd = join(folder.source, step.workingDir);
  const env = stepEnvironment(context.env, work.assignment, step, folder, source);
  const argv = step.argv.length === 0 && step.script !== ''
    ? await inDefaultShell(step.script, sandbox, context.env['PATH'] ?? '')
    : step.argv;
  const impossible = await cannotStart({ argv, workingDir: step.workingDir }, cwd, folder,
    sandbox === 'container' ? undefined : env['PATH']!);
  if (impossible !== undefined)
    return { code: 'spawn_failed', step: step.name, message: `step ${step.name} can't start: ${impossible}` };
  const wrapped = context.sandboxes.wrap(sandbox, {
    argv,
    cwd,
    env,
    folder: folder.path,
    view,
    name: `quire-${work.ref.runId}-${work.ref.attempt}-${work.ref.fencingToken}-${plan.steps.indexOf(step)}`,
    image: plan.image,
    user,
    accounts: folder.accounts,
    besideOthers: background !== undefined && background.marks.length > 0,
  });
  const memory = new MemoryWatch();
  return {
    failureOf: (end) => failureOf(step.name, end, memory, () => whatIsTooLong(argv, env)),
    process: {
      ...wrapped,
      marks: marksOf(work.ref),
      ownUser: user?.uid,
      spared: () => background?.marks ?? [],
      stdout: work.output.writer('stdout', step.name),
      stderr: work.output.writer('stderr', step.name),
    },
  };
}

/**
 * Runs one step to its end, and kills the processes that it leaves; returns what went wrong. `stopped`: the work had to
 * end. This holds even if the exit code is 0, because programs may end normally when they are asked to stop.
 */
export async function runStep(setting: StepSetting, step: Step): Promise<Failure | 'stopped' | undefined> {
  const { work } = setting;
  const prepared = await prepareStep(setting, step);
  if ('code' in prepared) return prepared;
  const { end, timedOut } = await timed(work, step,
    (stop) => runProcess(prepared.process, { stop, ...endOf(step, work), leaseLeft: work.limits.leaseLeft }));
  if (end.survivors.length > 0)
    await work.output.note('warn', `${end.survivors.length} processes of step ${step.name} can't be killed`, step.name);
  if (end.stopped && !timedOut) return 'stopped';
  return timedOut
    ? {
      code: 'timeout',
      step: step.name,
      message: `step ${step.name} took longer than ${formatDuration(Number(step.timeoutMs))}`,
      exitCode: end.exitCode,
      signal: end.signal,
    }
    : prepared.failureOf(end);
}

/** When a step is killed after it was asked to end, and when without that. */
function endOf({ always }: Step, { limits }: Work): Pick<ProcessSignals, 'graceMs' | 'kill'> {
  return always
    ? { graceMs: () => limits.alwaysGraceMs, kill: limits.alwaysOver }
    : { graceMs: () => limits.graceMs, kill: limits.over };
}

/** Steps marked `always` react only to their own timeout, until the end of the time that they have. */
async function timed(work: Work, step: Step,
  run: (stop: AbortSignal) => Promise<ProcessEnd>): Promise<{ end: ProcessEnd; timedOut: boolean }>
{
  const timeout = alarm(Number(step.timeoutMs));
  try {
    const end = await run(step.always ? timeout.signal : AbortSignal.any([timeout.signal, work.limits.ended]));
    return { end, timedOut: end.stopped && timeout.signal.aborted };
  } finally {
    timeout.clear();
  }
}

/** Checked beforehand, because the started program is that of the sandbox, whose error message would be less clear. */
async function cannotStart(step: Pick<Step, 'argv' | 'workingDir'>, cwd: string, folder: WorkFolder,
  path: string | undefined): Promise<string | undefined>
{
  if (step.argv.length === 0) return 'it has no command';
  if (!isWithin(cwd, folder.source)) return `its folder ${step.workingDir} is outside of the work folder`;
  if (!await isPlainFolder(folder.source) || !await isPlainFolder(folder.temporary))
    return 'a step before has replaced the work folder';
  // The target of a link elsewhere is not revealed: this process may read folders that the step may not.
  const real = await realpath(cwd).catch(() => '');
  if (real === '' || !isWithin(real, folder.source) ||
    !await stat(real).then((found) => found.isDirectory(), () => false)) return `there is no folder ${step.workingDir}`;
  if (path !== undefined && findProgram(step.argv[0]!, path, cwd) === undefined)
    return `there is no program ${step.argv[0]}`;
  return undefined;
}

function failureOf(step: string, { exitCode, signal, spawnError }: ProcessEnd, memory: MemoryWatch,
  tooLong: () => string): Failure | undefined
{
  if (spawnError !== undefined) {
    const why = /\bE2BIG\b/.test(spawnError) ? tooLong() : spawnError;
    return { code: 'spawn_failed', step, message: `step ${step} can't start: ${why}` };
  }
  if (exitCode === 0) return undefined;
  return {
    code: 'step_failed',
    step,
    exitCode,
    signal,
    message: `step ${step} ${exitCode === null ? `was ended by ${signal}` : `exited with code ${exitCode}`}${
      endedBy(exitCode, signal, memory)
    }`,
  };
}
