import type { Document, Revision } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { inBatches } from '../../lib/batcher.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import { type Context, mayReadAll, type Standing, truncationOf } from '../../operations/index.ts';
import { type BodyCodec, inList, type Queries, type Row, type SqlValue } from '../../storage/index.ts';
import { readCollection } from '../stored-collections.ts';
import { requireExpected } from './checksums.ts';
import { withSymbols } from './code-symbols.ts';
import { type DeletedRow, findDeleted } from './deleted-documents.ts';
import { type Deps, type DocumentHandlers, maxRevisionsOf, transact } from './deps.ts';
import { canonicalMeta, CURRENT, type CurrentRow, findDocument, type Meta, parseMeta,
  scanRows } from './document-rows.ts';
import { transactWithCapacity } from './embedding-capacity.ts';
import { identify, type Identity } from './identity.ts';
import { notFound, requireValid } from './item-rules.ts';
import { encodeBody, putVersions, toPending } from './put-versions.ts';
import { RevisionBodies, trimRevisions } from './revision-rows.ts';
import { changeDocument } from './update-document.ts';
import { CHUNK } from './writer.ts';

/** Data of a revision that are read before its contents. */
interface Heading extends Row {
  readonly revision: number;
  /** Its size in the database, in bytes. */
  readonly stored: number;
}

interface RevisionRow extends Row {
  readonly revision: number;
  readonly updated_at: number;
  readonly meta: string;
  /** NULL if it was not requested. */
  readonly body: Uint8Array | null;
}

/** A revision to restore. */
interface RestoredRow extends RevisionRow {
  /** Supplied vectors in their stored form, NULL for none. */
  readonly vectors: Uint8Array | null;
}

/** Number of headings that are read at once. */
const HEADINGS = 512;

/** Limits of the stored revisions in memory, in number and bytes; a single larger one is allowed. */
const READ_AT_ONCE = 64;
const READ_BYTES = 2 ** 20;

/** Where the revisions of a document are stored. */
interface Place {
  /** The ordinal under which they are stored. */
  readonly ord: number;
  readonly tables: Tables;
}

interface Tables {
  readonly body: string;
  readonly vectors: string;
  readonly meta: string;
  /** Names of the tables, each prefixed with `main.` or nothing. */
  readonly from: (schema: '' | 'main.') => string;
}

/** NULL columns stand for the document's current version. */
const LIVE: Tables = {
  body: 'CASE WHEN r.meta IS NULL THEN d.body ELSE r.body END',
  vectors: 'CASE WHEN r.meta IS NULL THEN d.vectors ELSE r.vectors END',
  meta: 'coalesce(r.meta, d.meta)',
  from: (schema) => `${schema}revisions r JOIN ${schema}documents d ON d.ord = r.ord`,
};
const DELETED: Tables = {
  body: 'r.body',
  vectors: 'r.vectors',
  meta: 'r.meta',
  from: (schema) => `${schema}deleted_revisions r`,
};

const select = ({ meta }: Tables) => `SELECT r.ts AS revision, r.updated_at, ${meta} AS meta`;

interface Named extends Place {
  readonly row: CurrentRow | DeletedRow;
  /** The same row if the document is deleted, otherwise undefined. */
  readonly deleted: DeletedRow | undefined;
}

/** A document that exists or is deleted. */
async function findNamed(queries: Queries, identity: Identity, now: number,
  retention: number): Promise<Named | undefined>
{
  const find = () => findDocument<CurrentRow>(queries, CURRENT, identity, now);
  const document = await find();
  const deleted = document === undefined ? await findDeleted(queries, identity, now, retention) : undefined;
  // A document that was restored between the two lookups is found by a third.
  const row = document ?? deleted ?? (await find());
  return row && { row, deleted, ord: row.ord, tables: deleted === undefined ? LIVE : DELETED };
}

/**
 * `POST /v1/revisions`: the kept versions, newest first. They are read in pieces, and only as many as fit the response.
 */
export function listRevisions({ sql, codec, clock, deletedRetention }: Deps): DocumentHandlers['listRevisions'] {
  return async ({ collection, key, lang, limit, offset, includeContent }, context) => {
    const identity = identify(collection, key, lang);
    const now = unixSeconds(clock);
    const found = await findNamed(sql, identity, now, deletedRetention);
    if (found === undefined) throw notFound();
    const { row: named, deleted, ...place } = found;
    const { total } =
      (await sql.get<{ total: number }>(`SELECT count(*) AS total FROM ${place.tables.from('')} WHERE r.ord = ?`, [
        place.ord,
      ]))!;
    const page = { ...place, offset, end: Math.min(total, offset + limit), withBodies: includeContent };
    const { revisions, next } = await readPage({ sql, codec }, page, context);
    return {
      collection,
      key: named.key,
      lang: named.lang,
      revisions,
      total,
      deletedAt: deleted?.deleted_at,
      ...truncationOf(context.budget.isSpent, next),
    };
  };
}

