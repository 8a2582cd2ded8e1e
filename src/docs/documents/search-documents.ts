import type { Operations } from '../../../generated/docs/operations.ts';
import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import { Pace } from '../../lib/pace.ts';
import { type AnswerBounds, type AnswerBudget, type InputOf, Reply, truncationHeaders,
  truncationOf } from '../../operations/index.ts';
import type { ReadableColumns, SortedDocument, Sorting, ValueCount } from '../../search/columns/index.ts';
import { cursorOf, type CursorRequest, parseSort, type SortKey } from '../../search/order/index.ts';
import { gathered, gatheredEach } from '../../search/parts/index.ts';
import type { Row, Sql } from '../../storage/index.ts';
import { selectDocuments } from '../columns/index.ts';
import { endPage, expressionOf, limitOf, type ListDeps, listDocuments, type ListSearch, type PageEnd, type Projection,
  projectionOf, type Shown, shownDocument, wantedVectors } from '../search/index.ts';
import { type CollectionRow, readCollection } from '../stored-collections.ts';
import { stillKept } from './deleted-documents.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { type Meta, parseMeta, queriesFor, type ShownRow, toDocument } from './document-rows.ts';

type Input = InputOf<Operations, 'searchDocuments'>;

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
interface Search {
  readonly request: ListSearch<never, never>['request'];
  readonly keys: readonly SortKey[];
  readonly limit: number;
}

interface Found extends PageEnd<ProjectedDocument> {
  readonly total: number;
}

const DEFAULT_LIMIT = 50;

/**
 * `POST /v1/search`: by metadata, sorted and paged (contract section 4). The number of matches is in the header
 * `X-Total-Count`. An array has no place for `contextTruncated`, `truncated` and `nextOffset`, so those are the headers
 * `X-Context-Truncated`, `X-Truncated` and `X-Next-Offset`, and for pages by cursor `X-Next-Cursor`.
 */
export function searchDocuments(deps: Deps): DocumentHandlers['searchDocuments'] {
  return async (input, context) => {
    const { results, end, total } = await find(deps, input, context);
    return new Reply(results, {
      'X-Total-Count': String(total),
      ...(end.contextTruncated && { 'X-Context-Truncated': 'true' }),
      ...(end.truncated && truncationHeaders(true, end.nextOffset!)),
      ...(end.nextCursor !== undefined && { 'X-Next-Cursor': end.nextCursor }),
    });
  };
}

function find(deps: Deps, input: Input, bounds: AnswerBounds): Promise<Found> {
  const { collection, offset, filterMeta = {}, fields, includeContent, deleted } = input;
  const [filter, order, limit] = [expressionOf(input), orderOf(input), limitOf(input)];
  const { retrieval: profile = {}, vectors } = deps.collections.configOf(collection) ?? {};
  const search: Search = {
    request: {
      collection,
      filter,
      projection: projectionOf(fields, includeContent, wantedVectors(input, vectors)),
      offset,
      tokens: input.contextTokenBudget ?? profile.contextTokenBudget ?? 0,
      order,
    },
    keys: order.keys,
    limit: limit ?? profile.topK ?? DEFAULT_LIMIT,
  };
  return deleted
    ? findDeleted(deps, search, { filterMeta, order: orderOfDeleted(input, order) }, bounds)
    : findPresent(deps, search, bounds);
}

interface Order {
  readonly keys: readonly SortKey[];
  /** Undefined for pages by offset. */
  readonly cursor: CursorRequest | undefined;
}

/**
 * Without `sort`, the order is by key, ascending; with `sort`, it is descending by default. Throws `invalid_argument`.
 */
function orderOf(input: Input): Order {
  const { collection, sort, asc } = input;
  const ascending = asc ?? sort === undefined;
  const keys = parseSort(sort ?? 'key', { descending: !ascending, scored: false });
  const name = JSON.stringify([collection.toLowerCase(), keys]);
  return { keys, cursor: cursorOf(input, name, keys.length) };
}

const COLUMNS_OF_DELETED: Readonly<Record<string, DeletedSearch['order']['column']>> = {
  key: 'key',
  addedAt: 'added_at',
  updatedAt: 'updated_at',
};

/**
 * Deleted documents are indexed only by their keys and times. Throws `invalid_argument` for requests that need another
 * index.
 */
