import type { Operations } from '../../../generated/docs/operations.ts';
import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { type AnswerBounds, type InputOf, Reply, truncationHeaders } from '../../operations/index.ts';
import { cursorOf, type CursorRequest, parseSort, type SortKey } from '../../search/order/index.ts';
import { endPage, expressionOf, limitOf, type ListDeps, listDocuments, type ListSearch, type PageEnd,
  projectionOf } from '../search/index.ts';
import { readCollection } from '../stored-collections.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { type DeletedSearch, searchDeleted } from './search-deleted.ts';

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
  const profile = deps.collections.configOf(collection)?.retrieval ?? {};
  const search: Search = {
    request: {
      collection,
      filter,
      projection: projectionOf(fields, includeContent),
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
    pagesOf({ columns, documents }) {
      total = columns.count(documents);
      if (limit === 0 || offset >= total) return [];
      const sorted = columns.sort(documents, { keys, offset, count: limit, after: order?.cursor?.after });
      return [sorted.map(({ ord, ...mark }) => ({ ord, mark }))];
    },
    show: (document) => document,
  }, bounds);
  return { total, ...page };
}
