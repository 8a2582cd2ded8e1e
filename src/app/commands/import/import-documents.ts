import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { addDocuments, ingestDocuments, uploadFiles } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { ServiceClient } from '../shared/connection.ts';
import { answered, type RetryPolicy, ServiceFailure, withRetries } from '../shared/service-failure.ts';
import { MAX_FILE_BYTES } from './read-folder.ts';
import type { Source, SourceDocument } from './source.ts';
import { ImportTally } from './tally.ts';

interface BatchLimits {
  readonly maxDocuments: number;
  /** Most bytes of markdown and metadata; a larger document is a batch of its own. */
  readonly maxBytes: number;
}

/**
 * An eighth of the largest request that the service accepts by default, because JSON escapes take up to six times the
 * bytes.
 */
export const MAX_BATCH_BYTES = 4 * 2 ** 20;

interface PlacedDocument {
  readonly document: SourceDocument;
  readonly origin: string;
  readonly position: number;
}

/** The documents of one request, at least one; a file that the service converts is a batch of its own. */
export interface Batch {
  readonly documents: readonly SourceDocument[];
  /** The source position of each document. */
  readonly origins: readonly string[];
  /** How far the source was read, in its unit. */
  readonly position: number;
  /** UTF-8 bytes of the markdown, or bytes of the file. */
  readonly bytes: number;
}

/**
 * Collects documents into batches, in order, and reads no further than the requested batch needs. After the signal
 * aborts it ends without the batch that is not full yet.
 */
export async function* batches(documents: AsyncIterable<PlacedDocument>, limits: BatchLimits,
  signal: AbortSignal): AsyncGenerator<Batch>
{
  let gathered: PlacedDocument[] = [];
  let size = 0;
  for await (const placed of documents) {
    if (signal.aborted) return;
    const added = documentSize(placed.document);
    if (gathered.length > 0 && (size + added > limits.maxBytes || gathered.length === limits.maxDocuments)) {
      yield toBatch(gathered);
      [gathered, size] = [[], 0];
    }
    if (placed.document.file !== undefined) {
      yield toBatch([placed]);
      continue;
    }
    gathered.push(placed);
    size += added;
  }
  if (gathered.length > 0 && !signal.aborted) yield toBatch(gathered);
}

function toBatch(gathered: readonly PlacedDocument[]): Batch {
  return {
    documents: gathered.map(({ document }) => document),
    origins: gathered.map(({ origin }) => origin),
    position: gathered.at(-1)!.position,
    bytes: gathered.reduce(
      (sum, { document: { contentMd, file } }) => sum + (file?.bytes ?? Buffer.byteLength(contentMd)),
      0,
    ),
  };
}

function documentSize({ contentMd, meta, vectors }: SourceDocument): number {
  let size = Buffer.byteLength(contentMd) + (vectors === undefined ? 0 : JSON.stringify(vectors).length);
  for (const [key, values] of Object.entries(meta))
    size += key.length + values.reduce((sum, value) => sum + value.length, 0);
  return size;
}

interface SendOptions {
  readonly collection: string;
  /** Sends to `/v1/ingest` with this profile instead of `/v1/add-batch`. */
  readonly profile?: 'default' | 'fast';
  /** False to keep the imported versions out of the documents' history. */
  readonly saveRevisions: boolean;
}

/** The results of the documents of a batch. */
export interface BatchResult {
  readonly added: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
  readonly sanitized: number;
  readonly embeddingDropped: number;
  /** A line for each failure, with the position of its document. */
  readonly reasons: readonly string[];
  /** Remarks about the documents that the user should see, with their positions. */
  readonly notes?: readonly string[];
}

/**
 * Sends one batch once. Sending it again is safe, because it stores the same documents, but they count as updated and
 * have one more revision.
 * @throws {ServiceFailure} if the batch as a whole was rejected or got no response.
 */
export async function sendBatch(client: ServiceClient, batch: Batch, options: SendOptions): Promise<BatchResult> {
  if (batch.documents[0]!.file !== undefined) return upload(client, batch, options);
  const answer = options.profile === undefined
    ? await add(client, batch, options)
    : await ingest(client, batch, options);
  const { added, updated, skipped, failed, errors, sanitized = 0, embeddingDropped = 0 } = answer;
  return {
    added,
    updated,
    skipped,
    failed,
    sanitized,
    embeddingDropped,
    reasons: errors.map((line) => placed(line, batch.origins)),
  };
}

/**
 * The response to one file does not say whether the document existed before, so it counts as added unless it was
 * created before its last change.
 */
async function upload({ url, sdk }: ServiceClient, { documents, origins }: Batch,
  { collection, profile }: SendOptions): Promise<BatchResult>
{
  const { key, lang, meta, file } = documents[0]! as SourceDocument & { file: NonNullable<SourceDocument['file']> };
  const blob = new File([await openAsBlob(file.path)], basename(file.path));
  const body = {
    collection,
    lang,
    key,
    meta,
    maxSize: MAX_FILE_BYTES,
    ...(profile !== undefined && { profile }),
    file: blob,
  };
  const { data } = await answered(url, uploadFiles({ client: sdk, body }));
  if (!('document' in data)) throw new Error('the answer to one file is that of a batch');
  const { document: { addedAt, updatedAt }, sanitized = 0, warnings = [] } = data;
  const isNew = addedAt === updatedAt;
  return {
    added: isNew ? 1 : 0,
    updated: isNew ? 0 : 1,
    skipped: 0,
    failed: 0,
    sanitized,
    embeddingDropped: 0,
    reasons: [],
    notes: warnings.map((text) => `${origins[0]}: ${text}`),
  };
}

async function add({ url, sdk }: ServiceClient, { documents }: Batch, { collection, saveRevisions }: SendOptions) {
  // `true` is the service's default, so only `false` is sent.
  const body = {
    collection,
    documents: saveRevisions ? [...documents] : documents.map((document) => ({ ...document, saveRevision: false })),
  };
  return { skipped: 0, ...(await answered(url, addDocuments({ client: sdk, body }))).data };
}

async function ingest({ url, sdk }: ServiceClient, { documents }: Batch,
  { collection, profile, saveRevisions }: SendOptions)
{
  const options = { profile, saveRevision: saveRevisions ? undefined : false };
  return (await answered(url,
    ingestDocuments({ client: sdk, body: { collection, documents: [...documents], options } }))).data;
}

/** Converts `<index> <key>: <reason>` to the position for the index, and the rest. */
function placed(line: string, origins: readonly string[]): string {
  const [, index = '', rest = ''] = /^(\d+) (.*)$/s.exec(line) ?? [];
  const origin = origins[Number(index)];
  return index === '' || origin === undefined ? line : `${origin}: ${rest}`;
}

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
