import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { parseSort, readCursor, writeCursor, type Mark, type Place, type SortKey } from '../../search/order/index.ts';
import { ServiceError } from '../../errors/index.ts';
import { limitOf } from '../limit-of.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Reply, truncationHeaders, type Context, type InputOf } from '../../operations/index.ts';
import type { Operations } from '../../../generated/docs/operations.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import type { BodyCodec, Queries, Sql } from '../../storage/index.ts';
import { queriesFor, readCollection, scanRows, type CollectionRow } from './collection-rows.ts';
import { ContentReader, contentsFor, type ResultRow } from './content-reader.ts';
import { contextCost, countWithinBudget } from './context-budget.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { toDocument } from './document-rows.ts';
import { checkFilter, passingDocuments, readFilter, valueRows } from './filter/index.ts';
import { expiredOrds, matchesNothing, matchingOrds, passingOnly, visibleDocuments, type Fragment } from './meta-filter.ts';
import { rowsInOrder, sortDocuments } from './order/index.ts';
import { Pace } from '../../lib/pace.ts';
import { projectDocument, projectionOf, type Projection } from './project-document.ts';
import { searchDeleted } from './search-deleted.ts';

type Input = InputOf<Operations, 'searchDocuments'>;

/** Of an index, or of keys that are looked up. */
type Order =
  | { readonly column: Column; readonly direction: 'ASC' | 'DESC'; readonly after: Mark<string> | undefined }
  | { readonly keys: readonly SortKey[]; readonly after: Mark<number> | undefined };

type Column = 'key' | 'added_at' | 'updated_at';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** What narrows the documents; what is absent lets all pass. */
interface Matches {
  readonly filterMeta: Fragment | undefined;
  /** What passes `filter` and `langs`. */
  readonly passing: OrdSet | undefined;
}

const DEFAULT_LIMIT = 50;

const COLUMNS_OF_PAGE = 'd.ord, d.id, d.key, d.lang, d.added_at, d.updated_at, d.expires_at';

/** A larger page comes from the other thread in parts. */
const LARGE_PAGE = 500;

/** Matches are few when the collection has more than so many times as many documents. */
const FEW = 16;

/**
 * `POST /v1/search`: by metadata, sorted and paged (contract section 4, decision D-66). The number of
 * matches goes into `X-Total-Count`; an array has no place for `contextTruncated`, `truncated` and `nextOffset`, so those
 * are the headers `X-Context-Truncated`, `X-Truncated` and `X-Next-Offset`, and for pages by cursor `X-Next-Cursor`.
 */
export function searchDocuments(deps: Deps): DocumentHandlers['searchDocuments'] {
  return async (input, context) => {
    const { collection: name, filterMeta = {}, fields, includeContent, deleted } = input;
    checkFilter(filterMeta);
    const [filter, { order, name: orderName }, limit] = [readFilter(input), orderOf(input), limitOf(input)];
    const collection = await readCollection(deps.sql, name);
    if (collection === undefined || matchesNothing(filterMeta)) return new Reply([], { 'X-Total-Count': '0' });

    const profile = deps.collections.configOf(name)?.retrieval ?? {};
    const projection = projectionOf(fields, includeContent);
    const page = { limit: limit ?? profile.topK ?? DEFAULT_LIMIT, offset: input.offset };
    const found: { total: number; documents: (Omit<Presented, 'mark'> & Partial<Presented>)[] } = deleted
      ? await searchDeleted(deps, collection, { filterMeta, order: orderOfDeleted(input, order), ...page, projection, now: unixSeconds(deps.clock) }, context)
      : await find(deps, collection, {
        filterMeta: matchingOrds(collection.id, filterMeta),
        passing: filter && await passingDocuments(deps.sql, collection, filter),
      }, order, page, projection, context);
    const fitting = countWithinBudget(found.documents.map(({ bytes }) => bytes), input.contextTokenBudget ?? profile.contextTokenBudget ?? 0);
    const contextTruncated = fitting < found.documents.length;
    return new Reply(found.documents.slice(0, fitting).map(({ document }) => document), {
      'X-Total-Count': String(found.total),
      ...(contextTruncated && { 'X-Context-Truncated': 'true' }),
      ...(input.cursor === undefined ? truncationHeaders(context.budget.isSpent && !contextTruncated, page.offset + fitting) : cursorHeader(orderName, found.documents[fitting - 1])),
    });
  };
}

