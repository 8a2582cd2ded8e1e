import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Reply, type InputOf } from '../../operations/index.ts';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { Queries } from '../../storage/index.ts';
import { queriesFor, readCollection, scanRows, type CollectionRow } from './collection-rows.ts';
import { countWithinBudget } from './context-budget.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { SHOWN, toDocument, type WithBody } from './document-rows.ts';
import { checkFilter, expiredOrds, matchesNothing, matchingOrds, visibleDocuments, type Fragment } from './meta-filter.ts';
import { Pace } from './pace.ts';
import { projectDocument, projectionOf, type Projection } from './project-document.ts';

type Input = InputOf<Operations, 'searchDocuments'>;

interface FoundRow extends WithBody {
  readonly bytes: number;
}

interface Order {
  readonly column: 'key' | 'added_at' | 'updated_at';
  readonly direction: 'ASC' | 'DESC';
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

const DEFAULT_LIMIT = 50;

/** A larger page comes from the other thread in parts. */
const LARGE_PAGE = 500;

/** Matches are few when the collection has more than so many times as many documents. */
const FEW = 16;

/**
 * `POST /v1/search`: by metadata, sorted and paged (contract section 4, decision D-66). The number of
 * matches goes into `X-Total-Count`; an array has no place for `contextTruncated`, so that is
 * the header `X-Context-Truncated`.
 */
export function searchDocuments(deps: Deps): DocumentHandlers['searchDocuments'] {
  return async (input) => {
    const { collection: name, filterMeta = {}, fields, includeContent } = input;
    checkFilter(filterMeta);
    const collection = await readCollection(deps.sql, name);
    if (collection === undefined || matchesNothing(filterMeta)) return toReply([], 0, false);

    const profile = deps.collections.configOf(name)?.retrieval ?? {};
    const projection = projectionOf(fields, includeContent);
    const page = { limit: input.limit ?? profile.topK ?? DEFAULT_LIMIT, offset: input.offset };
    const found = await find(deps, collection, matchingOrds(collection.id, filterMeta), orderOf(input), page, projection);
    const lengths = found.rows.map(({ bytes }) => (projection.body ? bytes : 0));
    const fitting = countWithinBudget(lengths, input.contextTokenBudget ?? profile.contextTokenBudget ?? 0);
    return toReply(await present(deps, found.rows.slice(0, fitting), projection), found.total, fitting < found.rows.length);
  };
}

function toReply(documents: ProjectedDocument[], total: number, truncated: boolean): Reply<ProjectedDocument[]> {
  return new Reply(documents, { 'X-Total-Count': String(total), ...(truncated && { 'X-Context-Truncated': 'true' }) });
}

const COLUMNS = { key: 'key', addedAt: 'added_at', updatedAt: 'updated_at' } as const;

/** By key, ascending, unless something else is asked for; then descending unless that is. */
function orderOf({ sort, asc }: Input): Order {
  const ascending = asc ?? sort === undefined;
  return { column: COLUMNS[sort ?? 'key'], direction: ascending ? 'ASC' : 'DESC' };
}

async function find(
  { sql, clock }: Deps, collection: CollectionRow, matches: Fragment | undefined, order: Order, page: Page, { body }: Projection,
): Promise<{ total: number; rows: FoundRow[] }> {
  const now = unixSeconds(clock);
  const total = await countMatches(queriesFor(sql, collection), collection, matches, now);
  if (page.limit === 0 || page.offset >= total) return { total, rows: [] };
  const visible = visibleDocuments(collection.id, matches, now, total * FEW < collection.docs);
  const { sql: query, params } = pageQuery(visible, order, page, body);
  if (page.limit <= LARGE_PAGE) return { total, rows: await queriesFor(sql, collection).all<FoundRow>(query, params) };
  return { total, rows: (await Array.fromAsync(scanRows<FoundRow>(sql, collection, query, params))).flat() };
}

/** Answered from indexes alone: the few expired rows are looked for by themselves. */
async function countMatches(queries: Queries, { id: cid, docs }: CollectionRow, matches: Fragment | undefined, now: number): Promise<number> {
  const expired = expiredOrds(cid, now);
  const counted = matches === undefined ? expired : { sql: `${matches.sql} EXCEPT ${expired.sql}`, params: [...matches.params, ...expired.params] };
  const row = await queries.get<{ count: number }>(`SELECT count(*) AS count FROM (${counted.sql}) counted`, counted.params);
  return matches === undefined ? docs - row!.count : row!.count;
}

/** Sorts ordinals first, so that bodies are read for the page alone. */
function pageQuery(visible: Fragment, { column, direction }: Order, { limit, offset }: Page, body: boolean): Fragment {
  const order = `ORDER BY d.${column} ${direction}, d.id ASC`;
  const sql = `
    SELECT ${SHOWN}, d.bytes${body ? ', d.body' : ''}
    FROM (SELECT d.ord AS ord FROM documents d WHERE ${visible.sql} ${order} LIMIT ? OFFSET ?) page JOIN documents d ON d.ord = page.ord ${order}`;
  return { sql, params: [...visible.params, limit, offset] };
}

async function present({ codec }: Deps, rows: readonly FoundRow[], projection: Projection): Promise<ProjectedDocument[]> {
  const pace = new Pace();
  const documents: ProjectedDocument[] = [];
  for (const row of rows) {
    const content = projection.body ? await codec.decodeAsync(row.body) : '';
    documents.push(projectDocument(toDocument(row, content), projection));
    await pace.rest();
  }
  return documents;
}
