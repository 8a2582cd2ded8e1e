import type { OrdSet } from '../../lib/ord-set.ts';
import type { FusedHit } from '../../search/fusion/fuse.ts';
import type { Mark } from '../../search/order/index.ts';
import type { Algorithm } from '../../search/vector/index.ts';
import type { ColumnsView } from '../columns/index.ts';
import { applyCuration, type Curated, type CurationRule, type Pin } from '../curation/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { GeoView } from '../geo/index.ts';
import { Candidates, GROWTH, joinLists, listLengths, type Placed, toWindows } from './candidates.ts';
import { curateSearch, isMeant, type PinnedDocument } from './curate.ts';
import { matchOrderOf, orderResults, type ResultOrder, sortedMatches } from './order.ts';
import { readConsistently, type Sources } from './read-consistently.ts';
import { type ContentOptions, readRows, type ResultRow } from './read-rows.ts';
import type { RankedRequest } from './request.ts';
import { type Look, retrieve } from './retrieve.ts';
import { isWhole, type Passage, type Sides } from './retriever.ts';

export interface FindDeps extends Pick<DocsEnvironment, 'sql' | 'clock'> {
  readonly columns: Pick<ColumnsView, 'indexOf' | 'position' | 'caughtUp' | 'isLatest'>;
  /** Required if a request has a circle. */
  readonly geo?: Pick<GeoView, 'indexOf' | 'position' | 'caughtUp'>;
}

/** What a search finds with, besides its request. */
export interface FindScope {
  readonly sides: Sides;
  /** The rules of the collection for pinned and hidden documents. */
  readonly rules: readonly CurationRule[];
  /** Ordinals that must not be found. */
  readonly hidden?: readonly number[] | undefined;
  /** Puts the best candidates of the first pages in another order. */
  readonly rerank?: ((hits: readonly FusedHit[]) => readonly FusedHit[] | Promise<readonly FusedHit[]>) | undefined;
  readonly signal: AbortSignal;
}

/** Maximum number of passages that are looked through because windows merge. */
const MAX_CANDIDATES = 10_000;

/** A result before it is presented. */
export interface Found {
  readonly key: string;
  readonly lang: string;
  readonly score: number;
  readonly row: ResultRow;
  /** Undefined for a pinned document that is no candidate. */
  readonly hit: FusedHit | undefined;
  /** Terms of the query that it matches, except those found by edits. */
  readonly terms: ReadonlySet<string>;
  /** If the vector side found a passage, its place in the body; for a window, that of the whole window. */
  readonly passage: Passage | undefined;
  /** Where the next page starts; undefined if the request has no order. */
  readonly mark: Mark | undefined;
}

export interface FoundResults {
  readonly results: readonly Curated<Found>[];
  /** All matching and pinned documents, if they are collected. */
  readonly all: OrdSet | undefined;
  /** Number of matching and pinned documents; undefined if the lexical side does not count them. */
  readonly total: number | undefined;
  /** Whether there may be more than `total`. */
  readonly isLowerBound: boolean;
  /** Undefined if the vector side was not searched. */
  readonly algorithm: Algorithm | undefined;
  readonly incomparable: number;
  /** Weight of the vector side; undefined if the sides are not weighed. */
  readonly alpha: number | undefined;
}

/** The best candidates in the order of the fusion, before their rows are read. */
export async function bestHits(deps: FindDeps, request: RankedRequest,
  { sides, rules, hidden: outside = [] }: FindScope): Promise<FusedHit[]>
{
  const { hidden } = await curateSearch(deps, { ...request, byCursor: false }, rules);
  const { limit, candidates } = listOf(request, sides, request.candidates);
  const look = await retrieve(deps, request, sides, {
    hidden: [...hidden, ...outside],
    wanted: { limit },
    only: undefined,
  });
  candidates.take(look, undefined);
  return candidates.ranked(candidates.weights);
}

/** The content of the answer, from one read. */
interface Reading {
  readonly results: readonly Curated<Found>[];
  /** Documents that were selected, whether or not they still exist. */
  readonly ords: readonly number[];
  /** Documents that are included only by curation. */
  readonly outside: readonly number[];
  /** Documents that were found, but do not exist any more. */
  readonly gone: readonly number[];
}

/** One of the lists of candidates that are joined. */
interface List {
  readonly limit: number;
  readonly candidates: Candidates;
}