interface Page extends Place {
  readonly offset: number;
  /** Offset after the last revision of the page. */
  readonly end: number;
  readonly withBodies: boolean;
}

/** The revisions of a page that fit the response, and the offset of the first one that does not. */
async function readPage({ sql, codec }: Source, page: Page,
  { signal, budget }: Pick<Context, 'signal' | 'budget'>): Promise<{ revisions: Revision[]; next: number }>
{
  const pace = new Pace();
  const bodies = new RevisionBodies(sql, codec, page.ord, page.tables === DELETED);
  const revisions: Revision[] = [];
  let next = page.offset;
  for await (const rows of rowsOf(sql, page, signal)) {
    await codec.fetchAhead(rows.map((row) => row?.body ?? null));
    for (const row of rows) {
      const revision = row && (await toRevision(bodies, row));
      if (revision !== undefined) {
        if (!budget.take(Buffer.byteLength(revision.contentMd) + Buffer.byteLength(row!.meta)))
          return { revisions, next };
        revisions.push(revision);
      }
      next += 1;
      await pace.rest();
    }
  }
  return { revisions, next };
}

interface Source {
  readonly sql: Queries;
  readonly codec: BodyCodec;
}

/** The rows of a page in batches of limited size; undefined for a revision that was trimmed meanwhile. */
async function* rowsOf(sql: Queries, { ord, tables, offset, end, withBodies }: Page,
  signal: AbortSignal): AsyncGenerator<(RevisionRow | undefined)[]>
{
  for (let from = offset; from < end; from += HEADINGS) {
    const headings = await readHeadings(sql, tables, [ord, Math.min(HEADINGS, end - from), from], withBodies);
    for (const batch of inBatches(headings, READ_AT_ONCE, ({ stored }) => stored, READ_BYTES)) {
      signal.throwIfAborted();
      const numbers = batch.map(({ revision }) => revision);
      const { marks, params } = inList(numbers);
      const rows = await sql.all<RevisionRow>(
        `${select(tables)}, ${withBodies ? tables.body : 'NULL'} AS body FROM ${
          tables.from('')
        } WHERE r.ord = ? AND r.ts IN (${marks})`,
        [ord, ...params],
      );
      const byNumber = new Map(rows.map((row) => [row.revision, row]));
      yield numbers.map((number) => byNumber.get(number));
    }
  }
}

/** Sizes are taken from the tables themselves: an encrypted value need not be decrypted to be measured. */
function readHeadings(sql: Queries, tables: Tables, params: readonly SqlValue[],
  withBodies: boolean): Promise<Heading[]>
{
  const body = withBodies ? `coalesce(octet_length(${tables.body}), 0)` : '0';
  return sql.all<Heading>(`SELECT r.ts AS revision, octet_length(${tables.meta}) + ${body} AS stored
     FROM ${tables.from('main.')} WHERE r.ord = ? ORDER BY r.ts DESC LIMIT ? OFFSET ?`, params);
}

/**
 * `POST /v1/revisions/restore`: an ordinary update to the state of the revision, checked against the current schema. A
 * deleted document is restored, unless the request expects it to exist. 404 when the document has no such revision.
 */
export function restoreRevision(deps: Deps): DocumentHandlers['restoreRevision'] {
  return async ({ collection, key, lang, timestamp, revision, ...expected }, context) => {
    const { signal } = context;
    if (timestamp === undefined && revision === undefined)
      throw new ServiceError('missing_fields', 'missing fields: one of revision, timestamp');
    const identity = identify(collection, key, lang);
    let looked: number | undefined;
    for (;;) {
      const found = await findNamed(deps.sql, identity, unixSeconds(deps.clock), deps.deletedRetention);
      const row = found && (await readRevision(deps.sql, found, { timestamp, revision }));
      if (found === undefined || (row === undefined && found.ord === looked)) throw notFound();
      looked = found.ord;
      if (row === undefined) continue; // the deleted document may have been restored meanwhile, under another ordinal
      const { ord, deleted } = found;
      const { vectors: stored } = row;
      const { meta, contentMd } = await toRevision(new RevisionBodies(deps.sql, deps.codec, ord, deleted !== undefined),
        row);
      requireUnchecked(deps, collection, context.identity);
      if (deleted === undefined)
        return changeDocument(deps, identity, { meta, contentMd, stored }, {
          sameOrd: ord,
          signal,
          by: context,
          expected,
        });
      requireExpected(deps.checksums, undefined, expected);
      const back = await bringBack(deps, deleted, {
        collection,
        meta,
        contentMd,
        vectors: stored,
        signal,
        by: context,
      });
      if (back !== undefined) return back;
    }
  };
}

/**
 * Whether stored metadata fit a schema tells what they are, to those who may set the schema even value by value. Call
 * this right before the check, so that no schema can come in between.
 */
