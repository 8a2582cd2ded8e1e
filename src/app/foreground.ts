import { ServiceError } from '../errors/index.ts';
import { ConfigError } from '../lib/config-error.ts';

/** A service that is up. */
export interface Running {
  /** Finishes what is in flight, closes everything; safe twice. */
  stop(): Promise<void>;
  /** Resolves when there is nothing left to do, where that can be: a client over stdio has gone. */
  readonly ended?: Promise<void>;
  /** While it stops: gives up what it would wait for, in order. Without it, the second signal ends the process. */
  hurry?(): void;
  /** Reads anew what can change while the service runs. */
  reload?(): Promise<void>;
}

/** As sysexits.h has it: the configuration is at fault. */
const EXIT_CONFIG = 78;

/** A process that has stopped ends by itself, and after so long at the latest. */
const LINGER_MS = 1000;

/**
 * Runs a service until it is told to end, or has nothing left to do. The first SIGTERM or SIGINT stops it in order, a second
 * one hurries it where that is possible, and the next ends the process at once. SIGHUP reloads where there is something to reload, and else ends the process as usual.
 * What prevents the start is told in a line each, with a non-zero exit code.
 */
export async function runInForeground(start: () => Promise<Running>): Promise<void> {
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    reportFailedStart(error);
    return;
  }
  if (running.reload) process.on('SIGHUP', () => void running.reload?.().catch((error: unknown) => console.error(error)));
  const signal = await Promise.race([nextSignal(), ...(running.ended ? [running.ended] : [])]);
  if (signal !== undefined) endOnFurther(signal, running);
  await running.stop();
  // Everything is closed; only a socket whose end was never reported could keep the process.
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
  // A reason that was written for a person; anything else is a bug, whose trace somebody will want.
  console.error(isPlainReason(error) ? error.message : error);
  process.exitCode = 1;
}

function isPlainReason(error: unknown): error is Error {
  return error instanceof ServiceError || (error instanceof Error && error.cause !== undefined);
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}
