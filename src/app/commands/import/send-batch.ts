import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { addDocuments, ingestDocuments, uploadFiles } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { ServiceClient } from '../shared/client.ts';
import { answered } from '../shared/service-failure.ts';
import type { Batch } from './batches.ts';
import type { SourceDocument } from './source.ts';

export interface SendOptions {
  readonly collection: string;
  /** Sends to `/v1/ingest` with this profile instead of `/v1/add-batch`. */
  readonly profile?: 'default' | 'fast';
  /** False keeps the versions that are sent out of the documents' history. */
  readonly saveRevisions: boolean;
}

/** What became of the documents of a batch. */
export interface BatchResult {
  readonly added: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
  readonly sanitized: number;
  readonly embeddingDropped: number;
  /** A line for each failure, with the place of its document. */
  readonly reasons: readonly string[];
  /** What a reader should know of the documents, with their places. */
  readonly notes?: readonly string[];
}

/**
 * Sends one batch once. Sending it again stores the same documents, so it is safe to repeat, but a
 * repeated one counts as updated and makes a revision.
 * @throws {ServiceFailure} when the batch as a whole was refused or got no answer.
 */
export async function sendBatch(client: ServiceClient, batch: Batch, options: SendOptions): Promise<BatchResult> {
  if (batch.documents[0]!.file !== undefined) return upload(client, batch, options);
  const answer = options.profile === undefined ? await add(client, batch, options) : await ingest(client, batch, options);
  const { added, updated, skipped, failed, errors, sanitized = 0, embeddingDropped = 0 } = answer;
  return { added, updated, skipped, failed, sanitized, embeddingDropped, reasons: errors.map((line) => placed(line, batch.origins)) };
}

/** The largest file that the service takes. */
const MAX_FILE_BYTES = 100 * 2 ** 20;

/** The answer to one file does not say whether the document was there before, so it counts as added unless it is older than its last change. */
async function upload({ url, sdk }: ServiceClient, { documents, origins }: Batch, { collection, profile }: SendOptions): Promise<BatchResult> {
  const { key, lang, meta, file } = documents[0]! as SourceDocument & { file: NonNullable<SourceDocument['file']> };
  const blob = new File([await openAsBlob(file.path)], basename(file.path));
  const body = { collection, lang, key, meta, maxSize: MAX_FILE_BYTES, ...(profile !== undefined && { profile }), file: blob };
  const { data } = await answered(url, uploadFiles({ client: sdk, body }));
  if (!('document' in data)) throw new Error('the answer to one file is that of a batch');
  const { document: { addedAt, updatedAt }, sanitized = 0, warnings = [] } = data;
  const isNew = addedAt === updatedAt;
  return { added: isNew ? 1 : 0, updated: isNew ? 0 : 1, skipped: 0, failed: 0, sanitized, embeddingDropped: 0, reasons: [], notes: warnings.map((text) => `${origins[0]}: ${text}`) };
}

async function add({ url, sdk }: ServiceClient, { documents }: Batch, { collection, saveRevisions }: SendOptions) {
  // `true` is the service's default (decision D-33), so only the exception is spelled out.
  const body = { collection, documents: saveRevisions ? [...documents] : documents.map((document) => ({ ...document, saveRevision: false })) };
  return { skipped: 0, ...(await answered(url, addDocuments({ client: sdk, body }))).data };
}

async function ingest({ url, sdk }: ServiceClient, { documents }: Batch, { collection, profile, saveRevisions }: SendOptions) {
  const options = { ...(profile === undefined ? {} : { profile }), ...(saveRevisions ? {} : { saveRevision: false }) };
  return (await answered(url, ingestDocuments({ client: sdk, body: { collection, documents: [...documents], options } }))).data;
}

/** Turns `<index> <key>: <reason>` (decision D-67) into the place that the index stands for, and the rest. */
function placed(line: string, origins: readonly string[]): string {
  const [, index = '', rest = ''] = /^(\d+) (.*)$/s.exec(line) ?? [];
  const origin = origins[Number(index)];
  return index === '' || origin === undefined ? line : `${origin}: ${rest}`;
}
