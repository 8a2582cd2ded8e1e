import { ServiceError } from '../errors/index.ts';
import { ConfigError } from '../lib/config-error.ts';

/** A running service. */
export interface Running {
  /** Finishes what is in flight and closes everything; safe to call twice. */
  stop(): Promise<void>;
  /** Resolves when there is nothing left to do, if that can happen: a client over stdio has disconnected. */
  readonly ended?: Promise<void>;
  /** While stopping: gives up waiting, but still stops in order. Without it, the second signal ends the process. */
  hurry?(): void;
  /** Reloads what can change while the service runs. */
  reload?(): Promise<void>;
}

/** EX_CONFIG of sysexits.h: the configuration is wrong. */
const EXIT_CONFIG = 78;

/** A stopped process exits by itself, and after this many milliseconds at the latest. */
const LINGER_MS = 1000;

/**
 * Runs a service until it is asked to stop, or has nothing left to do. The first SIGTERM or SIGINT stops it in order, a
 * second one hurries the stop if possible, and the next ends the process at once; during the start, the first one does.
 * SIGHUP reloads if the service can reload, and otherwise ends the process as usual. Errors that prevent the start are
 * printed one per line, with a non-zero exit code.
 */
export async function runInForeground(start: () => Promise<Running>): Promise<void> {
  let running: Running | undefined;
  // Before the start prints that the service listens: whoever reads that line may send a signal at once.
  const signalled = untilSignal(() => running !== undefined);
  try {
    running = await start();
  } catch (error) {
    reportFailedStart(error);
    return;
  }
  const { reload } = running;
  if (reload) process.on('SIGHUP', () => void reload().catch((error: unknown) => console.error(error)));
  const signal = await Promise.race([signalled, ...(running.ended ? [running.ended] : [])]);
  if (signal !== undefined) endOnFurther(signal, running);
  await running.stop();
  // Everything is closed; only a socket whose end was never reported could keep the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

function endOnFurther(signal: NodeJS.Signals, running: Running): void {
  process.once(signal, () => {
    if (running.hurry === undefined) process.exit(1);
    process.once(signal, () => process.exit(1));
    running.hurry();
  });
}

function reportFailedStart(error: unknown): void {
  if (error instanceof ConfigError) {
    for (const problem of error.problems) console.error(problem);
    process.exitCode = EXIT_CONFIG;
    return;
  }
  // A readable reason is printed alone; anything else is a bug, and is printed with its stack.
  console.error(isPlainReason(error) ? error.message : error);
  process.exitCode = 1;
}

function isPlainReason(error: unknown): error is Error {
  return error instanceof ServiceError || (error instanceof Error && error.cause !== undefined);
}

/** Resolves with the first signal to stop. One that comes before the service runs ends the process. */
function untilSignal(isRunning: () => boolean): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        if (isRunning()) resolve(signal);
        else process.kill(process.pid, signal);
      });
    }
  });
}