/** The results of a request, each from one version of its document. */
export async function findResults(deps: FindDeps, request: RankedRequest, scope: FindScope,
  content: ContentOptions): Promise<FoundResults>
{
  const { sides } = scope;
  const { order } = request;
  const curated = await curateSearch(deps, { ...request, byCursor: order?.cursor !== undefined }, scope.rules);
  const { rules, pinned } = curated;
  const hidden = [...curated.hidden, ...scope.hidden ?? []];
  const pins = pinned.map(({ ord }) => ord);
  const lists = listsOf(request, sides, pins.length);
  // Pins may move documents to a later page; otherwise those before the page need not be looked at.
  const skipped = isWhole(sides) && order !== undefined && pins.length === 0 ? request.offset : 0;
  let first: Look | undefined;
  let reading: Reading | undefined;
  let shown: readonly PinnedDocument[] = [];
  const lookFor = async ({ limit, candidates }: List, only?: ReadonlySet<number>): Promise<void> => {
    const wanted = {
      limit,
      pinned: pins.filter((ord) => only?.has(ord) !== false),
      order: order && matchOrderOf(order, only === undefined ? skipped : 0, first?.words.begun),
    };
    const look = await retrieve(deps, request, sides, { hidden, wanted, only, pins });
    first ??= look;
    shown = pinned.filter(({ ord, ignoresFilters }) => ignoresFilters || look.passingPins.has(ord));
    candidates.take(look, only);
  };
  await readConsistently(sourcesOf(deps, request, scope), async ({ only, changed }) => {
    for (const list of lists) await lookFor(list, only);
    let placed = await joined(request, lists, scope.rerank);
    while (isShort(request, placed, lists.at(-1)!)) {
      lists.push(listOf(request, sides, lists.at(-1)!.limit * GROWTH));
      await lookFor(lists.at(-1)!);
      placed = await joined(request, lists, scope.rerank);
    }
    const ordered = order === undefined
      ? placed
      : await sorted(deps, request, scope, lists[0].candidates, placed, { order, begun: first?.words.begun });
    reading = await read(deps, { ...request, offset: request.offset - skipped }, ordered, { ...scope, rules }, shown,
      content);
    return changed(reading.ords);
  });
  return toResults(lists[0].candidates, first!, reading!);
}

function sourcesOf({ sql, columns, geo }: FindDeps, { circle }: RankedRequest, { sides, signal }: FindScope): Sources {
  const { view, followsDocuments = false } = sides.vectors ?? {};
  return {
    sql,
    views: [...(sides.words?.view ? [sides.words.view] : []), columns, ...(circle ? [geo!] : []),
      ...(view && followsDocuments ? [view] : [])],
    vectors: followsDocuments ? undefined : view,
    isLatest: (lsn) => columns.isLatest(lsn),
    signal,
  };
}

function toResults(candidates: Candidates, { vectors: { algorithm, incomparable = 0 } }: Look,
  { results, outside, gone }: Reading): FoundResults
{
  const all = candidates.all();
  for (const ord of gone) all?.delete(ord);
  for (const ord of outside) all?.add(ord);
  return {
    results,
    all,
    total: candidates.total === undefined ? undefined : candidates.total + outside.length - gone.length,
    isLowerBound: candidates.isLowerBound,
    algorithm,
    incomparable,
    alpha: candidates.weights?.alpha,
  };
}

/**
 * Almost always one. An order has one list for all pages, and so has a side whose best matches are the same in a longer
 * list, unless a choice puts them in another order.
 */
function listsOf(request: RankedRequest, sides: Sides, pins: number): [List, ...List[]] {
  const { candidates, order, offset, limit, diversity } = request;
  const wanted = offset + limit + pins;
  const lengths = isWhole(sides) && diversity === undefined
    ? [wanted]
    : listLengths(candidates, order === undefined ? wanted : 0);
  return lengths.map((length) => listOf(request, sides, length)) as [List, ...List[]];
}

function listOf(request: RankedRequest, sides: Sides, limit: number): List {
  return { limit, candidates: new Candidates(request, limit, isWhole(sides)) };
}

/** Whether merged windows, or passages left out, leave room on the page for those of further candidates. */
function isShort({ mode, order, offset, limit, passagesPerDocument }: RankedRequest, placed: readonly unknown[],
  last: List): boolean
{
  return (mode === 'window' || (mode === 'chunk' && passagesPerDocument !== undefined)) && order === undefined &&
    placed.length < offset + limit && last.candidates.isFull &&
    last.limit < MAX_CANDIDATES;
}

/** The results with their present rows in the tables. */
async function read(deps: FindDeps, request: RankedRequest, ordered: readonly InOrder[], { sides, rules }: FindScope,
  pinned: readonly PinnedDocument[], content: ContentOptions): Promise<Reading>
{
  const { offset, limit, mode } = request;
  const pins = new Set(pinned.map(({ ord }) => ord));
  const organic = firstOf(ordered, offset + limit, pins);
  const ords = [...new Set([...organic.map(({ hit }) => hit.ord), ...pins])];
  const matched = await sides.words?.features(ords) ?? [];
  const terms = new Map(matched.map((each, i) => [ords[i]!, each]));
  const passages = mode === 'parent' ? [] : await passagesOf(sides, organic);
  // Pinned documents may come first, and move others to a later page.
  const contentsOf = [...pins, ...ords.slice(Math.max(0, offset - pins.size))];
  const rows = await readRows(deps.sql, ords, { ...content, contentsOf });
  const found = organic.flatMap(({ hit, mark }, i) =>
    toFound(rows.get(hit.ord), { hit, terms: terms.get(hit.ord), passage: passages[i], mark })
  );
  const findPinned = (pin: Pin): Found | undefined =>
    pinned.filter((document) => isMeant(document, pin)).flatMap(({ ord }) =>
      toFound(rows.get(ord), { hit: undefined, terms: terms.get(ord), passage: undefined, mark: undefined })
    ).at(0);
  const results = applyCuration(request.query, found, rules, findPinned);
  return {
    results: results.slice(offset, offset + limit),
    ords,
    outside: results.filter(({ hit }) => hit === undefined).map(({ row }) => row.ord),
    gone: [...new Set(organic.map(({ hit: { ord } }) => ord))].filter((ord) => !rows.has(ord)),
  };
}

