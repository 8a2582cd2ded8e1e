import { OrdSet } from '../../lib/ord-set.ts';
import { compareTexts } from '../../search/filter/index.ts';
import { comparePlaces, cursorOf, type CursorRequest, type Mark, parseSort, type SortKey, type SortValue,
  writeCursor } from '../../search/order/index.ts';
import type { ColumnsView } from '../columns/columns-view.ts';
import { readyColumns } from '../columns/select-documents.ts';
import type { MatchOrder } from './retriever.ts';

/**
 * Number of candidates that a search by similarity finds before it puts them in another order or in pages by cursor;
 * hybrid search and recall find as many on each side. It depends on neither `limit` nor `offset`, so that all pages are
 * of one list.
 */
export const ORDERED_CANDIDATES = 1000;

/** A sort key of results that have distances. */
type ResultKey = SortKey | { readonly column: { readonly kind: 'distance' }; readonly descending: boolean };

/** The order of results that is not simply best first, and where the previous page ended. */
export interface ResultOrder {
  readonly keys: readonly ResultKey[];
  /** Undefined for pages by offset. */
  readonly cursor: CursorRequest | undefined;
}

/** A result before it is read: a document, or a passage of it. */
export interface RankedResult {
  readonly ord: number;
  /** Number of the passage in its document. */
  readonly chunk?: number | undefined;
  readonly score: number;
}

/** A result in its order, with the mark at which the next page starts. */
export interface OrderedResult<R> {
  readonly result: R;
  readonly mark: Mark;
}

const NEAREST_FIRST: readonly ResultKey[] = [{ column: { kind: 'distance' }, descending: false }];
/** Besides the sort values, a mark has the passage and the number of results up to it. */
const EXTRA_VALUES = 2;

/**
 * The order that `sort` and `cursor` ask for; undefined if results are best first and paged by offset. `query` is
 * everything that determines the scores: cursors of another query are rejected. Throws `invalid_argument`.
 */
export function resultOrderOf(
  input: { readonly sort?: string | undefined; readonly cursor?: string | undefined; readonly offset: number },
  query: readonly unknown[],
): ResultOrder | undefined {
  const { sort, cursor } = input;
  if (sort === undefined && cursor === undefined) return undefined;
  const keys = parseSort(sort ?? 'score', { descending: true, scored: true });
  return withCursor(keys, input, query);
}

/** The order by distance. Throws `invalid_argument`. */
export function distanceOrderOf(input: { readonly cursor?: string | undefined; readonly offset: number },
  query: readonly unknown[]): ResultOrder
{
  return withCursor(NEAREST_FIRST, input, query);
}

function withCursor(keys: readonly ResultKey[],
  input: { readonly cursor?: string | undefined; readonly offset: number }, query: readonly unknown[]): ResultOrder
{
  return {
    keys,
    cursor: input.cursor === undefined
      ? undefined
      : cursorOf(input, JSON.stringify([query, keys]), keys.length + EXTRA_VALUES),
  };
}

/** Number of results on the pages before this one. */
export function passedBefore({ cursor }: ResultOrder): number {
  const passed = Number(cursor?.after?.place.at(-1) ?? 0);
  return Number.isSafeInteger(passed) ? Math.min(Math.max(passed, 0), 1_000_000) : 0;
}

/** The cursor of the page that starts behind a result; undefined for pages by offset. */
export function cursorBehind({ cursor }: Pick<ResultOrder, 'cursor'>, mark: Mark | undefined): string | undefined {
  return cursor === undefined || mark === undefined ? undefined : writeCursor(cursor.order, mark);
}

/** The order as a retriever of all matches sorts them, without the first `skip`. Distances are not known to it. */
export function matchOrderOf({ keys, cursor }: ResultOrder, skip: number): MatchOrder {
  const after = cursor?.after;
  return {
    keys: keys.filter((key): key is SortKey => key.column.kind !== 'distance'),
    skip,
    after: after && { place: placeIn(after).values, tie: after.tie },
  };
}

/** The keys that the columns have, rather than the results. */
export function storedKeys({ keys }: ResultOrder): SortKey[] {
  return keys.filter((key): key is SortKey => key.column.kind !== 'score' && key.column.kind !== 'distance');
}

/**
 * Sorts results by the columns of their documents, and leaves out those of earlier pages. Equal documents are in the
 * order of key and language, and passages of one document in their order in it. A document that the columns do not have
 * yet is left out. Throws `index_loading`.
 */
export async function orderResults<R extends RankedResult>(view: Pick<ColumnsView, 'indexOf'>, collection: string,
  results: readonly R[], order: ResultOrder,
  distanceOf: (ord: number) => number | undefined = () => undefined): Promise<OrderedResult<R>[]>
{
  const places = await placesOf(view, collection, results, storedKeys(order));
  return inOrder(results, order, ({ ord, score }) => {
    const document = places.get(ord);
    if (document === undefined) return undefined;
    const stored = document.place.values();
    const place = order.keys.map((
      { column: { kind } },
    ): SortValue => (kind === 'score' ? score : kind === 'distance' ? distanceOf(ord) : stored.next().value));
    return { place, tie: document.tie };
  });
}

/** Results by the values of their documents. A document without values is left out, and so are earlier pages. */
export function inOrder<R extends RankedResult>(results: readonly R[], order: ResultOrder,
  placeOf: (result: R) => Mark | undefined): OrderedResult<R>[]
{
  const { keys, cursor } = order;
  const sorted = results.flatMap((result): Unnumbered<R>[] => {
    const found = placeOf(result);
    return found === undefined ? [] : [{ result, values: found.place, tie: found.tie, chunk: result.chunk ?? 0 }];
  }).sort((a, b) => compare(a, b, keys));
  const after = cursor?.after;
  const start = after === undefined ? 0 : sorted.findIndex((one) => compare(one, placeIn(after), keys) > 0);
  const rest = start < 0 ? [] : sorted.slice(start);
  const passed = passedBefore(order);
  return rest.map(({ result, values, tie, chunk }, i) => ({
    result,
    mark: { place: [...values, chunk, passed + i + 1], tie },
  }));
}

interface Position {
  readonly values: readonly SortValue[];
  readonly tie: string;
  readonly chunk: number;
}

interface Unnumbered<R> extends Position {
  readonly result: R;
}

function placeIn({ place, tie }: Mark): Position {
  return { values: place.slice(0, -EXTRA_VALUES), tie, chunk: Number(place.at(-EXTRA_VALUES) ?? 0) };
}

function compare(a: Position, b: Position, keys: readonly ResultKey[]): number {
  return comparePlaces(a.values, b.values, keys) || compareTexts(a.tie, b.tie) || a.chunk - b.chunk;
}

/** The stored sort values of the documents of results. */
async function placesOf(view: Pick<ColumnsView, 'indexOf'>, collection: string, results: readonly RankedResult[],
  keys: readonly SortKey[]): Promise<ReadonlyMap<number, Mark>>
{
  const ready = await readyColumns(view, collection, { keys });
  const documents = OrdSet.of(results.map(({ ord }) => ord));
  const sorted = ready?.columns.sort(documents, { keys, offset: 0, count: results.length }) ?? [];
  return new Map(sorted.map(({ ord, ...place }) => [ord, place]));
}
