/**
 * The client of the document service: `connect`, the functions of the generated SDK, and functions for streams and
 * pages.
 *
 * @module
 */
import { KEYED, PAGES, READS } from '../../generated/docs/client-facts.ts';
import { createClient, createConfig } from '../../generated/docs/sdk/client/index.ts';
import { exportDocuments, importDocuments, streamEvents } from '../../generated/docs/sdk/sdk.gen.ts';
import type { Document, ExportDocumentsData, ImportDocumentsData,
  StreamEventsData } from '../../generated/docs/sdk/types.gen.ts';
import { eventsOf, linesOf } from './core/events.ts';
import { type ItemOf, pagesOf } from './core/paging.ts';
import { Quire, type QuireOptions } from './core/quire.ts';
import type { CallOptions, Client, DataOf, InputOf, SdkFunction } from './core/types.ts';

export * from '../../generated/docs/sdk/index.ts';
export { QuireError } from './core/quire-error.ts';
export { type Credential, Quire, type QuireOptions } from './core/quire.ts';
export type { CallOptions, DataOf, InputOf, SdkFunction } from './core/types.ts';

/** A client of the document service at `baseUrl`, or with further options. */
export function connect(options: string | QuireOptions = {}): Quire {
  const facts = {
    createClient: (config: object) => createClient(createConfig(config)) as Client,
    baseUrl: 'http://localhost:11023',
    reads: READS,
    keyed: KEYED,
  };
  return new Quire(facts, typeof options === 'string' ? { baseUrl: options } : options);
}

type Names = (typeof PAGES)[keyof typeof PAGES]['items'];

/** The pages of a list, as the operation returns them, without an empty page at the end. */
export async function* pages<F extends SdkFunction>(quire: Quire, operation: F,
  input: InputOf<F>): AsyncGenerator<DataOf<F>>
{
  for await (const { data } of pagesOf(quire, PAGES, operation, input)) yield data;
}

/** The items of a list, across all of its pages. */
export async function* items<F extends SdkFunction>(quire: Quire, operation: F,
  input: InputOf<F>): AsyncGenerator<ItemOf<DataOf<F>, Names>>
{
  for await (const page of pagesOf(quire, PAGES, operation, input)) yield* page.items as ItemOf<DataOf<F>, Names>[];
}

/** Exports the documents of a collection, one by one as they arrive. */
export async function* exportEach(quire: Quire, body: Omit<ExportDocumentsData['body'], 'format'>,
  options: CallOptions = {}): AsyncGenerator<Document>
{
  const stream = await quire.stream(exportDocuments, { ...options, body: { ...body, format: 'ndjson' } });
  for await (const line of linesOf(stream)) if (line !== '') yield JSON.parse(line) as Document;
}

/** The result of an import. */
export interface ImportReport {
  readonly processed: number;
  readonly added: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
  /** In the form `<document, counted from 1> <key>: <reason>`; at most 50 of each batch. */
  readonly errors: readonly string[];
}

/** A document to import; documents of an export are accepted unchanged. */
export type ImportedDocument = Pick<Document, 'key' | 'lang' | 'contentMd'> & { readonly meta?: object;
  readonly ttl?: number; readonly saveRevision?: boolean };

const BATCH_CHARACTERS = 2 ** 20;

/**
 * Imports documents from any iterable, in requests of about a megabyte, so that only one request is in memory at a
 * time.
 */
export async function importEach(quire: Quire, documents: Iterable<ImportedDocument> | AsyncIterable<ImportedDocument>,
  query: ImportDocumentsData['query'], options: CallOptions = {}): Promise<ImportReport>
{
  const total = { processed: 0, added: 0, updated: 0, skipped: 0, failed: 0, errors: [] as string[] };
  let [lines, characters] = [[] as string[], 0];
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const before = total.processed;
    let last: ImportReport & { readonly error?: string } | undefined;
    for await (const line of linesOf(
      await quire.stream(importDocuments, { ...options, body: `${lines.join('\n')}\n`, query }),
    )) {
      last = JSON.parse(line) as ImportReport;
      // Lines are counted from 1 in each request.
      for (const problem of last.errors)
        total.errors.push(problem.replace(/^\d+/, (number) => String(Number(number) + before)));
    }
    for (const count of ['processed', 'added', 'updated', 'skipped', 'failed'] as const)
      total[count] += last?.[count] ?? 0;
    if (last?.error !== undefined) total.errors.push(last.error);
    [lines, characters] = [[], 0];
  };
  for await (const document of documents) {
    const line = JSON.stringify(document);
    lines.push(line);
    characters += line.length;
    if (characters >= BATCH_CHARACTERS) await flush();
  }
  await flush();
  return total;
}

/** A change of the documents, in the form that webhooks receive. */
export interface DocumentEvent {
  /** Number of the event, for `after`. */
  readonly id: string | undefined;
  readonly event: string;
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
  readonly docId: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly document?: Document;
  readonly detail?: unknown;
}

/**
 * Follows changes as they happen, from now on or after the event with a given number, across broken connections. Ends
 * only with `follow: false`, when the caller leaves the loop, or when the signal aborts.
 */
export async function* watchEvents(quire: Quire, query: StreamEventsData['query'] = {},
  { after, ...options }: Pick<CallOptions, 'signal'> & { readonly after?: string } = {}): AsyncGenerator<DocumentEvent>
{
  for await (const { id, data } of eventsOf(quire, streamEvents, { ...options, query }, {
    lastEventId: after,
    reopen: query.follow !== false,
  })) {
    if (data !== '') yield { ...(JSON.parse(data) as DocumentEvent), id };
  }
}
