import { type ExecutorContext, marksOf, type Work } from '../context.ts';
import { gitEnvironment } from '../git.ts';
import type { OutputWriter } from '../output/index.ts';
import { type ProcessEnd, runProcess } from '../process/index.ts';

/** Most bytes of a list of refs. */
const MAX_LIST = 16 * 1024 * 1024;

export interface GitCall {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** In addition to the machine's variables for git. */
  readonly env?: Readonly<Record<string, string>>;
  /** Receives its output; default: the log. */
  readonly stdout?: OutputWriter;
}

/** Runs git, or a script that uses it, as the ship itself; its error output is logged. */
export function runGit(context: ExecutorContext, { ref, output, limits }: Work,
  { argv, cwd, env, stdout }: GitCall): Promise<ProcessEnd>
{
  const marks = marksOf(ref);
  return runProcess({
    argv,
    cwd,
    env: { ...gitEnvironment(context, marks), ...env },
    marks,
    stdout: stdout ?? output.writer('stdout', null),
    stderr: output.writer('stderr', null),
  }, { stop: limits.ended, graceMs: () => limits.graceMs, kill: limits.over, leaseLeft: limits.leaseLeft });
}

/** Collects output instead of logging it. */
export function collector(): OutputWriter & { text(): string } {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    async write(chunk) {
      if (size < MAX_LIST) chunks.push(Buffer.from(chunk));
      size += chunk.length;
    },
    flush: async () => undefined,
    end: async () => undefined,
    text: () => Buffer.concat(chunks).toString(),
  };
}
