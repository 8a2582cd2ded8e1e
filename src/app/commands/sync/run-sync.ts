import { watch } from 'node:fs';
import type { Timer } from '../../../lib/clock.ts';
import { problemLines, stopLines } from '../import/summary.ts';
import { INTERRUPTED, isForUser } from '../shared/command-error.ts';
import { formatCount, plural } from '../shared/format.ts';
import { type Io, writeLines } from '../shared/io.ts';
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
  if (!given.quiet && imported.stoppedBy === undefined) writeLines(io.stdout, summaryLines(result, given));
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
