import { setImmediate } from 'node:timers/promises';
import type { MeaningHit } from '../../search/fusion/index.ts';
import { distanceMeters } from '../../search/geo/index.ts';
import type { Algorithm } from '../../search/vector/index.ts';
import { OrdSet } from '../fulltext/index.ts';
import { boostFactors, eligibleDocuments } from '../search/index.ts';
import type { HybridDeps, QueryVector } from './deps.ts';
import { groupsByFactor } from './factor-groups.ts';
import type { HybridRequest } from './request.ts';
import type { FoundByWords, WordsSide } from './words-side.ts';

/** The parameters of a search besides its request. */
export interface Scope {
  /** Absent: the vector side is not searched. */
  readonly vector: QueryVector | undefined;
  /** Searches the lexical side; the same object for all reads of a search. */
  readonly side: WordsSide;
  /** Ordinals that must not be found. */
  readonly hidden: readonly number[];
  readonly signal: AbortSignal;
}

/** What both sides find at one time, with scores multiplied by boosts. */
export interface Look extends FoundByWords {
  readonly meaning: readonly MeaningHit[];
  /**
   * Vector scores of the best documents that only the lexical side has found, if the weights of the sides are fitted.
   */
  readonly others: readonly MeaningHit[];
  /** The algorithm that was used; undefined if the vector side was not searched. */
  readonly algorithm: Algorithm | undefined;
  /** Number of documents whose vectors could not be compared. */
  readonly incomparable: number;
  /** Distances in metres of the hits from the centre of the circle, if there is one. */
  readonly distances: ReadonlyMap<number, number> | undefined;
}

/** Number of documents from the lexical side whose vectors are compared even if the vector side does not find them. */
const BEST = 20;

interface Ground {
  readonly eligible: OrdSet | undefined;
  readonly factors: Float32Array | undefined;
}

/** Searches both sides for some documents, or for all that are eligible. */
export async function lookAtSides(deps: HybridDeps, request: HybridRequest, scope: Scope,
  only: ReadonlySet<number> | undefined): Promise<Look>
{
  const { words: { collection, filter, boost }, circle } = request;
  const { documents, columns } = await eligibleDocuments(deps.words, collection, {
    filter,
    circle,
    hidden: scope.hidden,
  });
  const ground = {
    eligible: only === undefined ? documents : narrowed(documents, only),
    factors: boostFactors(columns, boost),
  };
  // Vectors are scanned in other threads. The scan is started first, so that this one does meanwhile what needs no
  // result of it.
  const meaning = lookAtMeaning(deps, request, scope, ground);
  const words = setImmediate().then(async () => {
    const found = await scope.side.look(ground.eligible, ground.factors);
    return { found, best: await lookAtBest(deps, request, scope, ground, found) };
  });
  const [{ found, best }, near] = await Promise.all([words, meaning]);
  const nearest = new Set(near.meaning.map(({ ord }) => ord));
  const others = best.filter(({ ord }) => !nearest.has(ord));
  return {
    ...found,
    ...near,
    others,
    distances: circle && distancesOf(deps, request, [...found.words, ...near.meaning]),
  };
}

function distancesOf({ words: { geo } }: HybridDeps, { collection, circle }: HybridRequest,
  hits: readonly { readonly ord: number }[]): Map<number, number>
{
  const places = geo.indexOf(collection)?.places;
  return new Map(hits.flatMap(({ ord }) => {
    const point = places?.pointOf(ord);
    return point === undefined ? [] : [[ord, distanceMeters(circle!.middle, point)] as const];
  }));
}

function narrowed(eligible: OrdSet | undefined, ords: Iterable<number>): OrdSet {
  const set = OrdSet.of(ords);
  if (eligible !== undefined) set.intersect(eligible);
  return set;
}

/**
 * Vector scores of the best documents of the lexical side. The vector side returns only its nearest documents; of the
 * others, it is unknown how near they are. Without this, the fusion would count them as infinitely far, and rank a
 * document that both sides find mediocre above the best one of the lexical side. Those that the vector side finds, too,
 * are compared with the query twice, but the second time most of their tokens are known.
 */
async function lookAtBest(deps: HybridDeps, request: HybridRequest, scope: Scope, { factors }: Ground,
  { words }: FoundByWords): Promise<readonly MeaningHit[]>
{
  if (!request.isFitted || request.mode !== 'parent' || scope.vector === undefined || words.length === 0) return [];
  const best = words.slice(0, BEST).map(({ ord }) => ord);
  return (await lookAtMeaning(deps, request, scope, { eligible: OrdSet.of(best), factors })).meaning;
}

/** Vectors of former bodies do not describe the documents as they are returned, so they are left out. */
async function lookAtMeaning(deps: HybridDeps, request: HybridRequest, { vector, signal }: Scope,
  { eligible, factors }: Ground): Promise<Pick<Look, 'meaning' | 'algorithm' | 'incomparable'>>
{
  if (vector === undefined) return { meaning: [], algorithm: undefined, incomparable: 0 };
  const { collection, candidates: k, metric, threshold, vectorAlgorithm, mode, order } = request;
  const last = factors === undefined ? 0 : await lastOrd(deps);
  const results = await Promise.all(groupsByFactor(factors, eligible, last).map((group) =>
    deps.meaning.searchByVector({
      ...vector,
      ...(order && { text: undefined }),
      collection,
      k,
      metric,
      threshold,
      algorithm: vectorAlgorithm,
      eligible: group,
      perDocument: mode === 'parent',
      quotable: true,
    }, signal)
  ));
  const [{ algorithm: first, incomparable }] = results as [(typeof results)[number]];
  // A group may be so small that its vectors were scanned.
  const algorithm = results.some((result) => result.algorithm === 'flat') ? 'flat' : first;
  const hits = results.flatMap((result) => result.hits);
  return {
    meaning: factors === undefined ? hits : hits.map((hit) => ({ ...hit, score: hit.score * (factors[hit.ord] ?? 1) })),
    algorithm,
    incomparable,
  };
}

async function lastOrd({ words: { sql } }: HybridDeps): Promise<number> {
  return (await sql.get<{ ord: number | null }>('SELECT max(ord) AS ord FROM documents'))?.ord ?? 0;
}
