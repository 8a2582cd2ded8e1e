import { type RetryPolicy, withRetries } from '../shared/retry.ts';
import { ServiceFailure } from '../shared/service-failure.ts';
import { type Batch, batches, type BatchLimits, type PlacedDocument } from './batches.ts';
import type { BatchResult } from './send-batch.ts';
import type { Source } from './source.ts';
import { ImportTally } from './tally.ts';

export interface ImportOptions {
  /** Sends a batch once; called again after a transient failure. */
  readonly send: (batch: Batch) => Promise<BatchResult>;
  /** Batches in progress at once. */
  readonly concurrency: number;
  readonly limits: BatchLimits;
  readonly retries: Omit<RetryPolicy, 'signal'>;
  /** Once aborted, no further batch is started; those in progress are finished. */
  readonly signal: AbortSignal;
  /** Called after each batch with the position in the source and the documents. */
  readonly onProgress: (position: number, documents: number) => void;
}

export interface ImportResult {
  readonly tally: ImportTally;
  /** Why the import ended early; undefined if the source was read to its end. */
  readonly stoppedBy: Error | 'signal' | undefined;
  /** The position of the last document in the furthest batch that was answered. */
  readonly reached: string | undefined;
}

/**
 * Imports a source: reads it once, collects batches and sends several at once. At most `concurrency` batches and the
 * one being collected are in memory. Batches may overtake each other, so of two rows for one document in different
 * batches either may be stored last, unless `concurrency` is 1.
 *
 * A failure that later batches would share ends the import: a connection that stays lost, a rejected credential or
 * collection. A failure that concerns one batch only (too large, or an internal error) counts its documents as failed.
 * Never rejects: errors are in the result.
 */
export async function importDocuments(source: Source, options: ImportOptions): Promise<ImportResult> {
  const tally = new ImportTally();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  // A generator serves concurrent calls one after another, so the workers share it without a lock.
  const queue = batches(acceptedDocuments(source, tally, signal), options.limits, signal);
  let failure: Error | undefined;
  let furthest: Batch | undefined;

  const work = async (): Promise<void> => {
    try {
      for (let next = await queue.next(); !next.done; next = await queue.next()) {
        await settle(next.value, tally, options, signal);
        if (furthest === undefined || next.value.position >= furthest.position) furthest = next.value;
        options.onProgress(furthest.position, tally.done);
      }
    } catch (error) {
      failure ??= error as Error;
      stop.abort();
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return { tally, stoppedBy: options.signal.aborted ? 'signal' : failure, reached: furthest?.origins.at(-1) };
}

async function* acceptedDocuments(source: Source, tally: ImportTally,
  signal: AbortSignal): AsyncGenerator<PlacedDocument>
{
  for await (const item of source.items(signal)) if (tally.accepts(item)) yield item;
}

/** Sends a batch until there is a final response, and counts it. */
async function settle(batch: Batch, tally: ImportTally, { send, retries }: ImportOptions,
  signal: AbortSignal): Promise<void>
{
  try {
    tally.add(await withRetries(() => send(batch), { ...retries, signal }), batch.bytes);
  } catch (error) {
    if (!isOfThisBatchAlone(error, batch)) throw error;
    const place = batch.documents.length === 1 ? batch.origins[0] : `${batch.origins[0]} to ${batch.origins.at(-1)}`;
    tally.fail(batch.documents.length, [`${place}: ${error.message}`]);
  }
}

/**
 * A batch that is too large, or an internal error that other documents may not cause; for a file that is converted,
 * also a failed conversion.
 */
const isOfThisBatchAlone = (error: unknown, { documents }: Batch): error is ServiceFailure =>
  error instanceof ServiceFailure &&
  (error.status === 413 || error.status === 500 ||
    (documents[0]!.file !== undefined && (error.status === 400 || error.status === 422)));