const COLUMNS = { key: 'key', addedAt: 'added_at', updatedAt: 'updated_at' } as const;

/** By key, ascending, unless something else is asked for; then descending unless that is. `name` tells orders of which cursors differ. Throws `invalid_argument`. */
function orderOf({ collection, sort, asc, cursor, offset }: Input): { order: Order; name: string } {
  const ascending = asc ?? sort === undefined;
  const keys = parseSort(sort ?? 'key', { descending: !ascending, scored: false });
  const name = JSON.stringify([collection.toLowerCase(), keys]);
  if (cursor !== undefined && offset > 0) throw new ServiceError('invalid_argument', `cursor must not come with an offset, got offset ${offset}`);
  const [{ column, descending }] = keys as [SortKey];
  if (keys.length > 1 || !('name' in column) || !(column.name in COLUMNS)) return { order: { keys, after: cursor === undefined ? undefined : readCursor(cursor, name, keys.length, 'number') }, name };
  const after = cursor === undefined ? undefined : readCursor(cursor, name, 1, 'string');
  return { order: { column: COLUMNS[column.name as keyof typeof COLUMNS], direction: descending ? 'DESC' : 'ASC', after }, name };
}

/** Deleted documents have no index beside those of their keys and times. Throws `invalid_argument` for what needs another. */
function orderOfDeleted({ filter, langs, cursor }: Input, order: Order): { column: Column; direction: 'ASC' | 'DESC' } {
  const refused = Object.entries({ filter, langs, cursor }).find(([, value]) => value !== undefined)?.[0];
  if (refused !== undefined) throw new ServiceError('invalid_argument', `${refused} must not come with deleted: deleted documents are narrowed by filterMeta alone`);
  if ('keys' in order) throw new ServiceError('invalid_argument', 'sort must be key, addedAt or updatedAt with deleted');
  return order;
}

/** Where the answer ends; nothing when it is empty. */
function cursorHeader(order: string, last: Partial<Presented> | undefined): Record<string, string> {
  return last?.mark === undefined ? {} : { 'X-Next-Cursor': writeCursor(order, last.mark) };
}

/** A document of the page, with the bytes of text that a token budget counts. */
interface Presented {
  readonly document: ProjectedDocument;
  readonly mark: Mark;
  readonly bytes: number;
}

async function find(
  { sql, clock, codec }: Deps, collection: CollectionRow, matches: Matches, order: Order, page: Page, projection: Projection, bounds: Pick<Context, 'signal' | 'budget'>,
): Promise<{ total: number; documents: Presented[] }> {
  const now = unixSeconds(clock);
  const total = await countMatches(queriesFor(sql, collection), collection, matches, now);
  if (page.limit === 0 || page.offset >= total) return { total, documents: [] };
  const visible = passingOnly(visibleDocuments(collection.id, matches.filterMeta, now, total * FEW < collection.docs), matches.passing);
  const reader = new ContentReader(sql, contentsFor(bounds.budget, projection.body, projection.body));
  if ('keys' in order) {
    const places = await sortedPage(sql, collection, visible, order, page);
    const rows = rowsInOrder(sql, [...places.keys()], `${COLUMNS_OF_PAGE}, ${reader.columns}`);
    return { total, documents: await present(codec, reader, rows, projection, bounds, ({ ord }) => ({ place: places.get(ord)!, tie: ord })) };
  }
  const { sql: query, params } = pageQuery(visible, order, page, reader.columns);
  const rows = page.limit <= LARGE_PAGE ? inOne(queriesFor(sql, collection).all<ResultRow>(query, params)) : scanRows<ResultRow>(sql, collection, query, params);
  return { total, documents: await present(codec, reader, rows, projection, bounds, (row) => ({ place: [row[order.column]], tie: row.id })) };
}

