import { marksOf } from '../context.ts';
import type { OutputWriter } from '../output/run-output.ts';
import type { ProcessEnd } from '../process/run-process.ts';
import { fenceForTools, type StepSetting, unitName } from './run-step.ts';

/** What a tool is run for. */
export interface ToolJob {
  /** Unique in its attempt. */
  readonly name: string;
  /** The step in whose log its messages are shown; null for none. */
  readonly step: string | null;
}

interface ToolStreams {
  readonly stdin?: number;
  readonly stdout?: OutputWriter;
  readonly kill?: AbortSignal;
}

interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** In addition to the variables that every tool has. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program of this machine on the files of an attempt as the run itself: as its user and in its sandbox, so it
 * reads and writes only what a step could.
 */
export async function runTool(setting: StepSetting, { name, step }: ToolJob, { argv, cwd, env }: Command,
  { stdin, stdout, kill }: ToolStreams = {}): Promise<ProcessEnd>
{
  const { context, work: { output, limits, ref }, plan, folder, user, view, living } = setting;
  const marks = marksOf(ref);
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = context.env;
  const wrapped = context.sandboxes.wrap(await fenceForTools(setting), {
    argv,
    cwd,
    env: {
      PATH,
      LANG: 'C.UTF-8',
      HOME: folder.home,
      TMPDIR: folder.temporary,
      ...env,
      ...Object.fromEntries(marks.map((mark) => mark.split('='))),
      QUIRE_TOOL: name,
    },
    folder: folder.path,
    view,
    name: unitName(ref, name),
    image: plan.image,
    user,
    besideOthers: living.isShared,
  });
  return living.run({ variable: 'QUIRE_TOOL', name }, {
    ...wrapped,
    marks,
    ownUser: user?.uid,
    stdin,
    stdout: stdout ?? output.writer('stdout', step),
    stderr: output.writer('stderr', step),
  }, {
    stop: limits.ended,
    graceMs: () => limits.graceMs,
    kill: kill === undefined ? limits.over : AbortSignal.any([limits.over, kill]),
    leaseLeft: limits.leaseLeft,
  });
}

/** Runs `tar` in the attempt's folder. */
export function runTar(setting: StepSetting, job: ToolJob, args: readonly string[],
  streams: ToolStreams): Promise<ProcessEnd>
{
  // It enters the folder, which the run's user may only traverse, before it reads the names of members.
  return runTool(setting, job, { argv: ['tar', ...args], cwd: setting.folder.path }, streams);
}
