import type { Operations } from '../../../generated/docs/operations.ts';
import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import { type AnswerBudget, type Context, type InputOf, Reply, truncationHeaders,
  truncationOf } from '../../operations/index.ts';
import type { ValueCount } from '../../search/columns/index.ts';
import type { Filter } from '../../search/filter/index.ts';
import { cursorOf, type Mark, parseSort, type SortKey, writeCursor } from '../../search/order/index.ts';
import type { Row, Sql } from '../../storage/index.ts';
import { selectDocuments } from '../columns/index.ts';
import { countWithinBudget, expressionOf, limitOf, presentInOrder, projectDocument, type Projection, projectionOf,
  type Shown, shown } from '../search/index.ts';
import { type CollectionRow, readCollection } from '../stored-collections.ts';
import { stillKept } from './deleted-documents.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { type Meta, parseMeta, queriesFor, type ShownRow, toDocument } from './document-rows.ts';

type Input = InputOf<Operations, 'searchDocuments'>;

/**
 * What documents are sorted by, and where the previous page ended. `name` distinguishes orders whose cursors differ.
 */
interface Order {
  readonly keys: readonly SortKey[];
  readonly name: string;
  readonly after: Mark | undefined;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

const DEFAULT_LIMIT = 50;

/**
 * `POST /v1/search`: by metadata, sorted and paged (contract section 4). The number of matches is in the header
 * `X-Total-Count`. An array has no place for `contextTruncated`, `truncated` and `nextOffset`, so those are the headers
 * `X-Context-Truncated`, `X-Truncated` and `X-Next-Offset`, and for pages by cursor `X-Next-Cursor`.
 */
export function searchDocuments(deps: Deps): DocumentHandlers['searchDocuments'] {
  return async (input, context) => {
    const { collection: name, filterMeta = {}, fields, includeContent, deleted } = input;
    const [filter, order, limit] = [expressionOf(input), orderOf(input), limitOf(input)];
    const profile = deps.collections.configOf(name)?.retrieval ?? {};
    const projection = projectionOf(fields, includeContent);
    const page = { limit: limit ?? profile.topK ?? DEFAULT_LIMIT, offset: input.offset };
    const found: ResultPage = deleted
      ? await findDeleted(deps, name, {
        filterMeta,
        order: orderOfDeleted(input, order),
        ...page,
        projection,
        now: unixSeconds(deps.clock),
      }, context)
      : await find(deps, name, filter, order, page, projection, context);
    const fitting = countWithinBudget(found.documents, input.contextTokenBudget ?? profile.contextTokenBudget ?? 0);
    const contextTruncated = fitting < found.documents.length;
    return new Reply(found.documents.slice(0, fitting).map(({ result }) => result), {
      'X-Total-Count': String(found.total),
      ...(contextTruncated && { 'X-Context-Truncated': 'true' }),
      ...(input.cursor === undefined
        ? truncationHeaders(context.budget.isSpent && !contextTruncated, page.offset + fitting)
        : cursorHeader(order.name, found.documents[fitting - 1])),
    });
  };
}

/**
 * Without `sort`, the order is by key, ascending; with `sort`, it is descending by default. Throws `invalid_argument`.
 */
function orderOf(input: Input): Order {
  const { collection, sort, asc } = input;
  const ascending = asc ?? sort === undefined;
  const keys = parseSort(sort ?? 'key', { descending: !ascending, scored: false });
  const name = JSON.stringify([collection.toLowerCase(), keys]);
  return { keys, name, after: cursorOf(input, name, keys.length)?.after };
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
function orderOfDeleted({ filter, langs, cursor }: Input, { keys }: Order): DeletedSearch['order'] {
  const refused = Object.entries({ filter, langs, cursor }).find(([, value]) => value !== undefined)?.[0];
  if (refused !== undefined)
    throw new ServiceError('invalid_argument',
      `${refused} must not come with deleted: deleted documents are narrowed by filterMeta alone`);
  const [{ column: by, descending }] = keys as [SortKey];
  const column = keys.length === 1 && 'name' in by ? COLUMNS_OF_DELETED[by.name] : undefined;
  if (column === undefined)
    throw new ServiceError('invalid_argument', 'sort must be key, addedAt or updatedAt with deleted');
  return { column, direction: descending ? 'DESC' : 'ASC' };
}

/** The headers that say where the answer ends; none when it is empty. */
function cursorHeader(order: string, last: Presented | undefined): Record<string, string> {
  return last?.mark === undefined ? {} : { 'X-Next-Cursor': writeCursor(order, last.mark) };
}

/** A document of the page. */
interface Presented extends Shown<ProjectedDocument> {
  /** Absent for a deleted document. */
  readonly mark?: Mark;
}

interface ResultPage {
  readonly total: number;
  readonly documents: readonly Presented[];
}

const NOTHING: ResultPage = { total: 0, documents: [] };

type Bounds = Pick<Context, 'signal' | 'budget'>;

async function findDeleted(deps: Deps, name: string, search: DeletedSearch, bounds: Bounds): Promise<ResultPage> {
  const collection = await readCollection(deps.sql, name);
  return collection === undefined ? NOTHING : searchDeleted(deps, collection, search, bounds);
}

/** The columns determine the documents and their order; only the rows of the page are read. */
async function find(deps: Deps, name: string, filter: Filter | undefined, { keys, after }: Order,
  { offset, limit }: Page, projection: Projection, bounds: Bounds): Promise<ResultPage>
{
  const now = unixSeconds(deps.clock);
  const selected = await selectDocuments(deps.columns, name, { filter, now, needs: { keys } });
  if (selected === undefined) return NOTHING;
  const { columns, documents } = selected;
  const total = columns.count(documents);
  if (limit === 0 || offset >= total) return { total, documents: [] };
  const marks = new Map(
    columns.sort(documents, { keys, offset, count: limit, after }).map(({ ord, ...mark }) => [ord, mark]),
  );
  const presented = await presentInOrder(deps, [...marks.keys()], { filter, now, projection }, bounds);
  return { total, documents: presented.map(({ ord, ...one }) => ({ ...one, mark: marks.get(ord)! })) };
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
  { signal, budget }: Pick<Context, 'signal' | 'budget'>
): Promise<{ total: number; documents: Shown<ProjectedDocument>[] }> {
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
    const document = { ...projectDocument(toDocument(row, content), search.projection), deletedAt: row.deleted_at };
    const one = shown(document, {
      body: search.projection.body ? Buffer.byteLength(content) : undefined,
      meta: document.meta,
    });
    if (!budget.take(one.size)) break;
    documents.push(one);
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
    for (const name of key === undefined ? view.indexOf(collection)?.columns.keys() ?? [] : [key]) {
      signal.throwIfAborted();
      const selected = await selectDocuments(view, collection, { now, needs: { facets: [name] } });
      const wanted = limit - found;
      if (selected === undefined || wanted === 0) break;
      const before = offset - passedOver;
      const listed = selected.columns.facet(selected.documents, {
        field: name,
        isMeta: true,
        orderBy: 'value',
        limit: before + wanted,
      });
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