async function* inOne<T>(rows: Promise<T[]>): AsyncGenerator<T[]> {
  yield await rows;
}

/** Ordinals in their order, with what they are sorted by. */
async function sortedPage(sql: Sql, collection: CollectionRow, visible: Fragment, { keys, after }: Extract<Order, { keys: unknown }>, { offset, limit }: Page): Promise<Map<number, Place>> {
  const documents = new OrdSet();
  for await (const rows of valueRows<{ ord: number }>(sql, collection, `SELECT d.ord FROM documents d WHERE ${visible.sql}`, visible.params)) for (const { ord } of rows) documents.add(ord);
  const sorted = await sortDocuments(sql, collection, documents, keys, offset + limit, after);
  return new Map(sorted.slice(offset));
}

/** Answered from indexes alone: the few expired rows are looked for by themselves. */
async function countMatches(queries: Queries, { id: cid, docs }: CollectionRow, { filterMeta: matches, passing }: Matches, now: number): Promise<number> {
  if (passing !== undefined) {
    const { sql, params } = passingOnly(visibleDocuments(cid, matches, now), passing);
    return (await queries.get<{ count: number }>(`SELECT count(*) AS count FROM documents d WHERE ${sql}`, params))!.count;
  }
  const expired = expiredOrds(cid, now);
  const counted = matches === undefined ? expired : { sql: `${matches.sql} EXCEPT ${expired.sql}`, params: [...matches.params, ...expired.params] };
  const row = await queries.get<{ count: number }>(`SELECT count(*) AS count FROM (${counted.sql}) counted`, counted.params);
  return matches === undefined ? docs - row!.count : row!.count;
}

/** Sorts ordinals first, so that bodies are read for the page alone. */
function pageQuery(visible: Fragment, { column, direction, after }: Extract<Order, { column: unknown }>, { limit, offset }: Page, content: string): Fragment {
  const behind = afterMark(column, direction, after);
  const order = `ORDER BY d.${column} ${direction}, d.id ASC`;
  const sql = `
    SELECT ${COLUMNS_OF_PAGE}, ${content}
    FROM (SELECT d.ord AS ord FROM documents d WHERE ${visible.sql}${behind.sql} ${order} LIMIT ? OFFSET ?) page JOIN documents d ON d.ord = page.ord ${order}`;
  return { sql, params: [...visible.params, ...behind.params, limit, offset] };
}

/** Equal documents are in the order of their ids, whatever the direction. The first condition is what an index of the column serves. */
function afterMark(column: Column, direction: 'ASC' | 'DESC', after: Mark<string> | undefined): Fragment {
  if (after === undefined) return { sql: '', params: [] };
  const [value = ''] = after.place;
  const operator = direction === 'ASC' ? '>' : '<';
  return { sql: ` AND d.${column} ${operator}= ? AND (d.${column} ${operator} ? OR d.id > ?)`, params: [value, value, after.tie] };
}

/** The documents of the page that the answer may hold; whatever follows is not read. */
async function present(
  codec: BodyCodec, reader: ContentReader, batches: AsyncIterable<ResultRow[]>, projection: Projection, { signal, budget }: Pick<Context, 'signal' | 'budget'>,
  markOf: (row: ResultRow) => Mark,
): Promise<Presented[]> {
  const pace = new Pace();
  const documents: Presented[] = [];
  for await (const rows of batches) {
    for (const row of rows) {
      signal.throwIfAborted();
      const isThere = await reader.take(row);
      if (reader.isSpent) budget.end();
      if (budget.isSpent) return documents;
      if (!isThere) continue; // it went since the page was chosen
      const content = row.body === null ? '' : await codec.decodeAsync(row.body);
      const document = projectDocument(toDocument({ ...row, meta: row.meta! }, content), projection);
      const body = projection.body ? row.bytes : undefined;
      if (!budget.take((body ?? 0) + contextCost({ meta: document.meta }))) return documents;
      documents.push({ document, mark: markOf(row), bytes: contextCost({ body, meta: document.meta }) });
      await pace.rest();
    }
  }
  return documents;
}
