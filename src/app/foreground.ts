import { ServiceError } from '../errors/index.ts';
import { ConfigError } from '../lib/setting-values.ts';

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

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs a service until it is asked to stop, or has nothing left to do. The first SIGTERM or SIGINT stops it in order, a
 * second one of either kind hurries the stop if possible, and the next ends the process at once; during the start, the
 * first one does. SIGHUP reloads if the service can reload, and otherwise ends the process as usual. Errors that
 * prevent the start are printed one per line, with a non-zero exit code.
 */
export async function runInForeground(start: () => Promise<Running>): Promise<void> {
  let running: Running | undefined;
  // Before the start prints that the service listens: whoever reads that line may send a signal at once.
  const signalled = untilSignal(() => running);
  try {
    running = await start();
  } catch (error) {
    reportFailedStart(error);
    return;
  }
  const { reload } = running;
  if (reload) process.on('SIGHUP', () => void reload().catch((error: unknown) => console.error(error)));
  await Promise.race([signalled, ...(running.ended ? [running.ended] : [])]);
  await running.stop();
  // Everything is closed; only a socket whose end was never reported could keep the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref();
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

/**
 * Resolves with the first signal to stop. One that comes before the service runs ends the process; further ones hurry
 * or end it.
 */
function untilSignal(service: () => Running | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let received = 0;
  const receive = (signal: NodeJS.Signals): void => {
    const running = service();
    if (running === undefined) {
      process.off(signal, receive);
      process.kill(process.pid, signal);
      return;
    }
    received += 1;
    if (received === 1) resolve();
    else if (received === 2 && running.hurry !== undefined) {
      console.error(
        `${signal} while the service stops: it no longer waits for what is in progress, and another signal ends the ` +
          'process at once',
      );
      running.hurry();
    } else {
      console.error(`${signal} while the service stops: the process ends at once, and what is in progress is lost`);
      process.exit(1);
    }
  };
  for (const signal of STOP_SIGNALS) process.on(signal, receive);
  return promise;
}

/**
 * Runs a step of the start. If the machine or the database does not allow it, the reason is rejected with the setting
 * in front, as the lines about invalid settings have it, because whoever reads it needs the name to change it: a
 * service has several addresses and files. Other errors, which have a stack or lines of their own, stay as they are.
 */
export async function namingSetting<T>(setting: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ServiceError)
      throw new ServiceError(error.code, `${setting}: ${error.message}`, { cause: error });
    if (isReason(error)) throw new Error(`${setting}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** An error of the system (`EACCES`), or one that explains another. */
function isReason(error: unknown): error is Error {
  return error instanceof Error && (error.cause !== undefined || 'syscall' in error);
}
