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

/** The largest file that the service accepts. */
const MAX_FILE_BYTES = 100 * 2 ** 20;

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
  const options = { ...(profile === undefined ? {} : { profile }), ...(saveRevisions ? {} : { saveRevision: false }) };
  return (await answered(url,
    ingestDocuments({ client: sdk, body: { collection, documents: [...documents], options } }))).data;
}

/** Converts `<index> <key>: <reason>` to the position for the index, and the rest. */
function placed(line: string, origins: readonly string[]): string {
  const [, index = '', rest = ''] = /^(\d+) (.*)$/s.exec(line) ?? [];
  const origin = origins[Number(index)];
  return index === '' || origin === undefined ? line : `${origin}: ${rest}`;
}