function orderOfDeleted({ filter, langs, rangeMeta, cursor }: Input, { keys }: Order): DeletedSearch['order'] {
  const refused = Object.entries({ filter, langs, rangeMeta, cursor }).find(([, value]) => value !== undefined)?.[0];
  if (refused !== undefined)
    throw new ServiceError('invalid_argument',
      `${refused} must not come with deleted: deleted documents are narrowed by filterMeta alone`);
  const [{ column: by, descending }] = keys as [SortKey];
  const column = keys.length === 1 && 'name' in by ? COLUMNS_OF_DELETED[by.name] : undefined;
  if (column === undefined)
    throw new ServiceError('invalid_argument', 'sort must be key, addedAt or updatedAt with deleted');
  return { column, direction: descending ? 'DESC' : 'ASC' };
}

async function findDeleted(deps: Deps, { request, limit }: Search, wanted: Pick<DeletedSearch, 'filterMeta' | 'order'>,
  bounds: AnswerBounds): Promise<Found>
{
  const { offset, projection } = request;
  const collection = await readCollection(deps.sql, request.collection);
  const search = { ...wanted, limit, offset, projection, now: unixSeconds(deps.clock) };
  const { total, documents } = collection === undefined
    ? { total: 0, documents: [] }
    : await searchDeleted(deps, collection, search, bounds);
  const presented = { shown: documents, at: [...documents.keys()], next: documents.length };
  return { total, ...endPage(presented, request, bounds.budget, () => undefined) };
}

/** The columns determine the documents and their order; only the rows of the page are read. */
async function findPresent(deps: ListDeps, { request, keys, limit }: Search, bounds: AnswerBounds): Promise<Found> {
  const { offset, order } = request;
  let total = 0;
  const page = await listDocuments(deps, {
    request,
    needs: { keys },
    async *pagesOf({ columns, documents }) {
      const sorting = { keys, offset, count: limit, after: order?.cursor?.after };
      const page = await countAndSort(columns, documents, sorting);
      total = page.total;
      yield page.sorted.map(({ ord, ...mark }) => ({ ord, mark }));
    },
    show: (document) => document,
  }, bounds);
  return { total, ...page };
}

/** The number of documents, and a page of them, which parts in other processes are asked for together. */
async function countAndSort(columns: ReadableColumns, documents: OrdSet | undefined,
  sorting: Sorting): Promise<{ readonly total: number; readonly sorted: readonly SortedDocument[] }>
{
  let total: number | undefined;
  let sorted: readonly SortedDocument[] = [];
  await gatheredEach([
    () => {
      total = columns.count(documents);
    },
    () => {
      if (total === undefined || sorting.offset < total) sorted = columns.sort(documents, sorting);
    },
  ], (read) => read());
  return { total: total!, sorted };
}

/** The request, with all defaults filled in. */
interface DeletedSearch {
  readonly filterMeta: Meta;
  readonly order: { readonly column: 'key' | 'added_at' | 'updated_at'; readonly direction: 'ASC' | 'DESC' };
  readonly limit: number;
  readonly offset: number;
  readonly projection: Projection;
  /** Unix seconds. */
  readonly now: number;
}

interface Heading extends Row {
  readonly ord: number;
  /** NULL if there is no filter. */
  readonly meta: string | null;
}

interface VersionRow extends ShownRow {
  readonly deleted_at: number;
  readonly body: Uint8Array | null;
}

/** The deleted version is the newest revision. */
const FROM = 'FROM deleted_documents n JOIN deleted_revisions r ON r.ord = n.ord AND r.ts = n.rev_ts';

/**
 * The deleted documents of a collection whose last metadata match, sorted and paged. Their metadata have no index, so a
 * filter reads the metadata of all of them.
 */
