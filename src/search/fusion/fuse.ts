import { roundScore } from '../../lib/rounded.ts';

/** A document from the lexical result. */
export interface WordsHit {
  readonly ord: number;
  readonly score: number;
}

/** A document from the vector result, with the chunk that was found. */
export interface MeaningHit extends WordsHit {
  readonly chunk: number;
}

/**
 * How two rankings are combined: by scores, where vector scores have the weight `alpha` and lexical scores the rest, or
 * by ranks, where each rank is worth 1/(k + rank) (Cormack, Clarke and Büttcher, "Reciprocal rank fusion", SIGIR 2009).
 */
export type Fusion = { readonly strategy: 'alpha'; readonly alpha: number } | { readonly strategy: 'rrf';
  readonly k: number };

/** The contribution of one side to a hit. */
interface Component {
  /** Rank among the hits of its side, from 1. */
  readonly rank: number;
  /** From 0 to 1. */
  readonly score: number;
}

export interface FusedHit {
  readonly ord: number;
  /** The chunk; undefined for a document from the lexical result alone. */
  readonly chunk: number | undefined;
  readonly score: number;
  /** Undefined if the side has not found the document. */
  readonly words: Component | undefined;
  readonly meaning: Component | undefined;
}

/**
 * Combines both results, best first; ties are ordered by document, then by chunk. If the vector side found several
 * chunks of a document, each is a hit with the lexical component of the document. A side of weight 0 adds no hits; it
 * only contributes its component to hits of the other side.
 */
export function fuse(words: readonly WordsHit[], meaning: readonly MeaningHit[], fusion: Fusion): FusedHit[] {
  const byWords = new Map(ranked(words, greatest(words)).map(({ hit, component }) => [hit.ord, component]));
  // A cosine is at most 1. A dot product, or a score with a multiplier, may be greater: then scores are divided by the
  // greatest.
  const byMeaning = ranked(meaning, Math.max(1, greatest(meaning)));
  const passages = byMeaning.map(({ hit: { ord, chunk }, component }) => ({
    ord,
    chunk,
    words: byWords.get(ord),
    meaning: component,
  }));
  const found = new Set(meaning.map(({ ord }) => ord));
  const rest = [...byWords].filter(([ord]) => !found.has(ord)).map(([ord, component]) => ({
    ord,
    chunk: undefined,
    words: component,
    meaning: undefined,
  }));
  return [...passages, ...rest].filter((hit) => hasWeight(hit, fusion)).map((hit) => ({
    ...hit,
    score: scoreOf(hit, fusion),
  })).sort(inOrder);
}

type Components = Pick<FusedHit, 'words' | 'meaning'>;

function hasWeight({ words, meaning }: Components, fusion: Fusion): boolean {
  if (fusion.strategy === 'rrf') return true;
  return (words !== undefined && fusion.alpha < 1) || (meaning !== undefined && fusion.alpha > 0);
}

function scoreOf({ words, meaning }: Components, fusion: Fusion): number {
  if (fusion.strategy === 'alpha')
    return (1 - fusion.alpha) * (words?.score ?? 0) + fusion.alpha * (meaning?.score ?? 0);
  const worth = (
    component: Component | undefined,
  ): number => (component === undefined ? 0 : 1 / (fusion.k + component.rank));
  return worth(words) + worth(meaning);
}

/**
 * The hits of a side with their ranks, and their scores divided by `one`; negative scores become 0. They are rounded
 * before they are added, so that the sum can be reproduced from the response.
 */
function ranked<H extends WordsHit & { readonly chunk?: number }>(hits: readonly H[],
  one: number): { hit: H; component: Component }[]
{
  return hits.toSorted(inOrder).map((hit, i) => ({
    hit,
    component: { rank: i + 1, score: hit.score > 0 ? roundScore(hit.score / one) : 0 },
  }));
}

function greatest(hits: readonly WordsHit[]): number {
  return hits.reduce((max, { score }) => Math.max(max, score), 0);
}

type Ordered = WordsHit & { readonly chunk?: number | undefined };

function inOrder(a: Ordered, b: Ordered): number {
  return b.score - a.score || a.ord - b.ord || (a.chunk ?? 0) - (b.chunk ?? 0);
}

/** Number of items that are reordered. */
export const REORDERED = 50;

/**
 * Reorders the first items by their ratings, where they have one. Rated items exchange only the places that they have
 * among them, so all others stay where they are. Items of equal rating keep their order.
 */
export function reorder<T>(items: readonly T[], ratingOf: (item: T, index: number) => number | undefined): T[] {
  const rated = items.slice(0, REORDERED).flatMap((item, place) => {
    const rating = ratingOf(item, place);
    return rating === undefined ? [] : [{ item, place, rating }];
  });
  const reordered = [...items];
  for (const [i, { item }] of rated.toSorted((a, b) => b.rating - a.rating).entries())
    reordered[rated[i]!.place] = item;
  return reordered;
}

/** Number of best documents of each side that are compared. */
const COMPARED = 10;

/**
 * The weight of the vector side if both sides share some of their best documents, and if they share none. `node
 * fit-fusion.ts` in bench/ fits them to one half of each judged set and measures them on the other: 0.5 and 0.9, or 0.6
 * and 0.9, with 100 candidates of each side. With the 50 of a usual search, 0.8 is as good or better on every set
 * (bench/meaning.ts).
 */
export const WEIGHTS = { agreed: 0.5, disagreed: 0.8 } as const;

/**
 * The default weight of the vector side; takes the ordinals of both results, best first. If the words of a query name
 * what is wanted, the lexical side finds documents that the vector side finds too, and ranks them better. If the
 * results share no document, the words probably belong to another subject. Finer functions of the overlap, the scores
 * and the length of the query were better only on the queries that they were fitted to.
 */
export function fittedAlpha(words: Iterable<number>, meaning: Iterable<number>,
  { agreed, disagreed }: { readonly agreed: number; readonly disagreed: number } = WEIGHTS): number
{
  const best = new Set(firstOf(words));
  return firstOf(meaning).some((ord) => best.has(ord)) ? agreed : disagreed;
}

/** The first distinct ones. */
function firstOf(ords: Iterable<number>): number[] {
  return [...new Set(ords)].slice(0, COMPARED);
}
