import { EXIT, exitCodeOf } from './exit-codes.ts';
import { type Io, plainLines, writeLines } from './io.ts';
import { ServiceFailure } from './service-failure.ts';

/** An error that the user can correct; shown without a stack. */
export class CommandError extends Error {
  /** The exit status of the process. */
  readonly exitCode: number = EXIT.failed;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
  }
}

/** The command line is not valid. */
export class UsageError extends CommandError {
  override readonly exitCode = EXIT.usage;
}

/** The exit status of a process that was interrupted. */
export const INTERRUPTED = EXIT.interrupted;

/** A command that the user ended early. */
export class InterruptedError extends CommandError {
  override readonly exitCode = INTERRUPTED;

  constructor() {
    super('interrupted');
    this.name = 'InterruptedError';
  }
}

/** Whether an error is meant for the user, rather than a bug of the command. */
export const isForUser = (error: unknown): error is Error =>
  error instanceof CommandError || error instanceof ServiceFailure;

/**
 * Runs the work of a command. A `CommandError` or a failure of the service is written as one line, and the process ends
 * with the matching status (`exit-codes.ts`); anything else is a bug and is thrown on.
 */
export async function runCommand(name: string, io: Io, work: () => Promise<unknown>): Promise<void> {
  for (const stream of [io.stdout, io.stderr]) stream.on('error', ignoreClosedPipe);
  try {
    await work();
  } catch (error) {
    if (!isForUser(error)) throw error;
    writeLines(io.stderr, [plainLines(`quire ${name}: ${error.message}`)]);
    io.setExitCode(error instanceof ServiceFailure ? exitCodeOf(error.status) : (error as CommandError).exitCode);
  }
}

/** Whoever read the output has seen enough, as `head` does. The error may come after the work is done. */
export function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
