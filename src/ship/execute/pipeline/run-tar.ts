import { marksOf } from '../context.ts';
import type { OutputWriter } from '../output/run-output.ts';
import { type ProcessEnd, runProcess } from '../process/run-process.ts';
import { fenceForTools, type StepSetting } from './run-step.ts';

/** What `tar` is run for. */
export interface TarJob {
  /** Unique in its attempt. */
  readonly name: string;
  /** The step in whose log its messages are shown; null for none. */
  readonly step: string | null;
}

export interface TarStreams {
  readonly stdin?: number;
  readonly stdout?: OutputWriter;
  readonly kill?: AbortSignal;
}

/**
 * Runs `tar` in the attempt's folder as the run itself: as its user and in its sandbox, so it reads and writes only
 * what a step could.
 */
export async function runTar(setting: StepSetting, { name, step }: TarJob, args: readonly string[],
  { stdin, stdout, kill }: TarStreams): Promise<ProcessEnd>
{
  const { context, work: { output, limits, ref }, plan, folder, user, view } = setting;
  const marks = marksOf(ref);
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = context.env;
  const env = {
    PATH,
    LANG: 'C.UTF-8',
    HOME: folder.home,
    TMPDIR: folder.temporary,
    ...Object.fromEntries(marks.map((mark) => mark.split('='))),
  };
  // It enters the attempt's folder, which the run's user may only traverse, before it reads the names of members.
  const wrapped = context.sandboxes.wrap(await fenceForTools(setting), {
    argv: ['tar', ...args],
    cwd: folder.path,
    env,
    folder: folder.path,
    view,
    name: `quire-${ref.runId}-${ref.attempt}-${ref.fencingToken}-${name}`,
    image: plan.image,
    ...(user !== undefined && { user }),
  });
  return runProcess({
    ...wrapped,
    marks,
    ...(user !== undefined && { ownUser: user.uid }),
    ...(stdin !== undefined && { stdin }),
    stdout: stdout ?? output.writer('stdout', step),
    stderr: output.writer('stderr', step),
  }, {
    stop: limits.ended,
    graceMs: () => limits.graceMs,
    kill: kill === undefined ? limits.over : AbortSignal.any([limits.over, kill]),
    leaseLeft: limits.leaseLeft,
  });
}
