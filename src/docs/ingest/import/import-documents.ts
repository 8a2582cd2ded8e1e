import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Log } from '../../../lib/log.ts';
import { Pace } from '../../../lib/pace.ts';
import { type Download, type Handlers, mayReadAll, type Standing,
  type StreamedBody } from '../../../operations/index.ts';
import { type BatchItem, type BatchOptions, type BatchResult, type DocumentWriter,
  requireText } from '../../documents/index.ts';
import { SCRAPED_AT } from '../ingest-documents.ts';
import { changeFlags, type EffectiveOptions, effectiveOptions } from '../profile.ts';
import { linesOf, toBatchItem } from './lines.ts';

interface ImportDeps {
  readonly writer: DocumentWriter;
  /** Resolves when everything written so far can be found. */
  readonly caughtUp: (signal: AbortSignal) => Promise<void>;
  readonly log: Pick<Log, 'error'>;
}

/** Maximum number of documents in a batch, and of UTF-16 units of their text. */
const BATCH = 500;
const BATCH_UNITS = 4 * 2 ** 20;

/**
 * Maximum number of concurrent batches, and of UTF-16 units of their text: one is written and another is indexed, while
 * further ones are read, compressed and tokenized. Checkpoints of the database delay a write by the time of several
 * batches.
 */
const UNDER_WAY = 5;
const UNITS_UNDER_WAY = 3 * BATCH_UNITS;

/** One import: its collection, options and client. */
interface Job {
  readonly collection: string;
  readonly options: EffectiveOptions;
  readonly body: StreamedBody;
  readonly signal: AbortSignal;
  readonly by: Standing;
  /** Whether the client may know which documents were there before. */
  readonly mayRead: boolean;
}

/** `POST /v1/import`: each line is a document. Lines are read while earlier documents are still being written. */
export function importDocuments(deps: ImportDeps): Required<Handlers<Operations>>['importDocuments'] {
  return async ({ collection, profile, saveRevision }, context) => {
    const { caller: { body }, identity, signal } = context;
    requireText(collection);
    if (body === undefined) throw new ServiceError('invalid_argument', 'the documents must come as a stream of lines');
    const mayRead = mayReadAll(identity, collection);
    const options = effectiveOptions({ profile, saveRevision }, mayRead);
    const content = answerOf(deps, { collection, options, body, signal, by: context, mayRead });
    return { contentType: 'application/x-ndjson', live: true, content } satisfies Download;
  };
}

/** Ends the import when the client stops reading. */
async function* answerOf(deps: ImportDeps, job: Job): AsyncGenerator<Uint8Array> {
  const over = new AbortController();
  const progress = new Progress();
  const signal = AbortSignal.any([job.signal, over.signal]);
  const work = run(deps, { ...job, signal }, progress).then(() => progress.end({ done: true }),
    (error: unknown) => progress.end(failureOf(deps, error, signal)));
  try {
    for await (const line of progress.lines()) yield Buffer.from(line);
  } finally {
    over.abort();
    await work;
  }
}

async function run(deps: ImportDeps, job: Job, progress: Progress): Promise<void> {
  const underWay: UnderWay[] = [];
  let before: Promise<unknown> = Promise.resolve();
  try {
    for await (const batch of batchesOf(job)) {
      job.signal.throwIfAborted();
      const stored = deps.writer.put(job.collection, batch.items, {
        ...optionsOf(job),
        numbers: batch.numbers,
        after: before,
      });
      before = stored;
      const done = stored.then(async (result) => {
        await deps.caughtUp(job.signal);
        progress.add(batch.items.length, result);
      });
      // The rejection is handled when this batch is awaited.
      done.catch(() => undefined);
      underWay.push({ done, units: batch.units });
      while (isFull(underWay)) await underWay.shift()!.done;
    }
  } finally {
    const failure = (await Promise.allSettled(underWay.map(({ done }) => done))).find(({ status }) =>
      status === 'rejected'
    );
    if (failure !== undefined) await Promise.reject((failure as PromiseRejectedResult).reason as Error);
  }
}

/** A batch that is being stored. */
interface UnderWay {
  readonly done: Promise<void>;
  readonly units: number;
}

/** Whether the next batch has to wait. */
function isFull(underWay: readonly UnderWay[]): boolean {
  return underWay.length >= UNDER_WAY || underWay.reduce((sum, { units }) => sum + units, 0) >= UNITS_UNDER_WAY;
}

