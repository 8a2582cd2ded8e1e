import { type Clock, systemTimer, unixSeconds } from '../../../lib/clock.ts';
import { type Batch, MAX_BATCH_BYTES } from '../import/batches.ts';
import { importDocuments, type ImportOptions, type ImportResult } from '../import/import-documents.ts';
import { showProgress } from '../import/progress.ts';
import { filesSource, keyOfPath, listFiles } from '../import/read-folder.ts';
import { type BatchResult, sendBatch } from '../import/send-batch.ts';
import type { ServiceClient } from '../shared/client.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { DEFAULT_RETRIES } from '../shared/retry.ts';
import { changedSource, Comparison } from './changed-source.ts';
import { deleteRemote, listRemote } from './remote-documents.ts';

/** The arguments and options of `quire sync`, besides the connection. */
export interface SyncArguments {
  readonly folder: string;
  readonly collection: string;
  readonly lang: string;
  readonly only?: readonly string[];
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly concurrency: number;
}

export interface SyncContext {
  readonly io: Io;
  readonly clock: Clock;
  readonly client: ServiceClient;
  readonly signal: AbortSignal;
  /** How to retry; by default for half a minute in total. */
  readonly retries?: ImportOptions['retries'];
}

/** The result of one comparison of folder and collection. */
export interface SyncResult {
  readonly imported: ImportResult;
  readonly comparison: Comparison;
  /** Documents without a file, which were deleted or, without `--prune`, stay. */
  readonly orphans: number;
  readonly deleted: number;
  readonly deleteErrors: readonly string[];
  readonly seconds: number;
}

/**
 * Makes a collection equal to a folder: stores the files that are new or have changed and, with `prune`, deletes the
 * documents without a file after all files are processed. Nothing is deleted if some files could not be read.
 * @throws {CommandError} if the folder cannot be listed. @throws {ServiceFailure} if the service cannot be reached.
 */
export async function syncOnce(given: SyncArguments, context: SyncContext): Promise<SyncResult> {
  const { client, clock, io, signal } = context;
  const started = clock.now();
  const paths = await listFiles(given.folder, given.only);
  const comparison = new Comparison(await listRemote(client, given.collection));
  const source = changedSource(given.folder, filesSource(given.folder, given.folder, paths, given.lang), comparison,
    keyOfPath);
  const progress = showProgress(source, io.stderr, clock, given.quiet ?? false);
  try {
    const imported = await importDocuments(source, {
      send: given.dryRun
        ? count
        : (batch) => sendBatch(client, batch, { collection: given.collection, saveRevisions: true }),
      concurrency: given.concurrency,
      limits: { maxDocuments: 200, maxBytes: MAX_BATCH_BYTES },
      retries: context.retries ?? { ...DEFAULT_RETRIES, timer: systemTimer },
      signal,
      onProgress: (position, documents) => progress.update(position, documents),
    });
    const orphans = imported.stoppedBy === undefined ? comparison.orphans : [];
    const mayDelete = given.prune === true && given.dryRun !== true;
    const { deleted, errors } = mayDelete
      ? await deleteRemote(client, given.collection, orphans)
      : { deleted: 0, errors: [] };
    progress.stop();
    if (given.dryRun && !given.quiet) writeLines(io.stdout, planLines(comparison, given.prune === true ? orphans : []));
    return {
      imported,
      comparison,
      orphans: orphans.length,
      deleted,
      deleteErrors: errors,
      seconds: unixSeconds(clock) - Math.floor(started / 1000),
    };
  } finally {
    progress.stop();
  }
}

/** The changes that would be made, file by file. */
function planLines({ added, updated }: Comparison, deleted: readonly { key: string; lang: string }[]): string[] {
  return [...added.map((path) => `add     ${path}`), ...updated.map((path) => `update  ${path}`),
    ...deleted.map(({ key, lang }) => `delete  ${key} (${lang})`)];
}

/** Replaces sending in a dry run. */
async function count(batch: Batch): Promise<BatchResult> {
  return {
    added: batch.documents.length,
    updated: 0,
    skipped: 0,
    failed: 0,
    sanitized: 0,
    embeddingDropped: 0,
    reasons: [],
  };
}
