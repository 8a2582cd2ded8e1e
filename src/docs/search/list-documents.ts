import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import { Pace } from '../../lib/pace.ts';
import { type AnswerBounds, AnswerBudget } from '../../operations/index.ts';
import type { Needs, ReadableColumns } from '../../search/columns/index.ts';
import { documentTest } from '../../search/filter/index.ts';
import type { Mark } from '../../search/order/index.ts';
import { inList, type Queries } from '../../storage/index.ts';
import { type ColumnsView, selectDocuments } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { addVectors, documentOf, endPage, keepsMeta, metaOf, type PageEnd, type PageRequest, type Shown,
  shownDocument } from './present.ts';
import { readConsistently, type Sources } from './read-consistently.ts';
import { ContentReader, contentsFor, type ResultRow } from './read-rows.ts';
import type { SearchRequest } from './request.ts';

export interface ListDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'> {
  readonly columns: Pick<ColumnsView, 'indexOf'>;
}

/** The documents that may be listed, and their columns; from one state until something is awaited. */
export interface ListGround {
  readonly columns: ReadableColumns;
  /** Undefined for all. */
  readonly documents: OrdSet | undefined;
}

/** A document of a list, before it is read. */
export interface Listed {
  readonly ord: number;
  /** Where the list goes on behind it. */
  readonly mark?: Mark;
}

/** A search whose order needs no scores: documents that have a value or a place. */
export interface ListSearch<L extends Listed, R> {
  readonly request: Pick<SearchRequest, 'collection' | 'filter' | 'projection'> & PageRequest;
  /** What the columns will be used for besides the filter. */
  readonly needs?: Omit<Needs, 'filter'>;
  /** The views that `pagesOf` reads: everything is read again if a document has changed meanwhile. */
  readonly views?: Pick<Sources, 'views' | 'isLatest'>;
  /** The documents in their order, in pages: an answer may end before the last one. */
  readonly pagesOf: (ground: ListGround) => AsyncIterable<readonly L[]> | Iterable<readonly L[]>;
  /** `rank`: its place, from 1. */
  readonly show: (document: ProjectedDocument, listed: L, rank: number) => R;
}

/** Lists documents, as many as fit the answer; the rest is not read. Throws `IndexLoading`. */
export async function listDocuments<L extends Listed, R>(deps: ListDeps, search: ListSearch<L, R>,
  { signal, budget }: AnswerBounds): Promise<PageEnd<R>>
{
  const { request: { collection, filter, ...page }, needs, views, pagesOf } = search;
  const now = unixSeconds(deps.clock);
  let results: Shown<R>[] = [];
  let listed: L[] = [];
  let own = budget;
  const sources = { views: [], isLatest: () => true, ...views, sql: deps.sql, isWhole: true, signal };
  await readConsistently(sources, async ({ changed }) => {
    const ground = await selectDocuments(deps.columns, collection, { filter, now, needs });
    [results, listed, own] = [[], [], new AnswerBudget(budget.left)];
    const seen: number[] = [];
    for await (const some of ground === undefined ? [] : pagesOf(ground)) {
      for (const { ord } of some) seen.push(ord);
      await showSome(deps, search, some, now, { results, listed }, { signal, budget: own });
      if (own.isSpent) break;
    }
    return changed(seen);
  });
  budget.spend(budget.left - own.left);
  if (own.isSpent) budget.end();
  const presented = { shown: results, at: [...results.keys()], next: results.length };
  return endPage(presented, page, budget, (at) => listed[at]?.mark);
}

/** Number of rows that one statement reads. */
const STEP = 64;

const COLUMNS = 'd.ord, d.id, d.key, d.lang, d.added_at, d.updated_at, d.expires_at';

/**
 * Adds documents to a list, as many as fit. A document that was written after it was selected, and no longer passes the
 * filter, is left out.
 */
async function showSome<L extends Listed, R>({ sql, codec }: ListDeps,
  { request: { filter, projection, offset }, show }: ListSearch<L, R>, some: readonly L[], now: number,
  { results, listed }: { readonly results: Shown<R>[]; readonly listed: L[] },
  { signal, budget }: AnswerBounds): Promise<void>
{
  const pace = new Pace();
  const passes = filter === undefined ? () => true : documentTest(filter);
  const reader = new ContentReader(sql, {
    ...contentsFor(budget, projection.body, projection.body),
    withMeta: filter !== undefined || keepsMeta(projection),
  });
  for await (const rows of rowsInOrder(sql, some, `${COLUMNS}, ${reader.columns}`)) {
    await codec.fetchAhead(rows.map(({ row }) => row.body));
    for (const { row, one } of rows) {
      signal.throwIfAborted();
      const isThere = await reader.take(row);
      if (reader.isSpent) budget.end();
      if (budget.isSpent) return;
      if (!isThere) continue; // it was removed after it was selected
      const content = row.body === null ? '' : await codec.decodeAsync(row.body);
      const whole = documentOf(row, metaOf(row), content);
      if (!passes(whole) || (whole.expiresAt ?? Infinity) <= now) continue;
      const { result, cost, size } = shownDocument(whole, projection, row.bytes);
      const vectors = projection.vectors === undefined ? 0 : await addVectors(sql, result, row.ord, projection);
      const bytes = { cost, size: size + vectors };
      if (!budget.take(bytes.size)) return;
      results.push({ result: show(result, one, offset + results.length + 1), ...bytes });
      listed.push(one);
      if (pace.isDue) await pace.rest();
    }
  }
}

/**
 * Documents with `columns` of `documents d`, `ord` among them, in their order, a few at a time; removed ones are left
 * out.
 */
async function* rowsInOrder<L extends Listed>(queries: Queries, listed: readonly L[],
  columns: string): AsyncGenerator<{ readonly row: ResultRow; readonly one: L }[]>
{
  for (let start = 0; start < listed.length; start += STEP) {
    const some = listed.slice(start, start + STEP);
    const { marks, params } = inList(some.map(({ ord }) => ord));
    const rows = await queries.all<ResultRow>(`SELECT ${columns} FROM documents d WHERE d.ord IN (${marks})`, params);
    const byOrd = new Map(rows.map((row) => [row.ord, row]));
    yield some.flatMap((one) => {
      const row = byOrd.get(one.ord);
      return row === undefined ? [] : [{ row, one }];
    });
  }
}
