import { type FusedHit, reorder } from '../../search/fusion/index.ts';
import type { Mark } from '../../search/order/index.ts';
import type { Algorithm } from '../../search/vector/index.ts';
import { applyCuration, type Curated, type CurationRule, type Pin } from '../curation/index.ts';
import { matchedTerms, type OrdSet } from '../fulltext/index.ts';
import { type ContentOptions, curateSearch, isMeant, joinLists, listLengths, orderResults, type PinnedDocument,
  readConsistently, readRows, type ResultOrder, type ResultRow } from '../search/index.ts';
import type { Passage } from '../vectors/index.ts';
import { Candidates } from './candidates.ts';
import type { HybridDeps } from './deps.ts';
import { inWindows, type Placed } from './in-windows.ts';
import { type Look, lookAtSides, type Scope } from './look-at-sides.ts';
import type { HybridRequest } from './request.ts';
import { WordsSide } from './words-side.ts';

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
  /** If the vector side found a passage, its position in the body; for a window, that of the whole window. */
  readonly passage: Passage | undefined;
  /** Where the next page starts; undefined if the request has no order. */
  readonly mark: Mark | undefined;
}

export interface FoundResults {
  readonly results: readonly Curated<Found>[];
  /** All matching and pinned documents, if facets are counted. */
  readonly all: OrdSet | undefined;
  /** Undefined if the vector side was not searched. */
  readonly algorithm: Algorithm | undefined;
  readonly incomparable: number;
  /** Weight of the vector side; undefined if nothing was read. */
  readonly alpha: number | undefined;
}

/** The best candidates in the order of the fusion, before their rows are read. */
export async function firstHits(deps: HybridDeps, request: HybridRequest, scope: Omit<Scope, 'hidden' | 'side'>,
  rules: readonly CurationRule[]): Promise<FusedHit[]>
{
  const { hidden } = await curateSearch(deps.words, { ...request, byCursor: false }, rules);
  const candidates = new Candidates(request);
  candidates.take(
    await lookAtSides(deps, request, { ...scope, hidden, side: new WordsSide(deps.words, request.words) }, undefined),
    undefined,
  );
  return candidates.fused(candidates.alpha);
}

/** The content of the answer, from one read. */
interface Reading {
  readonly results: readonly Curated<Found>[];
  /** Documents that were selected, whether or not they still exist. */
  readonly ords: readonly number[];
  /** Documents that are included only by curation. */
  readonly outside: readonly number[];
}

/** The results of a request, each from one version of its document. */
export async function findResults(deps: HybridDeps, request: HybridRequest,
  scope: Omit<Scope, 'hidden' | 'side'> & { readonly content: ContentOptions },
  rules: readonly CurationRule[]): Promise<FoundResults>
{
  const { words, meaning } = deps;
  const { rules: applied, hidden, pinned } = await curateSearch(words, {
    ...request,
    byCursor: request.order?.cursor !== undefined,
  }, rules);
  const [list, ...longer] = listsOf(deps, request, pinned.length) as [List, ...List[]];
  const views = request.circle === undefined ? [words.view, words.columns] : [words.view, words.columns, words.geo];
  const sources = {
    sql: words.sql,
    views,
    vectors: meaning.view,
    isLatest: (lsn: number) => words.view.isLatest(lsn),
    signal: scope.signal,
  };
  let first: Look | undefined;
  let reading: Reading | undefined;
  await readConsistently(sources, async ({ only, changed }) => {
    for (const { request: own, side, candidates } of [list, ...longer]) {
      const look = await lookAtSides(deps, own, { ...scope, hidden, side }, only);
      first ??= look;
      candidates.take(look, only);
    }
    reading = await read(deps, request, [list, ...longer], applied, pinned, scope.content);
    return changed(reading.ords);
  });
  const { results, outside } = reading!;
  return {
    results,
    all: withOrds(list.candidates.all(), outside),
    algorithm: first!.algorithm,
    incomparable: first!.incomparable,
    alpha: list.candidates.alpha,
  };
}

/** One of the lists of candidates that are joined, with what finds them. */
interface List {
  readonly request: HybridRequest;
  readonly side: WordsSide;
  readonly candidates: Candidates;
}

/** Almost always one. An order has one list for all pages. */
function listsOf({ words }: HybridDeps, request: HybridRequest, pins: number): List[] {
  return listLengths(request.candidates, request.order === undefined ? request.topK + pins : 0).map((length) => {
    const own = { ...request, candidates: length, words: { ...request.words, limit: length } };
    return { request: own, side: new WordsSide(words, own.words), candidates: new Candidates(own) };
  });
}

