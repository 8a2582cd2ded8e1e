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

/** The score that counts, of each side, for a document that the side does not know or that scores less. */
export interface Floors {
  readonly words: number;
  readonly meaning: number;
}

/** How much each side counts: vector scores have the weight `alpha` and lexical scores the rest. */
export interface Weights {
  readonly alpha: number;
  /** Default 0 for both. */
  readonly floors?: Floors;
}

/**
 * How two rankings are combined: by scores, or by ranks, where each rank is worth 1/(k + rank) (Cormack, Clarke and
 * Büttcher, "Reciprocal rank fusion", SIGIR 2009).
 */
export type Fusion = ({ readonly strategy: 'alpha' } & Weights) | { readonly strategy: 'rrf'; readonly k: number };

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
  const byMeaning = ranked(meaning, mostOfMeaning(meaning));
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

const NO_FLOORS: Floors = { words: 0, meaning: 0 };

type Components = Pick<FusedHit, 'words' | 'meaning'>;

function hasWeight({ words, meaning }: Components, fusion: Fusion): boolean {
  if (fusion.strategy === 'rrf') return true;
  return (words !== undefined && fusion.alpha < 1) || (meaning !== undefined && fusion.alpha > 0);
}

function scoreOf({ words, meaning }: Components, fusion: Fusion): number {
  if (fusion.strategy === 'alpha') {
    const { alpha, floors = NO_FLOORS } = fusion;
    const counted = (component: Component | undefined, floor: number): number => Math.max(component?.score ?? 0, floor);
    return (1 - alpha) * counted(words, floors.words) + alpha * counted(meaning, floors.meaning);
  }
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

/**
 * A cosine is at most 1. A dot product, or a score with a multiplier, may be greater: then scores are divided by the
 * greatest.
 */
function mostOfMeaning(hits: readonly MeaningHit[]): number {
  return Math.max(1, greatest(hits));
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
/** A query of so many words names what is wanted, in words that other documents have, too. */
const FEW_WORDS = 4;
/** The best lexical hit stands out if the next one has at most this part of its score. */
const STANDS_OUT = 0.5;
/** The best lexical hit has hardly any of the words if it has less than this part of them. */
const HARDLY_ANY = 0.25;

/**
 * The share of the vector side in the differences between documents. Usually `usual`. `unmatched` where even the best
 * lexical hit has hardly any of the words, as for a question in another language. `smaller` where one document fits the
 * words much better than all others, as one that is called like the query. `greater` where the query has few words or
 * the sides share none of their best documents. `node fit-fusion.ts` in bench/ fits `usual` and `greater` to one half
 * of each judged set and measures them on the other.
 */
export const SHARES = { usual: 0.45, smaller: 0.3, greater: 0.6, unmatched: 0.8 } as const;

/** What the share of the vector side is decided by, besides the hits. */
export interface Evidence {
  /** Number of words that are looked for, without stop words; undefined if the query is more than words. */
  readonly queryWords: number | undefined;
  /** Number of them that the best lexical hit has. */
  readonly matchedWords: number;
}

/** The share of the vector side, for hits of both sides, best first. */
export function shareOfMeaning(words: readonly WordsHit[], meaning: readonly MeaningHit[],
  { queryWords, matchedWords }: Evidence,
  { usual, smaller, greater, unmatched }: { readonly [Name in keyof typeof SHARES]: number } = SHARES): number
{
  if (queryWords !== undefined && matchedWords < HARDLY_ANY * queryWords) return unmatched;
  const [first, second] = words;
  if (second !== undefined && second.score <= STANDS_OUT * first!.score) return smaller;
  const isShort = queryWords !== undefined && queryWords <= FEW_WORDS;
  const best = new Set(firstOf(words));
  return isShort || !firstOf(meaning).some((ord) => best.has(ord)) ? greater : usual;
}

/**
 * The weights with which the vector side has the share `share`. Its scores are cosines that differ little, lexical ones
 * are spread between 0 and 1, each in another way for each query: so both are measured in standard deviations of their
 * candidates. What a side does not know, or finds worse than one deviation below the mean, counts as that: how far away
 * it is says little. A side that finds nothing leaves the scores of the other as they are.
 */
export function balanced(words: readonly WordsHit[], meaning: readonly MeaningHit[], share: number): Weights {
  if (meaning.length === 0 || words.length === 0) return { alpha: meaning.length === 0 ? 0 : 1 };
  const byWords = spreadOf(words, greatest(words), words.length + 1);
  const byMeaning = spreadOf(meaning, mostOfMeaning(meaning), 0);
  const [ofWords, ofMeaning] = [(1 - share) / byWords.deviation, share / byMeaning.deviation];
  return {
    alpha: ofMeaning / (ofWords + ofMeaning),
    floors: { words: floorOf(byWords), meaning: floorOf(byMeaning) },
  };
}

interface Spread {
  readonly mean: number;
  /** At least `LEAST_DEVIATION`. */
  readonly deviation: number;
}

/** So many scores at least have a mean and a deviation that mean something; those that are missing are 0. */
const LEAST_SCORES = 20;
/** Scores that differ by less are as good as equal. */
const LEAST_DEVIATION = 0.01;

/** The spread of at least `least` scores: of lexical ones, one more is that of a document without any of the words. */
function spreadOf(hits: readonly WordsHit[], one: number, least: number): Spread {
  const scores = hits.map(({ score }) => (score > 0 ? score / one : 0));
  const count = Math.max(LEAST_SCORES, least, scores.length);
  const mean = scores.reduce((sum, score) => sum + score, 0) / count;
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, (count - scores.length) * mean ** 2);
  return { mean, deviation: Math.max(LEAST_DEVIATION, Math.sqrt(squares / count)) };
}

function floorOf({ mean, deviation }: Spread): number {
  return Math.max(0, mean - deviation);
}

/** The first distinct documents. */
function firstOf(hits: readonly WordsHit[]): number[] {
  return [...new Set(hits.map(({ ord }) => ord))].slice(0, COMPARED);
}
