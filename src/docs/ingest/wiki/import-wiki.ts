import type { Operations } from '../../../../generated/docs/operations.ts';
import { type WikiDocument, WikiDumpError } from '../../../convert/wiki/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { type Outbound, RefusedRequest } from '../../../net/index.ts';
import { type Handlers, mayReadAll, type OutputOf } from '../../../operations/index.ts';
import { inList, type Row, type Sql } from '../../../storage/index.ts';
import { type BatchItem, type BatchResult, type DocumentWriter, identify, parseMeta,
  requireText } from '../../documents/index.ts';
import { changeFlags, effectiveOptions } from '../profile.ts';
import { convertDump, type ConvertedBatch } from './convert-dump.ts';

/** Limits of a dump; 0 for no limit. */
export interface WikiLimits {
  readonly maxPages: number;
  /** Bytes of XML, unpacked. */
  readonly maxBytes: number;
}

interface WikiDeps {
  readonly sql: Sql;
  readonly writer: DocumentWriter;
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly limits: WikiLimits;
}

type Result = OutputOf<Operations, 'importWiki'>;

/** Maximum number of failure reasons in a response: they show what is wrong with a dump of half a million pages. */
const MOST_ERRORS = 10;

/**
 * `POST /v1/import-wiki` (contract section 4): imports a dump page by page while it arrives, in memory that does not
 * grow with it. An error in the dump is reported after the pages before it are stored; if the client disconnects, the
 * import ends.
 */
export function importWiki(deps: WikiDeps): Required<Handlers<Operations>>['importWiki'] {
  return async (input, context) => {
    const { identity, signal } = context;
    const { collection, lang, file, profile, skipFts, namespaces, skipRedirects, maxPages, batchSize } = input;
    const start = performance.now();
    requireText(collection);
    const { maxPages: pageLimit, maxBytes: byteLimit } = deps.limits;
    const source = dumpSource(file, { outbound: deps.outbound, maxBytes: byteLimit, signal });
    const mayRead = mayReadAll(identity, collection);
    const chosen = effectiveOptions({ profile, skipFts }, mayRead);
    const tally = new Tally();
    const write = async (batch: ConvertedBatch): Promise<void> => {
      const items = await toItems(deps.sql, [...batch.documents], {
        collection,
        lang,
        saveRevision: chosen.saveRevision,
      });
      const skipDuplicates = chosen.skipDuplicates ? { ignoredMeta: [] } : undefined;
      const result = await deps.writer.put(collection, items, {
        skipDuplicates,
        flags: changeFlags(chosen),
        signal,
        by: context,
        chunk: batchSize,
        hidesStored: !mayRead,
      });
      tally.add(batch, result);
    };
    try {
      const options = {
        namespaces: namespaces.split(',').map(Number),
        skipRedirects,
        batchSize,
        maxPages,
        pageLimit,
        byteLimit,
        signal,
        ownsPieces: isArriving(file),
      };
      for await (const batch of convertDump(source, options)) await write(batch);
    } catch (error) {
      throw tally.failure(error);
    }
    return {
      ...tally.counts(),
      errors: tally.errors,
      collection,
      durationMs: Math.round(performance.now() - start),
      profile,
    };
  };
}

/** Whether the dump arrives with the request; only then the import owns its pieces. */
function isArriving(file: unknown): boolean {
  return !(file instanceof Blob || file instanceof URL);
}

class Tally {
  #imported = 0;
  #skipped = 0;
  #failed = 0;
  readonly errors: string[] = [];

  add({ skipped: leftOut, indexes }: ConvertedBatch, { added, updated, skipped, failed, errors }: BatchResult): void {
    this.#imported += added + updated;
    this.#skipped += leftOut + skipped;
    this.#failed += failed;
    for (const line of errors.slice(0, MOST_ERRORS - this.errors.length))
      this.errors.push(line.replace(/^\d+/, (index) => String(indexes[Number(index)] ?? index)));
  }