/** The results with their present rows in the tables. */
async function read(deps: HybridDeps, request: HybridRequest, lists: readonly List[], rules: readonly CurationRule[],
  pinned: readonly PinnedDocument[], content: ContentOptions): Promise<Reading>
{
  const { words: { sql, view }, meaning } = deps;
  const pins = new Set(pinned.map(({ ord }) => ord));
  const organic = firstOf(await inOrder(deps, request, lists), request.topK, pins);
  const ords = [...new Set([...organic.map(({ hit }) => hit.ord), ...pins])];
  const index = view.indexOf(request.collection);
  const matched = index === undefined ? [] : await matchedTerms(index, request.words.plan, ords, request.words.fields);
  const terms = new Map(matched.map((each, i) => [ords[i]!, each]));
  const passages = await passagesOf(meaning, request, organic);
  // Pinned documents may come first, and move others to a later page.
  const contentsOf = [...pins, ...ords.slice(Math.max(0, request.offset - pins.size))];
  const rows = await readRows(sql, ords, { ...content, contentsOf });
  const found = organic.flatMap(({ hit, mark }, i) =>
    toFound(rows.get(hit.ord), { hit, terms: terms.get(hit.ord), passage: passages[i], mark })
  );
  const findPinned = (pin: Pin): Found | undefined =>
    pinned.filter((document) => isMeant(document, pin)).flatMap(({ ord }) =>
      toFound(rows.get(ord), { hit: undefined, terms: terms.get(ord), passage: undefined, mark: undefined })
    ).at(0);
  const results = applyCuration(request.query, found, rules, findPinned);
  const outside = results.filter(({ hit }) => hit === undefined).map(({ row }) => row.ord);
  return { results: results.slice(request.offset, request.topK), ords, outside };
}

/** A hit with its place in the order of the request. */
interface InOrder extends Placed {
  readonly mark?: Mark;
}

/**
 * Fused hits in the order of the answer, those of earlier pages by cursor left out; merged to windows in the mode
 * `window`.
 */
async function inOrder(deps: HybridDeps, request: HybridRequest, lists: readonly List[]): Promise<InOrder[]> {
  const [{ candidates }] = lists as [List];
  const placed = await joinLists(lists.map((list) => list.request.candidates),
    (i, before: readonly Placed[]) => placedIn(deps, request, lists[i]!.candidates.fused(candidates.alpha), before));
  return request.order === undefined ? placed : sorted(deps, request, candidates, placed, request.order);
}

/** The hits of a list, without those that are shown before it. */
async function placedIn({ words }: HybridDeps, { mode, windowSize, encoderScores }: HybridRequest, fused: FusedHit[],
  before: readonly Placed[]): Promise<readonly Placed[]>
{
  const shown = Map.groupBy(before, ({ hit }) => hit.ord);
  const isShown = ({ ord, chunk }: FusedHit): boolean =>
    shown.get(ord)?.some(({ first, last }) =>
      mode === 'parent' || chunk === undefined || first === undefined || (first <= chunk && chunk <= last!)
    ) === true;
  const left = before.length === 0 ? fused : fused.filter((hit) => !isShown(hit));
  // The encoder has rated the best of the first list.
  const hits = encoderScores === undefined || before.length > 0 ? left : reorder(left, encoderScores.of);
  return mode === 'window'
    ? inWindows(words.sql, hits, windowSize)
    : hits.map((hit) => ({ hit, first: hit.chunk, last: hit.chunk }));
}

async function sorted({ words: { columns } }: HybridDeps, { collection, mode }: HybridRequest, candidates: Candidates,
  placed: readonly Placed[], order: ResultOrder): Promise<InOrder[]>
{
  // A document is one result in the mode `parent`, whichever of its passages is the best.
  const results = placed.map((each) => ({
    ord: each.hit.ord,
    chunk: mode === 'parent' ? undefined : each.hit.chunk,
    score: each.hit.score,
    placed: each,
  }));
  const ordered = await orderResults(columns, collection, results, order, (ord) => candidates.distanceOf(ord));
  return ordered.map(({ result, mark }) => ({ ...result.placed, mark }));
}

/** The number of best hits that are needed if those of pinned documents move to other positions. */
function firstOf(placed: readonly InOrder[], count: number, pins: ReadonlySet<number>): InOrder[] {
  let free = 0;
  return placed.filter(({ hit: { ord } }) => pins.has(ord) || free++ < count);
}

/** Positions of passages; undefined for hits that only the lexical side found. */
async function passagesOf(meaning: HybridDeps['meaning'], { mode }: HybridRequest,
  organic: readonly Placed[]): Promise<(Passage | undefined)[]>
{
  if (mode === 'parent') return [];
  const wanted = organic.flatMap(({ hit: { ord }, first, last },
    at) => (first === undefined || last === undefined ? [] : [{ at, ord, first, last }])
  );
  const read = wanted.length === 0 ? [] : await meaning.passagesOf(wanted);
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

function withOrds(set: OrdSet | undefined, ords: readonly number[]): OrdSet | undefined {
  for (const ord of ords) set?.add(ord);
  return set;
}