async function searchDeleted({ sql, codec, deletedRetention }: Pick<Deps, 'sql' | 'codec' | 'deletedRetention'>,
  collection: CollectionRow, search: DeletedSearch,
  { signal, budget }: AnswerBounds): Promise<{ total: number; documents: Shown<ProjectedDocument>[] }>
{
  const { total, ords } = await pageOf(sql, collection, search, deletedRetention);
  const pace = new Pace();
  const documents: Shown<ProjectedDocument>[] = [];
  for (const ord of ords) {
    signal.throwIfAborted();
    const row = await sql.get<VersionRow>(
      `SELECT n.id, n.key, n.lang, n.added_at, r.updated_at, n.deleted_at, n.expires_at, r.meta, ${
        search.projection.body ? 'r.body' : 'NULL AS body'
      } ${FROM} WHERE n.ord = ?`,
      [ord],
    );
    if (row === undefined) continue; // it was removed after the page was chosen
    const content = row.body === null ? '' : await codec.decodeAsync(row.body);
    const { result, ...bytes } = shownDocument(toDocument(row, content), search.projection, Buffer.byteLength(content));
    if (!budget.take(bytes.size)) break;
    documents.push({ result: { ...result, deletedAt: row.deleted_at }, ...bytes });
    await pace.rest();
  }
  return { total, documents };
}

async function pageOf(sql: Sql, collection: CollectionRow, { filterMeta, order, limit, offset, now }: DeletedSearch,
  retention: number): Promise<{ total: number; ords: readonly number[] }>
{
  const kept = stillKept(now, retention);
  const where = `WHERE n.cid = ? AND ${kept.sql} AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = n.id)`;
  const params = [collection.id, ...kept.params];
  const sorted = `${FROM} ${where} ORDER BY ${
    order.column === 'updated_at' ? 'r' : 'n'
  }.${order.column} ${order.direction}, n.id ASC`;
  const filter = Object.entries(filterMeta);
  if (filter.length === 0) {
    const { total } =
      (await queriesFor(sql, collection).get<{ total: number }>(
        `SELECT count(*) AS total FROM deleted_documents n ${where}`,
        params,
      ))!;
    const rows = await queriesFor(sql, collection).all<Heading>(`SELECT n.ord, NULL AS meta ${sorted} LIMIT ? OFFSET ?`,
      [...params, limit, offset]);
    return { total, ords: rows.map(({ ord }) => ord) };
  }
  const matching: number[] = [];
  const pace = new Pace();
  for await (const rows of sql.stream<Heading>(`SELECT n.ord, r.meta ${sorted}`, params)) {
    for (const { ord, meta } of rows) {
      if (matches(parseMeta(meta!), filter)) matching.push(ord);
      await pace.rest();
    }
  }
  return { total: matching.length, ords: matching.slice(offset, offset + limit) };
}

/** Values of one key are alternatives, and every key must match. */
function matches(meta: Meta, filter: readonly (readonly [string, readonly string[]])[]): boolean {
  return filter.every(([key, values]) =>
    Object.hasOwn(meta, key) && values.some((value) => meta[key]!.includes(value))
  );
}

/**
 * `GET /v1/meta-keys`: the keys in use and their distinct values, both sorted, with as many values as fit the response.
 */
export function listMetaKeys({ columns: view, clock }: Deps): DocumentHandlers['listMetaKeys'] {
  return async ({ collection, key, limit, offset }, { signal, budget }) => {
    const values = new Map<string, string[]>();
    const now = unixSeconds(clock);
    const pace = new Pace();
    let passedOver = 0;
    let found = 0;
    const names = key === undefined ? await gathered(() => view.indexOf(collection)?.columns.keys() ?? []) : [key];
    for (const name of names) {
      signal.throwIfAborted();
      const selected = await selectDocuments(view, collection, { now, needs: { facets: [name] } });
      const wanted = limit - found;
      if (selected === undefined || wanted === 0) break;
      const before = offset - passedOver;
      const facet = { field: name, isMeta: true, orderBy: 'value', limit: before + wanted } as const;
      const listed = await gathered(() => selected.columns.facet(selected.documents, facet));
      passedOver += Math.min(before, listed.length);
      const fitting = fill(values, name, listed.slice(before), budget);
      found += fitting;
      if (budget.isSpent) break;
      await pace.rest();
    }
    return { meta: Object.fromEntries(values), ...truncationOf(budget.isSpent, offset + found) };
  };
}

/** Adds values of a key while they fit the response; returns how many were added. */
function fill(values: Map<string, string[]>, key: string, listed: readonly ValueCount[], budget: AnswerBudget): number {
  for (const [i, { value }] of listed.entries()) {
    const known = values.get(key);
    if (!budget.take(Buffer.byteLength(value) + (known === undefined ? Buffer.byteLength(key) : 0))) return i;
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return listed.length;
}
