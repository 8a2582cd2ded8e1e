import type { Command } from 'commander';
import { watch } from 'node:fs';
import { systemClock, systemTimer, type Timer } from '../../../lib/clock.ts';
import { endings } from '../import/run-import.ts';
import { passedOverLines, problemLines, stopLines } from '../import/tally.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { INTERRUPTED, isForUser, runCommand } from '../shared/command-error.ts';
import { addClientOptions, type ClientOptions, openClient } from '../shared/connection.ts';
import { type Io, processIo, untilInterrupted, writeLines } from '../shared/io.ts';
import { formatCount, plural } from '../shared/output.ts';
import { type SyncArguments, type SyncContext, syncOnce, type SyncResult } from './sync-once.ts';

export interface RunSyncArguments extends SyncArguments {
  readonly watch?: boolean;
}

export interface RunSyncContext extends SyncContext {
  readonly timer: Timer;
  /** Calls the listener whenever something in the folder may have changed, until the returned function is called. */
  readonly follow?: (folder: string, onChange: () => void) => () => void;
}

/** How long a folder must be unchanged before it is read, so that a program that saves many files can finish. */
const QUIET_MS = 300;

/**
 * Makes a collection equal to a folder, prints a summary and, with `watch`, repeats this whenever the folder has
 * changed. The exit code is 1 if something failed, and 130 if it was interrupted before the folder was done.
 */
export async function runSync(given: RunSyncArguments, context: RunSyncContext): Promise<void> {
  if (!given.watch) return void (await once(given, context));
  const changes = new Changes();
  const close = (context.follow ?? followFolder)(given.folder, () => changes.note());
  const onAbort = (): void => changes.note();
  context.signal.addEventListener('abort', onAbort, { once: true });
  try {
    await once(given, context);
    if (!given.quiet && !context.signal.aborted)
      writeLines(context.io.stdout, [`watching ${given.folder}; press Ctrl-C to end`]);
    while (!context.signal.aborted) {
      await changes.settled(context);
      if (!context.signal.aborted) await once(given, context);
    }
  } finally {
    context.signal.removeEventListener('abort', onAbort);
    close();
  }
}

async function once(given: RunSyncArguments, context: RunSyncContext): Promise<void> {
  const result = await syncOnce(given, context);
  const { stoppedBy } = result.imported;
  if (stoppedBy instanceof Error && !isForUser(stoppedBy)) throw stoppedBy;
  report(result, given, context.io);
}

function report(result: SyncResult, given: RunSyncArguments, io: Io): void {
  const { imported, deleteErrors } = result;
  writeLines(io.stderr, [...problemLines(imported.tally), ...deleteErrors.map((line) => `not deleted: ${line}`)]);
  if (!given.quiet && imported.stoppedBy === undefined)
    writeLines(io.stdout, [...summaryLines(result, given), ...passedOverLines(result.passedOver)]);
  writeLines(io.stderr, stopLines(imported));
  if (imported.stoppedBy === 'signal') io.setExitCode(INTERRUPTED);
  else if (imported.stoppedBy !== undefined || imported.tally.failed > 0 || deleteErrors.length > 0) io.setExitCode(1);
}

function summaryLines({ imported: { tally }, comparison, orphans, deleted, seconds }: SyncResult,
  { collection, dryRun, prune }: RunSyncArguments): string[]
{
  const unchanged = `unchanged ${formatCount(comparison.unchanged)}, failed ${formatCount(tally.failed)}`;
  const extra = orphans > 0 && !prune
    ? [`${plural(orphans, 'document')} of the collection have no file; --prune deletes them`]
    : [];
  if (dryRun) {
    return [
      `would add ${formatCount(comparison.added.length)}, update ${formatCount(comparison.updated.length)}, delete ${
        formatCount(prune ? orphans : 0)
      }, ${unchanged}`,
      ...extra,
      'nothing was sent (--dry-run)',
    ];
  }
  const stored = tally.added + tally.updated;
  return [
    `collection ${collection}: stored ${formatCount(stored)} (${
      formatCount(Math.min(comparison.added.length, stored))
    } new), deleted ${formatCount(deleted)}, ${unchanged}, in ${formatCount(seconds)} s`,
    ...extra,
  ];
}

/** Stores that something has changed until the change is read. */
class Changes {
  #noted = Promise.withResolvers<void>();

  note(): void {
    this.#noted.resolve();
  }

  /** Waits for a change, and then until there has been none for a while. */
  async settled({ timer, signal }: Pick<RunSyncContext, 'timer' | 'signal'>): Promise<void> {
    await this.#noted.promise;
    for (let isQuiet = false; !isQuiet && !signal.aborted;) {
      this.#noted = Promise.withResolvers();
      const next = this.#noted.promise.then(() => false);
      const pause = new AbortController();
      isQuiet = await Promise.race([next, timer.sleep(QUIET_MS, pause.signal).then(() => true)]);
      pause.abort();
    }
  }
}

function followFolder(folder: string, onChange: () => void): () => void {
  const watcher = watch(folder, { recursive: true }, onChange);
  // A folder that disappears ends the watch; the next read reports it.
  watcher.on('error', onChange);
  return () => watcher.close();
}

const EXAMPLES = `
Stores the files of FOLDER that are new or have changed, under their paths as keys, as
\`quire import\` does. Checksums say which have changed, kept as metadata
\`sync_checksum\`. With --prune, documents of the collection without a file are deleted:
all of them, whoever has stored them.

Examples:
  $ quire sync docs/ --collection handbook --dry-run
  $ quire sync docs/ --collection handbook --prune
  $ quire sync docs/ --collection handbook --prune --watch
`;

/** Adds `quire sync` to the program. */
export function registerSync(program: Command, io: Io = processIo): void {
  const command = program.command('sync').summary('make a collection equal to a folder of files').description(
    'Make a collection of a running document service equal to a folder of files.',
  ).argument('<folder>', 'folder of files').requiredOption('-c, --collection <name>', 'collection to synchronise')
    .option('-l, --lang <code>', 'language of files that name none', 'en').option('--only <endings>',
      'kinds of files to take, such as md,pdf', endings).option('--prune', 'delete documents that have no file').option(
      '--watch',
      'go on, and synchronise whenever the folder changes',
    ).option('--concurrency <n>', 'requests under way at once', wholeNumber(1, 64), 4).option('--dry-run',
      'say what would be done, and do nothing').option('-q, --quiet', 'show errors only');
  addClientOptions(command).addHelpText('after', EXAMPLES).action(
    async (folder: string, options: Omit<RunSyncArguments, 'folder'> & ClientOptions) => {
      await runCommand('sync', io, () =>
        untilInterrupted(async (signal) =>
          runSync({ ...options, folder }, {
            io,
            signal,
            clock: systemClock,
            timer: systemTimer,
            client: openClient(options),
          })
        ));
    },
  );
}
