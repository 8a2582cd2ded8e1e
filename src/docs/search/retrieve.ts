import { setImmediate } from 'node:timers/promises';
import { OrdSet } from '../../lib/ord-set.ts';
import type { MeaningHit, WordsHit } from '../../search/fusion/fuse.ts';
import { distanceMeters } from '../../search/geo/index.ts';
import { gathered } from '../../search/parts/index.ts';
import { boostFactors, type EligibilityDeps, eligibleDocuments } from './eligible.ts';
import { storedKeys } from './order.ts';
import type { RankedRequest } from './request.ts';
import type { Ground, Retrieved, Sides, Wanted } from './retriever.ts';

/** What both sides find at one time, with scores multiplied by boosts. */
export interface Look {
  readonly words: Retrieved<WordsHit>;
  readonly vectors: Retrieved<MeaningHit>;
  /** Number of words of the query that the best lexical hit has; only if the sides are balanced. */
  readonly matchedWords: number | undefined;
  /** Distances in metres of the hits from the centre of the circle, if there is one. */
  readonly distances: ReadonlyMap<number, number> | undefined;
  /** Documents to be pinned that pass the filters, whether or not they match. */
  readonly passingPins: ReadonlySet<number>;
}

/** The parameters of a look besides its request. */
export interface LookScope {
  /** Ordinals that must not be found. */
  readonly hidden: readonly number[];
  /** What each side is asked for. */
  readonly wanted: Wanted;
  /** The only documents that are looked at; undefined for all that are eligible. */
  readonly only: ReadonlySet<number> | undefined;
  /** Documents to be pinned. */
  readonly pins?: readonly number[];
}

const NOTHING = { hits: [] };

/**
 * Searches both sides. Nothing else is awaited between the columns and the call of a side that is alone, so what it
 * reads is of the same state, unless parts in other processes are asked.
 */
export async function retrieve(deps: EligibilityDeps, request: RankedRequest, sides: Sides,
  { hidden, wanted, only, pins = [] }: LookScope): Promise<Look>
{
  const { collection, filter, circle, boost, order, facetBy } = request;
  const needs = { keys: order && storedKeys(order), facets: facetBy };
  const { documents, columns, factors } = await gathered(async () => {
    const eligible = await eligibleDocuments(deps, collection, { filter, circle, hidden, needs });
    return { ...eligible, factors: boostFactors(eligible.columns, boost) };
  });
  const passingPins = new Set(pins.filter((ord) => documents?.has(ord) !== false));
  const ground: Ground = {
    eligible: only === undefined ? documents : narrowed(documents, only),
    factors,
    columns,
  };
  const { words, vectors } = await askSides(sides, ground, wanted);
  return {
    words,
    vectors,
    matchedWords: request.fusion?.strategy === 'balanced' ? await wordsOfBest(sides, words.hits) : undefined,
    distances: circle && await distancesOf(deps, request, [...words.hits, ...vectors.hits].map(({ ord }) => ord)),
    passingPins,
  };
}

async function askSides(sides: Sides, ground: Ground, wanted: Wanted): Promise<Pick<Look, 'words' | 'vectors'>> {
  if (sides.vectors === undefined)
    return { words: await sides.words?.candidates(ground, wanted) ?? NOTHING, vectors: NOTHING };
  // Vectors are scanned in other threads. The scan is started first, so that this one does meanwhile what needs no
  // result of it.
  const nearest = sides.vectors.candidates(ground, wanted);
  const found = sides.words && setImmediate().then(() => sides.words!.candidates(ground, wanted));
  const [words = NOTHING, vectors] = await Promise.all([found, nearest]);
  return { words, vectors };
}

async function wordsOfBest({ words }: Sides, hits: readonly WordsHit[]): Promise<number> {
  if (hits.length === 0) return 0;
  const best = hits.reduce((first, hit) => (hit.score > first.score ? hit : first));
  return (await words!.features([best.ord]))[0]?.size ?? 0;
}

/**
 * Distances in metres of documents from the centre of the circle of a request; of none if it has none. Throws
 * `IndexLoading`.
 */
export async function distancesOf({ geo }: Pick<EligibilityDeps, 'geo'>,
  { collection, circle }: Pick<RankedRequest, 'collection' | 'circle'>,
  ords: readonly number[]): Promise<Map<number, number>>
{
  if (circle === undefined) return new Map();
  const points = await gathered(() => geo!.indexOf(collection)?.places.pointsOf(ords) ?? []);
  return new Map(
    points.flatMap((point, i) =>
      point === undefined ? [] : [[ords[i]!, distanceMeters(circle.middle, point)] as const]
    ),
  );
}

function narrowed(eligible: OrdSet | undefined, ords: Iterable<number>): OrdSet {
  const set = OrdSet.of(ords);
  if (eligible !== undefined) set.intersect(eligible);
  return set;
}
