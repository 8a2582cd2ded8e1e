import { OrdSet } from '../../lib/ord-set.ts';
import { compareTexts } from '../../search/filter/index.ts';
import { comparePlaces, cursorOf, type CursorRequest, type Mark, parseSort, type Place, type SortKey, type SortValue,
  writeCursor } from '../../search/order/index.ts';
import { gathered } from '../../search/parts/index.ts';
import { type ColumnsView, readyColumns } from '../columns/index.ts';
import type { LastMatch, MatchOrder } from './retriever.ts';

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
/** Besides the sort values, a mark has the passage, the ordinal of the document, and the number of results up to it. */
const EXTRA_VALUES = 3;

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
  return cursor?.after === undefined ? 0 : passedIn(cursor.after.place);
}

/** The cursor of the page that starts behind a result; undefined for pages by offset. */
export function cursorBehind({ cursor }: Pick<ResultOrder, 'cursor'>, mark: Mark | undefined): string | undefined {
  return cursor === undefined || mark === undefined ? undefined : writeCursor(cursor.order, mark);
}

/**
 * The order as a retriever of all matches sorts them, without the first `skip`. Distances are not known to it. `begun`:
 * where the page begins, if an earlier look has found that out.
 */
export function matchOrderOf({ keys, cursor }: ResultOrder, skip: number, begun: Mark | undefined): MatchOrder {
  const after = cursor?.after;
  return {
    keys: keys.filter((key): key is SortKey => key.column.kind !== 'distance'),
    skip,
    after: begun ?? (after && { place: positionIn(after).values, tie: after.tie }),
    last: begun === undefined && after !== undefined && isByScore(keys) ? lastIn(after) : undefined,
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
  const sorted = inOrder(results, order, ({ ord, score }) => {
    const document = places.get(ord);
    if (document === undefined) return undefined;
    const stored = document.place.values();
    const place = order.keys.map((
      { column: { kind } },
    ): SortValue => (kind === 'score' ? score : kind === 'distance' ? distanceOf(ord) : stored.next().value));
    return { place, tie: document.tie };
  });
  return numbered(sorted, order, startOf(sorted, order));
}

/**
 * Matches that a retriever has sorted, and whatever else was found, in that order. `begun`: where the page begins.
 */
export function sortedMatches<R extends RankedResult>(results: readonly R[], order: ResultOrder,
  begun: Mark | undefined, placeOf: (result: R) => Mark | undefined): OrderedResult<R>[]
{
  const sorted = inOrder(results, order, placeOf);
  const start = begun === undefined ? 0 : firstBehind(sorted, { values: begun.place, tie: begun.tie, chunk: 0 }, order);
  return numbered(sorted, order, start);
}

interface Position {
  readonly values: readonly SortValue[];
  readonly tie: string;
  readonly chunk: number;
}

interface Unnumbered<R> extends Position {
  readonly result: R;
}

/** Results by the values of their documents. A document without values is left out. */
function inOrder<R extends RankedResult>(results: readonly R[], { keys }: ResultOrder,
  placeOf: (result: R) => Mark | undefined): Unnumbered<R>[]
{
  return results.flatMap((result): Unnumbered<R>[] => {
    const found = placeOf(result);
    return found === undefined ? [] : [{ result, values: found.place, tie: found.tie, chunk: result.chunk ?? 0 }];
  }).sort((a, b) => compare(a, b, keys));
}

/** Results from one on, with their marks. */
function numbered<R extends RankedResult>(sorted: readonly Unnumbered<R>[], order: ResultOrder,
  start: number): OrderedResult<R>[]
{
  const passed = passedBefore(order);
  return sorted.slice(start).map(({ result, values, tie, chunk }, i) => ({
    result,
    mark: { place: [...values, chunk, result.ord, passed + i + 1], tie },
  }));
}

/**
 * Where the next page begins: with an order by score, behind the present place of the last result, because every write
 * may change all scores; if it is not found any more, behind as many results as were before it.
 */
function startOf<R>(sorted: readonly Unnumbered<R>[], order: ResultOrder): number {
  const after = order.cursor?.after;
  if (after === undefined) return 0;
  const position = positionIn(after);
  if (!isByScore(order.keys)) return firstBehind(sorted, position, order);
  const last = sorted.findIndex(({ tie, chunk }) => tie === position.tie && chunk === position.chunk);
  return last < 0 ? Math.max(0, passedBefore(order) - 1) : last + 1;
}

function firstBehind<R>(sorted: readonly Unnumbered<R>[], position: Position, { keys }: ResultOrder): number {
  const first = sorted.findIndex((one) => compare(one, position, keys) > 0);
  return first < 0 ? sorted.length : first;
}

function isByScore(keys: readonly ResultKey[]): boolean {
  return keys.some(({ column }) => column.kind === 'score');
}

function positionIn({ place, tie }: Mark): Position {
  return { values: place.slice(0, -EXTRA_VALUES), tie, chunk: Number(place.at(-EXTRA_VALUES) ?? 0) };
}

function lastIn({ place }: Mark): LastMatch {
  return { ord: Number(place.at(-2) ?? 0), passed: passedIn(place) };
}

function passedIn(place: Place): number {
  const passed = Number(place.at(-1) ?? 0);
  return Number.isSafeInteger(passed) ? Math.min(Math.max(passed, 0), 1_000_000) : 0;
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
  const page = { keys, offset: 0, count: results.length };
  const sorted = await gathered(() => ready?.columns.sort(documents, page) ?? []);
  return new Map(sorted.map(({ ord, ...place }) => [ord, place]));
}