  counts(): Pick<Result, 'imported' | 'skipped' | 'failed'> {
    return { imported: this.#imported, skipped: this.#skipped, failed: this.#failed };
  }

  /** The error for an invalid dump, with the counts of what was stored before. */
  failure(error: unknown): unknown {
    if (!(error instanceof WikiDumpError)) return error;
    const before = this.#imported === 0 ? '' : `; ${this.#imported} pages were stored before`;
    return new ServiceError(error.isTooLarge ? 'payload_too_large' : 'invalid_argument',
      `file cannot be imported: ${error.message}${before}`, { cause: error, body: this.counts() });
  }
}

/** The download of a dump may take long; a separate limit ends connections to servers that send nothing. */
const TIMEOUT_MS = 12 * 3_600_000;

interface SourceOptions {
  readonly outbound: Pick<Outbound, 'fetch'>;
  /** Maximum number of bytes to fetch; 0 for no limit. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The bytes of a dump: of a file that is being uploaded, of a complete file, or of a URL. */
function dumpSource(file: unknown, options: SourceOptions): AsyncIterable<Uint8Array> {
  if (file instanceof URL) return fetched(file, options);
  if (file instanceof Blob) return file.stream();
  if (typeof file === 'object' && file !== null && Symbol.asyncIterator in file)
    return file as AsyncIterable<Uint8Array>;
  throw new ServiceError('invalid_argument', 'file must be a file');
}

async function* fetched(url: URL, { outbound, maxBytes, signal }: SourceOptions): AsyncGenerator<Uint8Array> {
  try {
    const response = await outbound.fetch({ maxBytes: maxBytes || Number.MAX_SAFE_INTEGER, timeoutMs: TIMEOUT_MS })(url,
      { signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw new ServiceError('invalid_argument', `url could not be fetched: the server returned ${response.status}`);
    }
    if (response.body !== null) yield* response.body as AsyncIterable<Uint8Array>;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    if (error instanceof RefusedRequest)
      throw new ServiceError(error.rule === 'size' ? 'payload_too_large' : 'invalid_argument',
        `url could not be fetched: ${error.message}`, { cause: error });
    throw new ServiceError('invalid_argument', 'url could not be fetched', { cause: error });
  }
}

interface PageItemOptions {
  readonly collection: string;
  readonly lang: string;
  readonly saveRevision: boolean;
}

interface StoredRow extends Row {
  readonly id: string;
  readonly meta: string;
}

/**
 * The pages of a batch as items to write. Titles of a wiki are case-sensitive and keys are not: if the key of a page
 * belongs to another page of the wiki, in this batch or stored before, the id of the page is appended to the key, so
 * that no page overwrites another. Pages that are imported again get their own key.
 */
async function toItems(sql: Pick<Sql, 'all'>, documents: readonly WikiDocument[],
  options: PageItemOptions): Promise<BatchItem[]>
{
  const owners = await storedOwners(sql, documents, options);
  return documents.map((document) => {
    const own = document.meta['wiki_id']?.[0] ?? '';
    const id = idOf(document.key, options);
    const owner = owners.get(id);
    const isFree = owner === undefined || owner === own;
    if (isFree) owners.set(id, own);
    return {
      key: isFree ? document.key : `${document.key}~${own}`,
      lang: options.lang,
      contentMd: document.contentMd,
      meta: document.meta,
      saveRevision: options.saveRevision,
      ...refusal(document),
    };
  });
}

/** The id of the stored page, by document. Documents from other sources have none. */
async function storedOwners(sql: Pick<Sql, 'all'>, documents: readonly WikiDocument[],
  options: PageItemOptions): Promise<Map<string, string>>
{
  const { marks, params } = inList([...new Set(documents.map(({ key }) => idOf(key, options)))]);
  const rows = await sql.all<StoredRow>(`SELECT d.id, d.meta FROM documents d WHERE d.id IN (${marks})`, params);
  return new Map(rows.flatMap(({ id, meta }) => {
    const owner = parseMeta(meta)['wiki_id']?.[0];
    return owner === undefined ? [] : [[id, owner] as const];
  }));
}

const idOf = (key: string, { collection, lang }: PageItemOptions): string => identify(collection, key, lang).id;

function refusal({ problem }: WikiDocument): Pick<BatchItem, 'refused'> | undefined {
  return problem === undefined ? undefined : { refused: problem };
}
