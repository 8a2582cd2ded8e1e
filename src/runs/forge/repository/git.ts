import { spawn } from 'node:child_process';

/** Lines of git's error output that a message repeats. */
const SHOWN = 300;

/** Git could not do what it was asked for; the message is for people. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  /** Null if git was killed, because it took too long or wrote too much. */
  readonly exitCode: number | null;

  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Whether the cause of an error is that git could not read a repository; later it may. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof GitFailure || (error instanceof Error && error.cause instanceof GitFailure);

export interface GitCall {
  /** After `git`. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Most bytes of its output. */
  readonly maxBytes: number;
  /** What it reads. */
  readonly input?: string;
  readonly signal?: AbortSignal;
}

/**
 * Nothing of a repository is run: it has no hooks, no monitors of files, no programs for diffs. An empty helper makes
 * git forget those of the machine, where ours come behind it.
 */
const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'protocol.version=2', '-c',
  'gc.auto=0', '-c', 'maintenance.auto=false'];

/** Runs git and returns its output. Rejects with a `GitFailure`; all of its processes are gone then. */
export function runGit({ args, cwd, env, timeoutMs, maxBytes, input = '', signal }: GitCall): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // A group of its own, so that the transports that git starts end with it.
  const child = spawn('git', [...SAFE, ...args], { cwd, env, detached: true, stdio: 'pipe' });
  const chunks: Buffer[] = [];
  let [size, errors, killed] = [0, '', ''];
  const kill = (why: string): void => {
    killed ||= why;
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(() => kill(`took longer than ${Math.round(timeoutMs / 1000)} s`), timeoutMs);
  const onAbort = (): void => kill('was stopped');
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) kill(`wrote more than ${maxBytes} bytes`);
    else chunks.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => void (errors = `${errors}${chunk}`.slice(-4096)));
  child.stdin.on('error', () => {}).end(input);
  child.on('error', (error) => reject(new GitFailure(`git cannot be started: ${error.message}`, null)));
  child.on('close', (code) => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    if (killed !== '') reject(new GitFailure(`git ${killed}`, null));
    else if (code !== 0) reject(new GitFailure(`git says: ${lastLine(errors) || `exit code ${code}`}`, code));
    else resolve(Buffer.concat(chunks));
  });
  return promise;
}

/** Git names the cause in its last line that is no hint. */
function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('hint:'));
  const cause = lines.findLast((line) => /^(fatal|error|remote):/.test(line)) ?? lines.at(-1) ?? '';
  return cause.slice(0, SHOWN).toWellFormed();
}
