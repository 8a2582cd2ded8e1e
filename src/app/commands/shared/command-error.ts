import { EXIT, exitCodeOf } from './exit-codes.ts';
import { ServiceFailure } from './service-failure.ts';
import { writeLines, type Io } from './io.ts';

/** A reason for a command to end that its user can do something about; shown without a stack. */
export class CommandError extends Error {
  /** The status that the process ends with. */
  readonly exitCode: number = EXIT.failed;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
  }
}

/** What was typed cannot be carried out as it is. */
export class UsageError extends CommandError {
  override readonly exitCode = EXIT.usage;
}

/** The status of a process that was interrupted. */
export const INTERRUPTED = EXIT.interrupted;

/** A command that ended early because its user wanted so. */
export class InterruptedError extends CommandError {
  override readonly exitCode = INTERRUPTED;

  constructor() {
    super('interrupted');
    this.name = 'InterruptedError';
  }
}

/** Whether an error is for the user of the command, rather than a defect of it. */
export const isForUser = (error: unknown): error is Error => error instanceof CommandError || error instanceof ServiceFailure;

/**
 * Runs the work of a command. A `CommandError` or a failure of the service is written as one line,
 * and the process ends with the status that stands for it (`exit-codes.ts`); anything else is a
 * defect and is thrown on.
 */
export async function runCommand(name: string, io: Io, work: () => Promise<unknown>): Promise<void> {
  for (const stream of [io.stdout, io.stderr]) stream.on('error', ignoreClosedPipe);
  try {
    await work();
  } catch (error) {
    if (!isForUser(error)) throw error;
    writeLines(io.stderr, [`quire ${name}: ${error.message}`]);
    io.setExitCode(error instanceof ServiceFailure ? exitCodeOf(error.status) : (error as CommandError).exitCode);
  }
}

/** Whoever read the output has seen enough, as `head` does. The error may come after the work is done. */
export function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