function requireUnchecked({ schemas }: Deps, collection: string, caller: Context['identity']): void {
  if (mayReadAll(caller, collection) || !schemas.has(collection)) return;
  throw new ServiceError('forbidden',
    `forbidden: ${collection} has a schema, which a restored revision is checked against; that needs read permission`);
}

/**
 * A revision by number, by time or by both. Of several revisions of one second, this is the newest that is not the
 * current version, because restoring the current version would change nothing.
 */
function readRevision(queries: Queries, { ord, tables }: Place,
  { timestamp, revision }: { timestamp: number | undefined; revision: number | undefined }
): Promise<RestoredRow | undefined> {
  const conditions = [...(revision === undefined ? [] : ['r.ts = ?']),
    ...(timestamp === undefined ? [] : ['r.updated_at = ?'])];
  const params = [revision, timestamp].filter((value) => value !== undefined);
  return queries.get<RestoredRow>(
    `${select(tables)}, ${tables.body} AS body, ${tables.vectors} AS vectors FROM ${
      tables.from('')
    } WHERE r.ord = ? AND ${conditions.join(' AND ')} ORDER BY r.meta IS NULL, r.ts DESC LIMIT 1`,
    [ord, ...params],
  );
}

async function toRevision(bodies: RevisionBodies,
  { revision, updated_at: updatedAt, meta, body }: RevisionRow): Promise<Revision>
{
  return {
    revision,
    timestamp: updatedAt,
    updatedAt,
    contentMd: body === null ? '' : await bodies.textOf(revision, body),
    meta: parseMeta(meta),
  };
}

interface Version {
  readonly collection: string;
  readonly meta: Meta;
  readonly contentMd: string;
  readonly vectors: Uint8Array | null;
  readonly signal: AbortSignal | undefined;
  /** Whose permission is needed when the transaction begins. */
  readonly by: Standing;
}

/**
 * Writes a deleted document again, in its last spelling and with its revisions, without an expiry. Returns undefined
 * when another write has changed its state meanwhile.
 */
async function bringBack(deps: Deps, deleted: DeletedRow,
  { collection, meta: given, contentMd, vectors, signal, by }: Version): Promise<Document | undefined>
{
  await requireValid(deps, collection, given);
  const { key, lang, added_at: addedAt } = deleted;
  const identity = identify(collection, key, lang);
  const meta = await withSymbols(deps, identity, given, contentMd);
  const version = {
    identity,
    meta,
    body: await encodeBody(deps.codec, collection, contentMd),
    vectors,
    ttl: undefined,
    saveRevision: true,
    skipDuplicate: undefined,
    flags: 0,
    addedAt,
  };
  const demand = { versions: [version], toPending, waitBudget: deps.embeddingCapacity.waitBudget(), signal, by };
  const { value } = await transactWithCapacity(deps, demand, async (work, versions) => {
    const present = await findDeleted(work.tx, identity, work.now, deps.deletedRetention);
    if (present?.ord !== deleted.ord) return { value: undefined, stored: [] };
    await putVersions(work, versions, maxRevisionsOf(deps, collection));
    return {
      value: {
        id: identity.id,
        key,
        lang,
        meta: parseMeta(canonicalMeta(meta)),
        contentMd,
        addedAt,
        updatedAt: work.now,
      },
      stored: versions,
    };
  });
  return value;
}

/**
 * `POST /v1/truncate`: keeps the newest `keepRevs` revisions of each document, in one transaction for every 500
 * documents. The first transaction appends a change to the feed, so that a follower can do the same.
 *
 * `dropCache` is accepted and has no effect: there is no cache of revisions besides the database.
 */
export function truncateRevisions(deps: Deps): DocumentHandlers['truncateRevisions'] {
  return async ({ collection, keepRevs }, context) => {
    const ords = await longHistories(deps, collection, keepRevs);
    let deleted = 0;
    for (let start = 0; start < ords.length; start += CHUNK) {
      context.signal.throwIfAborted();
      deleted += await transact(deps, async (work) => {
        const detail = JSON.stringify({ keepRevs });
        if (start === 0)
          await work.feed.append(work.tx, [{
            kind: 'revisions.truncate',
            collection: collection.toLowerCase(),
            detail,
          }]);
        return trimRevisions(work, ords.slice(start, start + CHUNK), keepRevs);
      }, context);
    }
    return { deleted, status: 'truncated', collection, keepRevs };
  };
}

/** The documents that have more revisions than are to be kept. */
async function longHistories({ sql }: Deps, name: string, keep: number): Promise<number[]> {
  const collection = await readCollection(sql, name);
  if (collection === undefined) return [];
  const query =
    'SELECT r.ord AS ord FROM documents d JOIN revisions r ON r.ord = d.ord WHERE d.cid = ? GROUP BY r.ord HAVING ' +
    'count(*) > ?';
  const batches = await Array.fromAsync(scanRows<{ ord: number }>(sql, collection, query, [collection.id, keep]));
  return batches.flat().map(({ ord }) => ord);
}
