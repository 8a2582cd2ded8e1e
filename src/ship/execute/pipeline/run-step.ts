import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PipelinePlan, RunRef, Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatDuration } from '../../../lib/duration.ts';
import { type ExecutorContext, labelOf, marksOf, type Work } from '../context.ts';
import type { Failure } from '../failure.ts';
import type { ProcessEnd, ProcessPlan, ProcessSignals } from '../process/run-process.ts';
import { findProgram, isWithin, type SandboxName, type User, type View } from '../sandbox/index.ts';
import type { ResolvedRef } from '../source/fetch-source.ts';
import { alarm } from '../work-limits.ts';
import { inDefaultShell } from './default-shell.ts';
import { endedBy, MemoryWatch } from './kill-reason.ts';
import type { LivingWork, Owner } from './living-work.ts';
import { type ServicePlace, stepEnvironment } from './step-environment.ts';
import { whatIsTooLong } from './too-long.ts';
import type { WorkFiles } from './work-files.ts';
import { isPlainFolder, type WorkFolder } from './work-folder.ts';

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
  /** What of the run has living processes. */
  readonly living: LivingWork;
  readonly files: WorkFiles;
  readonly services: readonly ServicePlace[];
  /** The private network of its containers; absent if they have none. */
  readonly network?: string | undefined;
}

/** The sandbox of programs that the ship runs for a run; a container's image may lack them. */
export async function fenceForTools(
  { context, sandbox }: Pick<StepSetting, 'context' | 'sandbox'>,
): Promise<SandboxName> {
  if (sandbox !== 'container') return sandbox;
  const chosen = await context.sandboxes.choose('auto');
  return 'name' in chosen ? chosen.name : 'none';
}

/** A step or a service. */
export type Command = Pick<Step, 'name' | 'argv' | 'script' | 'workingDir' | 'env' | 'image'>;

/** A command that can start, and what its end means. */
export interface Prepared {
  readonly owner: Owner;
  readonly process: Omit<ProcessPlan, 'spared'>;
  failureOf(end: ProcessEnd): Failure | undefined;
}

/** How a command is run. */
interface Role {
  /** What people call it. */
  readonly title: string;
  /** Unique in its attempt; letters, digits and `-`. */
  readonly unit: string;
  /** Its host name in the network of its containers. */
  readonly alias?: string;
}

/** Returns why a step cannot start, or how. */
export function prepareStep(setting: StepSetting, step: Step): Promise<Prepared | Failure> {
  return prepare(setting, step, { title: `step ${step.name}`, unit: String(setting.plan.steps.indexOf(step)) });
}

/** The name of a container or unit in an attempt; unique on this machine. */
export const unitName = ({ runId, attempt, fencingToken }: RunRef, unit: string): string =>
  `quire-${runId}-${attempt}-${fencingToken}-${unit}`;

const spawnFailure = (step: string, message: string): Failure => ({ code: 'spawn_failed', step, message });

async function commandLine({ sandbox, context }: StepSetting, { argv, script }: Command): Promise<readonly string[]> {
  return argv.length === 0 && script !== '' ? inDefaultShell(script, sandbox, context.env['PATH'] ?? '') : argv;
}

/** Returns why a command cannot start, or how. */
export async function prepare(setting: StepSetting, command: Command,
  { title, unit, alias }: Role): Promise<Prepared | Failure>
{
  const { context, work, plan, folder, sandbox, view, user, living, network } = setting;
  const cannot = (why: string): Failure => spawnFailure(command.name, `${title} can't start: ${why}`);
  const isContainer = sandbox === 'container';
  const image = command.image || plan.image;
  if (isContainer && image === '') return cannot('the sandbox container needs an image, and none is named');
  const cwd = join(folder.source, command.workingDir);
  const env = stepEnvironment(setting, command);
  // Only a service in a container may be what its image starts.
  const mayBeEmpty = alias !== undefined && isContainer;
  const argv = await commandLine(setting, command);
  const impossible = argv.length === 0 && mayBeEmpty
    ? undefined
    : await cannotStart({ argv, workingDir: command.workingDir }, cwd, folder, isContainer ? undefined : env['PATH']!);
  if (impossible !== undefined) return cannot(impossible);
  const wrapped = context.sandboxes.wrap(sandbox, {
    argv,
    cwd,
    env,
    folder: folder.path,
    view,
    name: unitName(work.ref, unit),
    image,
    user,
    accounts: folder.accounts,
    besideOthers: living.isShared,
    container: { label: labelOf(work.ref), network, alias },
  });
  const memory = new MemoryWatch();
  return {
    owner: { variable: 'QUIRE_STEP', name: command.name },
    failureOf: (end) => failureOf({ step: command.name, title }, end, memory, () => whatIsTooLong(argv, env)),
    process: {
      ...wrapped,
      marks: marksOf(work.ref),
      ownUser: user?.uid,
      stdout: work.output.writer('stdout', command.name),
      stderr: work.output.writer('stderr', command.name),
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
  const { end, timedOut } = await timed(work, step, (stop) =>
    setting.living.run(prepared.owner, prepared.process, {
      stop,
      ...endOf(step, work),
      leaseLeft: work.limits.leaseLeft,
    }));
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
async function cannotStart(step: { readonly argv: readonly string[]; readonly workingDir: string }, cwd: string,
  folder: WorkFolder, path: string | undefined): Promise<string | undefined>
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

function failureOf({ step, title }: { readonly step: string; readonly title: string },
  { exitCode, signal, spawnError }: ProcessEnd, memory: MemoryWatch, tooLong: () => string): Failure | undefined
{
  if (spawnError !== undefined) {
    const why = /\bE2BIG\b/.test(spawnError) ? tooLong() : spawnError;
    return spawnFailure(step, `${title} can't start: ${why}`);
  }
  if (exitCode === 0) return undefined;
  return {
    code: 'step_failed',
    step,
    exitCode,
    signal,
    message: `${title} ${exitCode === null ? `was ended by ${signal}` : `exited with code ${exitCode}`}${
      endedBy(exitCode, signal, memory)
    }`,
  };
}
