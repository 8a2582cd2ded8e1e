import type { Operations } from '../../../generated/docs/operations.ts';
import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { type Context, type InputOf, Reply, truncationHeaders } from '../../operations/index.ts';
import type { Filter } from '../../search/filter/index.ts';
import { cursorOf, type Mark, parseSort, type SortKey, writeCursor } from '../../search/order/index.ts';
import { selectDocuments } from '../columns/index.ts';
import { countWithinBudget, expressionOf, limitOf, presentInOrder, type Projection, projectionOf,
  type Shown } from '../search/index.ts';
import { readCollection } from '../stored-collections.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { type DeletedSearch, searchDeleted } from './search-deleted.ts';

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
    const found: Found = deleted
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

interface Found {
  readonly total: number;
  readonly documents: readonly Presented[];
}

const NOTHING: Found = { total: 0, documents: [] };

type Bounds = Pick<Context, 'signal' | 'budget'>;

async function findDeleted(deps: Deps, name: string, search: DeletedSearch, bounds: Bounds): Promise<Found> {
  const collection = await readCollection(deps.sql, name);
  return collection === undefined ? NOTHING : searchDeleted(deps, collection, search, bounds);
}

/** The columns determine the documents and their order; only the rows of the page are read. */
async function find(deps: Deps, name: string, filter: Filter | undefined, { keys, after }: Order,
  { offset, limit }: Page, projection: Projection, bounds: Bounds): Promise<Found>
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