/** A hit with its place in the order of the request. */
interface InOrder extends Placed<FusedHit> {
  readonly mark?: Mark;
}

/** The best hits of all lists. */
function joined(request: RankedRequest, lists: readonly List[], rerank: FindScope['rerank']) {
  const { weights } = lists[0]!.candidates;
  return joinLists<Placed<FusedHit>>(lists.map(({ limit }) => limit), async (i, before) => {
    const hits = notAmong(before, lists[i]!.candidates.ranked(weights), request);
    const placed = placedOf(i === 0 && rerank !== undefined ? await rerank(hits) : hits, request);
    return firstOfEach(placed, before, request);
  });
}

/** The hits that are not shown by what comes before them. */
function notAmong(before: readonly Placed<FusedHit>[], hits: readonly FusedHit[],
  { mode }: RankedRequest): readonly FusedHit[]
{
  if (before.length === 0) return hits;
  const shown = Map.groupBy(before, ({ hit }) => hit.ord);
  return hits.filter(({ ord, chunk }) =>
    shown.get(ord)?.some(({ first, last }) =>
      mode === 'parent' || chunk === undefined || first === undefined || (first <= chunk && chunk <= last!)
    ) !== true
  );
}

/** The first results of each document, as many as the request wants, of which some may be among those before. */
function firstOfEach(placed: readonly Placed<FusedHit>[], before: readonly Placed<FusedHit>[],
  { mode, passagesPerDocument = Infinity }: RankedRequest): readonly Placed<FusedHit>[]
{
  if (mode === 'parent' || passagesPerDocument === Infinity) return placed;
  const counts = new Map<number, number>();
  const isWanted = ({ hit: { ord } }: Placed<FusedHit>): boolean => {
    const count = (counts.get(ord) ?? 0) + 1;
    counts.set(ord, count);
    return count <= passagesPerDocument;
  };
  before.forEach(isWanted);
  return placed.filter(isWanted);
}

function placedOf(hits: readonly FusedHit[], { mode, windowSize }: RankedRequest): readonly Placed<FusedHit>[] {
  return mode === 'window'
    ? toWindows(hits, windowSize)
    : hits.map((hit) => ({ hit, first: hit.chunk, last: hit.chunk }));
}

/** Hits in the order of the request, those of earlier pages by cursor left out. */
async function sorted({ columns }: FindDeps, { collection, mode }: RankedRequest, { sides }: FindScope,
  candidates: Candidates, placed: readonly Placed<FusedHit>[],
  { order, begun }: { readonly order: ResultOrder; readonly begun: Mark | undefined }): Promise<InOrder[]>
{
  // A document is one result in the mode `parent`, whichever of its passages is the best.
  const results = placed.map((each) => ({
    ord: each.hit.ord,
    chunk: mode === 'parent' ? undefined : each.hit.chunk,
    score: each.hit.score,
    placed: each,
  }));
  const ordered = isWhole(sides)
    ? sortedMatches(results, order, begun, ({ ord }) => candidates.placeOf(ord))
    : await orderResults(columns, collection, results, order, (ord) => candidates.distanceOf(ord));
  return ordered.map(({ result, mark }) => ({ ...result.placed, mark }));
}

/** The number of best hits that are needed if those of pinned documents move to other positions. */
function firstOf(placed: readonly InOrder[], count: number, pins: ReadonlySet<number>): readonly InOrder[] {
  if (pins.size === 0) return placed.slice(0, count);
  let free = 0;
  return placed.filter(({ hit: { ord } }) => pins.has(ord) || free++ < count);
}

/** Places of passages in their bodies; undefined for hits that only the lexical side found. */
async function passagesOf({ vectors }: Sides,
  organic: readonly Placed<FusedHit>[]): Promise<readonly (Passage | undefined)[]>
{
  const wanted = organic.flatMap(({ hit: { ord }, first, last },
    at) => (first === undefined || last === undefined ? [] : [{ at, ord, first, last }])
  );
  const read = wanted.length === 0 ? [] : await vectors!.features(wanted);
  const passages = organic.map((): Passage | undefined => undefined);
  for (const [i, { at }] of wanted.entries()) passages[at] = read[i];
  return passages;
}

/** Empty for a document that was deleted. A document that is no candidate scores 0 (decisions section 4.5). */
function toFound(row: ResultRow | undefined,
  { hit, terms = new Set(), passage, mark }: Pick<Found, 'hit' | 'passage' | 'mark'> & {
    readonly terms: ReadonlySet<string> | undefined;
  }): Found[]
{
  return row === undefined
    ? []
    : [{ key: row.key, lang: row.lang, score: hit?.score ?? 0, row, hit, terms, passage, mark }];
}
