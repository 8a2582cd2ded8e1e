import { type FusedHit, reorder } from '../../search/fusion/index.ts';
import type { Mark } from '../../search/order/index.ts';
import type { Algorithm } from '../../search/vector/index.ts';
import { orderResults, type ResultOrder } from '../columns/index.ts';
import { applyCuration, type Curated, type CurationRule, type Pin, withoutPins } from '../curation/index.ts';
import type { ContentOptions, ResultRow } from '../documents/index.ts';
import { curatedDocuments, isMeant, leastPosition, matchedTerms, type OrdSet, type PinnedDocument, readRows,
  waitForViews } from '../fulltext/index.ts';
import type { Passage } from '../vectors/index.ts';
import { Candidates, type Positions } from './candidates.ts';
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
  const { hidden } = await curatedDocuments(deps.words, request.collection.toLowerCase(), request.query, rules);
  const candidates = new Candidates(request);
  candidates.take(
    await lookAtSides(deps, request, { ...scope, hidden, side: new WordsSide(deps.words, request.words) }, undefined),
    { words: undefined, meaning: undefined },
    undefined,
  );
  return candidates.fused();
}

/** The content of the answer, from one read. */
interface Reading {
  readonly results: readonly Curated<Found>[];
  /** Documents that were selected, whether or not they still exist. */
  readonly ords: readonly number[];
  /** Documents that are included only by curation. */
  readonly outside: readonly number[];
}

/** Maximum number of reads of documents that change. */
const LOOKS = 5;

/**
 * The results of a request, each from one version of its document, although filter, indexes and rows are read one after
 * the other: only those that change in the meantime are read again. One that never stops changing is returned as it was
 * read last.
 */
export async function findResults(deps: HybridDeps, request: HybridRequest,
  scope: Omit<Scope, 'hidden' | 'side'> & { readonly content: ContentOptions },
  rules: readonly CurationRule[]): Promise<FoundResults>
{
  const { words, meaning } = deps;
  const applied = request.order?.cursor === undefined ? rules : withoutPins(rules);
  const { hidden, pinned } = await curatedDocuments(words, request.collection.toLowerCase(), request.query, applied);
  const candidates = new Candidates(request);
  const views = request.circle === undefined ? [words.view, words.columns] : [words.view, words.columns, words.geo];
  const side = new WordsSide(words, request.words);
  let first: Look | undefined;
  let only: ReadonlySet<number> | undefined;
  for (let looks = 1;; looks++) {
    scope.signal.throwIfAborted();
    const positions: Positions = { words: leastPosition(...views), meaning: meaning.view.position };
    const look = await lookAtSides(deps, request, { ...scope, hidden, side }, only);
    first ??= look;
    candidates.take(look, positions, only);
    const { results, ords, outside } = await read(deps, request, candidates, applied, pinned, scope.content);
    const torn = looks < LOOKS
      ? await candidates.changed(words.sql, ords, (lsn) => words.view.isLatest(lsn))
      : new Set<number>();
    if (torn.size === 0)
      return {
        results,
        all: withOrds(candidates.all(), outside),
        algorithm: first.algorithm,
        incomparable: first.incomparable,
        alpha: candidates.alpha,
      };
    only = torn;
    await waitForViews([...views, meaning.view], scope.signal);
  }
}

/** The results with their present rows in the tables. */
async function read(deps: HybridDeps, request: HybridRequest, candidates: Candidates, rules: readonly CurationRule[],
  pinned: readonly PinnedDocument[], content: ContentOptions): Promise<Reading>
{
  const { words: { sql, view }, meaning } = deps;
  const pins = new Set(pinned.map(({ ord }) => ord));
  const organic = firstOf(await inOrder(deps, request, candidates), request.topK, pins);
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

/** Fused hits in the order of the answer, those of earlier pages left out; merged to windows in the mode `window`. */
async function inOrder(deps: HybridDeps, request: HybridRequest, candidates: Candidates): Promise<InOrder[]> {
  const fused = candidates.fused();
  const { encoderScores } = request;
  const hits = encoderScores === undefined ? fused : reorder(fused, encoderScores.of);
  const placed = request.mode === 'window'
    ? await inWindows(deps.words.sql, hits, request.windowSize)
    : hits.map((hit) => ({ hit, first: hit.chunk, last: hit.chunk }));
  if (request.order !== undefined) return sorted(deps, request, candidates, placed, request.order);
  if (!request.byDistance) return placed;
  // Of equal distances, the better result is first, because sorting is stable.
  const distanceOf = ({ hit: { ord } }: Placed): number => candidates.distanceOf(ord) ?? Infinity;
  return placed.sort((a, b) => distanceOf(a) - distanceOf(b));
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
