import { environmentOfGit } from '../../lib/git-environment.ts';
import { type ExecutorContext, marksOf, type Work } from './context.ts';
import type { OutputWriter } from './output/run-output.ts';
import { type ProcessEnd, runProcess } from './process/run-process.ts';

/**
 * The environment of git when the ship itself runs it: with the machine's own credentials and proxies, but it never
 * waits for input, and cannot use transports that run commands (`ext::`).
 */
export function gitEnvironment({ env, gitProtocols, workDir }: ExecutorContext,
  marks: readonly string[]): Record<string, string>
{
  return {
    ...environmentOfGit(env, gitProtocols, workDir),
    ...Object.fromEntries(marks.map((mark) => mark.split(/=(.*)/s).slice(0, 2))),
  };
}

/** Repositories contain no hooks when they are cloned, but the machine's templates may. */
export const GIT = ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false'] as const;

/** Most bytes of a list of refs. */
const MAX_LIST = 16 * 1024 * 1024;

interface GitCall {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** In addition to the machine's variables for git. */
  readonly env?: Readonly<Record<string, string>>;
  /** Receives its output; default: the log. */
  readonly stdout?: OutputWriter;
  /** Its error output is not shown, because it may fail. */
  readonly isQuiet?: boolean;
}

/** Runs git, or a script that uses it, as the ship itself; its error output is logged. */
export function runGit(context: ExecutorContext, { ref, output, limits }: Work,
  { argv, cwd, env, stdout, isQuiet }: GitCall): Promise<ProcessEnd>
{
  const marks = marksOf(ref);
  return runProcess({
    argv,
    cwd,
    env: { ...gitEnvironment(context, marks), ...env },
    marks,
    stdout: stdout ?? output.writer('stdout', null),
    stderr: isQuiet === true ? collector() : output.writer('stderr', null),
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
