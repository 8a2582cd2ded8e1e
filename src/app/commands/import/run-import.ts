import { getHealth } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { type Clock, systemTimer, unixSeconds } from '../../../lib/clock.ts';
import { type ClientOptions, openClient, type ServiceClient } from '../shared/client.ts';
import { INTERRUPTED, isForUser } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { DEFAULT_RETRIES } from '../shared/retry.ts';
import { answered, ServiceFailure } from '../shared/service-failure.ts';
import { type Batch, MAX_BATCH_BYTES } from './batches.ts';
import { importDocuments, type ImportOptions, type ImportResult } from './import-documents.ts';
import { openSource } from './open-source.ts';
import { showProgress } from './progress.ts';
import { type BatchResult, sendBatch } from './send-batch.ts';
import { problemLines, stopLines, summaryLines } from './summary.ts';

/** The arguments and options of `quire import`. */
export interface ImportArguments extends ClientOptions {
  readonly source: string;
  readonly collection: string;
  readonly lang: string;
  readonly concurrency: number;
  readonly batch: number;
  readonly profile?: 'default' | 'fast';
  readonly only?: readonly string[];
  readonly revisions: boolean;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
}

export interface ImportContext {
  readonly io: Io;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How to retry; by default for half a minute in total. */
  readonly retries?: ImportOptions['retries'];
}

/**
 * Imports and prints a summary. The exit code is 1 if a document failed or the import ended early by itself, and 130 if
 * it was interrupted.
 * @throws {CommandError} if there is nothing to read.
 * @throws {ServiceFailure} if the service cannot be reached at the start.
 */
export async function runImport(given: ImportArguments, context: ImportContext): Promise<ImportResult> {
  const { io, clock, signal } = context;
  const client = openClient(given);
  const source = await openSource(given.source, io.stdin, {
    lang: given.lang,
    only: given.only,
    now: unixSeconds(clock),
  });
  if (!given.dryRun) await expectService(client);

  const started = clock.now();
  const progress = showProgress(source, io.stderr, clock, given.quiet ?? false);
  try {
    const result = await importDocuments(source, {
      send: given.dryRun ? count : (batch) => sendBatch(client, batch, { ...given, saveRevisions: given.revisions }),
      concurrency: given.concurrency,
      limits: { maxDocuments: given.batch, maxBytes: MAX_BATCH_BYTES },
      retries: context.retries ?? { ...DEFAULT_RETRIES, timer: systemTimer },
      signal,
      onProgress: (position, documents) => progress.update(position, documents),
    });
    progress.stop();
    if (result.stoppedBy instanceof Error && !isForUser(result.stoppedBy)) throw result.stoppedBy;
    report(result, given, (clock.now() - started) / 1000, io);
    return result;
  } finally {
    progress.stop();
  }
}

/** Any response will do: the first batch will show whether the service is healthy enough. */
async function expectService({ url, sdk }: ServiceClient): Promise<void> {
  try {
    await answered(url, getHealth({ client: sdk }));
  } catch (error) {
    if (!(error instanceof ServiceFailure) || error.status === undefined) throw error;
  }
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

function report(result: ImportResult, given: ImportArguments, seconds: number, io: Io): void {
  const { tally, stoppedBy } = result;
  writeLines(io.stderr, problemLines(tally));
  if (!given.quiet) writeLines(io.stdout, summaryLines(result, { ...given, dryRun: given.dryRun ?? false, seconds }));
  writeLines(io.stderr, stopLines(result));
  if (stoppedBy === 'signal') io.setExitCode(INTERRUPTED);
  else if (stoppedBy !== undefined || tally.failed > 0) io.setExitCode(1);
}
