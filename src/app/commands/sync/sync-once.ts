import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { deleteDocuments, searchDocuments } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { SearchDocumentsRequest } from '../../../../generated/docs/sdk/types.gen.ts';
import { type Clock, unixSeconds } from '../../../lib/clock.ts';
import { type Batch, type BatchResult, importDocuments, type ImportResult, MAX_BATCH_BYTES,
  sendBatch } from '../import/import-documents.ts';
import { showProgress } from '../import/progress.ts';
import { filesSource, keyOfPath, listFiles } from '../import/read-folder.ts';
import type { Source, SourceItem } from '../import/source.ts';
import type { ServiceClient } from '../shared/connection.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { answered, DEFAULT_RETRIES } from '../shared/service-failure.ts';

/** Metadata key of a synchronised document: the SHA-256 of its file. */
const CHECKSUM = 'sync_checksum';

/** The part of a stored document that a comparison with files needs. */
interface RemoteDocument {
  readonly key: string;
  readonly lang: string;
  /** Undefined if `quire sync` did not store the document. */
  readonly checksum: string | undefined;
}

const PAGE = 10_000;
const DELETED_AT_ONCE = 1000;

/** Letter case of keys and languages does not distinguish documents (contract, section 2, identity rule 1). */
const identityOf = ({ key, lang }: { readonly key: string; readonly lang: string }): string =>
  `${key}|${lang}`.toLowerCase();

/**
 * All documents of a collection, by their identity; none if the collection does not exist yet.
 * @throws {ServiceFailure}
 */
async function listRemote({ url, sdk }: ServiceClient, collection: string): Promise<Map<string, RemoteDocument>> {
  const found = new Map<string, RemoteDocument>();
  let cursor: string | null = '*';
  while (cursor !== null) {
    const body: SearchDocumentsRequest = { collection, fields: [CHECKSUM], limit: PAGE, cursor };
    const { data, response } = await answered(url, searchDocuments({ client: sdk, body }));
    for (const { key, lang, meta } of data)
      found.set(identityOf({ key, lang }), { key, lang, checksum: meta?.[CHECKSUM]?.[0] });
    cursor = data.length === 0 ? null : response.headers.get('X-Next-Cursor');
  }
  return found;
}

/**
 * Deletes documents. Returns how many were deleted, and why the others still exist.
 * @throws {ServiceFailure}
 */
async function deleteRemote({ url, sdk }: ServiceClient, collection: string,
  documents: readonly RemoteDocument[]): Promise<{ deleted: number; errors: string[] }>
{
  let deleted = 0;
  const errors: string[] = [];
  for (let i = 0; i < documents.length; i += DELETED_AT_ONCE) {
    const some = documents.slice(i, i + DELETED_AT_ONCE).map(({ key, lang }) => ({ key, lang }));
    const { data } = await answered(url, deleteDocuments({ client: sdk, body: { collection, documents: some } }));
    deleted += data.deleted;
    errors.push(...(data.errors ?? []));
  }
  return { deleted, errors };
}

/** The result of comparing a folder with a collection so far. */
class Comparison {
  readonly #remote: ReadonlyMap<string, RemoteDocument>;
  readonly #local = new Set<string>();
  /** Keys of files that could not be read: it is unknown whether their documents have changed. */
  readonly #unread = new Set<string>();
  /** Documents that the collection lacks, and those that have changed, by the paths of their files. */
  readonly added: string[] = [];
  readonly updated: string[] = [];
  unchanged = 0;

  constructor(remote: ReadonlyMap<string, RemoteDocument>) {
    this.#remote = remote;
  }

  /** Documents without a file. Complete only after all files are read. */
  get orphans(): RemoteDocument[] {
    return [...this.#remote].filter(([id, { key }]) => !this.#local.has(id) && !this.#unread.has(key.toLowerCase()))
      .map(([, document]) => document);
  }

  /** The item with its checksum, or marked to be skipped if the collection already has it in this form. */
  take(item: SourceItem, checksum: string): SourceItem {
    if (item.kind !== 'document') return item;
    const id = identityOf(item.document);
    const found = this.#remote.get(id);
    this.#local.add(id);
    if (found?.checksum === checksum) {
      this.unchanged++;
      return { kind: 'skipped', origin: item.origin, position: item.position };
    }
    (found === undefined ? this.added : this.updated).push(item.origin);
    return { ...item, document: { ...item.document, meta: { ...item.document.meta, [CHECKSUM]: [checksum] } } };
  }

  /** A file that cannot be read, by the key that it would have. */
  miss(key: string): void {
    this.#unread.add(key.toLowerCase());
  }
}

/** A source of files without those that the collection already has. */
function changedSource(folder: string, source: Source, comparison: Comparison,
  keyOf: (path: string) => string): Source
{
  return {
    ...source,
    async *items(signal) {
      for await (const item of source.items(signal)) {
        if (item.kind === 'document') yield await compared(folder, item, comparison, keyOf);
        else {
          comparison.miss(keyOf(item.origin));
          yield item;
        }
      }
    },
  };
}

async function compared(folder: string, item: SourceItem & { kind: 'document' }, comparison: Comparison,
  keyOf: (path: string) => string): Promise<SourceItem>
{
  const { origin, position } = item;
  try {
    // The comparison is by identity, which includes the language of the request if the file has none, and by the
    // checksum.
    return comparison.take(item, await checksumOf(join(folder, origin)));
  } catch (error) {
    comparison.miss(keyOf(origin));
    return { kind: 'problem', origin, position, problem: `cannot be read: ${(error as Error).message}` };
  }
}

/** SHA-256 of a file's bytes, as hexadecimal digits. */
async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

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
}

/** The result of one comparison of folder and collection. */
export interface SyncResult {
  readonly imported: ImportResult;
  readonly comparison: Comparison;
  /** Documents without a file, which were deleted or, without `--prune`, stay. */
  readonly orphans: number;
  readonly deleted: number;
  readonly deleteErrors: readonly string[];
  /** Files of kinds that cannot become documents. */
  readonly passedOver: readonly string[];
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
  const { paths, passedOver } = await listFiles(given.folder, given.only);
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
      retries: DEFAULT_RETRIES,
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
      passedOver,
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
