import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { CommandError, InterruptedError } from '../commands/shared/command-error.ts';

export interface ServiceProcess {
  /** The address at which it listens. */
  readonly url: string;
  /** The last lines of its output, for messages. */
  recentOutput(): string[];
  /** Ends it and waits until it has exited. Safe to call twice. */
  stop(): Promise<void>;
}

export interface ServiceCommand {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

const LISTENING = /listening on (https?:\/\/[^\s"',)]+)/;
const START_WITHIN = 20_000;
// The service drains for up to 15 seconds; the demo's service has nothing to drain.
const STOP_WITHIN = 10_000;
const KEPT_LINES = 20;

/**
 * Starts a service as a child process and waits for the output line with its address.
 * @throws {CommandError} with its last output if it exits before that, takes too long, or is aborted.
 */
export async function startServiceProcess(command: ServiceCommand): Promise<ServiceProcess> {
  const child = spawn(command.file, command.arguments, {
    cwd: command.cwd,
    env: command.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const recentOutput = (): string[] => [...output];
  const stop = (): Promise<void> => stopProcess(child);
  try {
    const url = await firstAddress(child, output, AbortSignal.any([command.signal, AbortSignal.timeout(START_WITHIN)]));
    return { url, recentOutput, stop };
  } catch (error) {
    await stop();
    if (command.signal.aborted) throw new InterruptedError();
    throw new CommandError(
      [`the service did not start: ${(error as Error).message}`, ...output.map((line) => `  ${line}`)].join('\n'),
    );
  }
}

/** Resolves with the address in the child's output. The output is read further, so that its pipes never fill. */
function firstAddress(child: ChildProcess, output: string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const onLine = (raw: string): void => {
      const line = stripVTControlCharacters(raw);
      output.push(line);
      if (output.length > KEPT_LINES) output.shift();
      const found = LISTENING.exec(line);
      if (found !== null) resolve(found[1]!);
    };
    for (const stream of [child.stdout!, child.stderr!]) createInterface({ input: stream }).on('line', onLine);
    child.once('error', reject);
    // `close` is emitted after the last line of output, `exit` possibly before.
    child.once('close',
      (code, signalName) => reject(new Error(`it ended with ${signalName ?? `status ${String(code)}`}`)));
    signal.addEventListener('abort',
      () => reject(new Error(`it did not say where it listens within ${START_WITHIN / 1000} s`)), { once: true });
  });
}

async function stopProcess(child: ChildProcess): Promise<void> {
  // Never started, or already exited.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN);
  await gone;
  clearTimeout(killTimer);
}