interface Batch {
  readonly items: BatchItem[];
  /** Their line numbers. */
  readonly numbers: number[];
  /** UTF-16 units of their lines. */
  units: number;
}

async function* batchesOf(
  { body: { content, maxRecordBytes: maxBytes }, options: { saveRevision } }: Job,
): AsyncGenerator<Batch> {
  const pace = new Pace();
  let batch = emptyBatch();
  for await (const lines of linesOf(content, maxBytes)) {
    for (const line of lines) {
      const item = toBatchItem(line, { saveRevision, maxBytes });
      batch.items.push(item instanceof Promise ? await item : item);
      batch.numbers.push(line.number);
      batch.units += line.text?.length ?? 0;
      if (batch.items.length < BATCH && batch.units < BATCH_UNITS) continue;
      yield batch;
      batch = emptyBatch();
      if (pace.isDue) await pace.rest();
    }
  }
  if (batch.items.length > 0) yield batch;
}

const emptyBatch = (): Batch => ({ items: [], numbers: [], units: 0 });

function optionsOf({ options, signal, by, mayRead }: Job): BatchOptions {
  return {
    skipDuplicates: options.skipDuplicates ? { ignoredMeta: [SCRAPED_AT] } : undefined,
    flags: changeFlags(options),
    signal,
    by,
    hidesStored: !mayRead,
  };
}

/** The error that the client may see; after a disconnect nothing is logged. */
function failureOf({ log }: ImportDeps, error: unknown, signal: AbortSignal): { error: string; code: string } {
  if (error instanceof ServiceError) return { error: error.message, code: error.code };
  if (!signal.aborted) log.error({ err: error }, 'an import could not go on');
  return { error: 'internal error', code: 'internal' };
}

/** Number of items between two lines of the response. */
const STEP = 1000;

/** Maximum number of failures in a line. */
const MAX_ERRORS = 50;

/** The counts of one batch. */
type Counted = Omit<BatchResult, 'errors'> & { readonly errors: readonly string[] };

/** How an import ended: successfully, or with the part of its failure that the client may see. */
type Ending = { readonly done: true } | { readonly error: string; readonly code: string };

/**
 * The progress of an import. Its reader gets a line when there is new progress; if progress is faster than the reader,
 * it is combined into one line, so that a client that does not read delays nothing and needs no memory.
 */
class Progress {
  #processed = 0;
  #added = 0;
  #updated = 0;
  #skipped = 0;
  #failed = 0;
  #embeddingDropped = 0;
  #sanitized = 0;
  #errors: string[] = [];
  #reported = 0;
  #ending: Ending | undefined;
  #news = Promise.withResolvers<void>();

  add(items: number, { added, updated, skipped, failed, embeddingDropped, sanitized, errors }: Counted): void {
    this.#processed += items;
    this.#added += added;
    this.#updated += updated;
    this.#skipped += skipped;
    this.#failed += failed;
    this.#embeddingDropped += embeddingDropped;
    this.#sanitized += sanitized;
    this.#errors.push(...errors.slice(0, MAX_ERRORS - this.#errors.length));
    if (this.#processed - this.#reported >= STEP) this.#news.resolve();
  }

  end(ending: Ending): void {
    this.#ending = ending;
    this.#news.resolve();
  }

  /** The lines of the response; the last one tells how the import ended. */
  async *lines(): AsyncGenerator<string> {
    for (;;) {
      await this.#news.promise;
      this.#news = Promise.withResolvers();
      const ending = this.#ending;
      yield this.#line(ending);
      if (ending !== undefined) return;
      // There may have been progress for another line while this one was sent.
      if (this.#ending !== undefined || this.#processed - this.#reported >= STEP) this.#news.resolve();
    }
  }

  #line(ending: Ending | undefined): string {
    const errors = this.#errors;
    this.#errors = [];
    this.#reported = this.#processed;
    return `${
      JSON.stringify({
        processed: this.#processed,
        added: this.#added,
        updated: this.#updated,
        skipped: this.#skipped,
        failed: this.#failed,
        errors,
        embeddingDropped: this.#embeddingDropped || undefined,
        sanitized: this.#sanitized || undefined,
        ...ending,
      })
    }\n`;
  }
}
