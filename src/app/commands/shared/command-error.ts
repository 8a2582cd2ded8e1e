import { type Io, plainLines, writeLines } from './io.ts';
import { ServiceFailure } from './service-failure.ts';

/** The exit statuses, for scripts. Commands that use a number differently say so in their help. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  unavailable: 6,
  /** As in shells: 128 + SIGINT. */
  interrupted: 130,
} as const;

/** The rows of the table in `docs/cli.md`, and of `quire --help`. */
export const EXIT_MEANINGS: ReadonlyArray<readonly [code: number, meaning: string]> = [[EXIT.ok,
  'done; finding nothing counts as done'], [EXIT.failed, 'failed, at least in part'], [EXIT.usage,
  'the command line is wrong, or a confirmation is needed and nobody can be asked'], [EXIT.notFound,
  'there is no such document, collection, account or other thing'], [EXIT.notAllowed,
  'a credential is missing, or does not allow it'], [EXIT.conflict, 'somebody else was faster, or the name is taken'], [
  EXIT.unavailable,
  'the service cannot be reached, or is too busy',
], [EXIT.interrupted, 'interrupted']];

/** The exit status for an error with this HTTP status; undefined means that there was no complete response. */
function exitCodeOf(status: number | undefined): number {
  switch (status) {
    case undefined:
    case 408:
    case 429:
    case 502:
    case 503:
    case 504:
      return EXIT.unavailable;
    case 401:
    case 403:
      return EXIT.notAllowed;
    case 404:
    case 410:
      return EXIT.notFound;
    case 409:
    case 412:
      return EXIT.conflict;
    default:
      return EXIT.failed;
  }
}

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
 * with the matching status; anything else is a bug and is thrown on.
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
