/** A document that words found. */
export interface WordsHit {
  readonly ord: number;
  readonly score: number;
}

/** A document that was found by the meaning of one of its passages. */
export interface MeaningHit extends WordsHit {
  readonly chunk: number;
}

/**
 * How two rankings become one: by their scores, of which those by meaning weigh `alpha` and the others the rest, or by
 * their ranks, each of which is worth 1/(k + rank) (Cormack, Clarke and Büttcher, "Reciprocal rank fusion", SIGIR 2009).
 */
export type Fusion =
  | { readonly strategy: 'alpha'; readonly alpha: number }
  | { readonly strategy: 'rrf'; readonly k: number };

/** What one side says of a hit. */
export interface Component {
  /** Place among the hits of its side, from 1. */
  readonly rank: number;
  /** From 0 to 1. */
  readonly score: number;
}

export interface FusedHit {
  readonly ord: number;
  /** The passage; undefined for a document that words alone found. */
  readonly chunk: number | undefined;
  readonly score: number;
  /** Undefined when the side has not found it. */
  readonly words: Component | undefined;
  readonly meaning: Component | undefined;
}

/**
 * Both sides as one list, best first; ties are in the order of the documents, then of their passages. Where meaning
 * found several passages of a document, each is a hit, and all of them have the words of the document. A side that
 * has no weight finds nothing of its own: it only says what it knows of the other's hits.
 */
export function fuse(words: readonly WordsHit[], meaning: readonly MeaningHit[], fusion: Fusion): FusedHit[] {
  const byWords = new Map(ranked(words, greatest(words)).map(({ hit, component }) => [hit.ord, component]));
  // A cosine is 1 at most. A dot product, or a score that was multiplied, may be more: then the greatest is 1.
  const byMeaning = ranked(meaning, Math.max(1, greatest(meaning)));
  const passages = byMeaning.map(({ hit: { ord, chunk }, component }) => ({ ord, chunk, words: byWords.get(ord), meaning: component }));
  const found = new Set(meaning.map(({ ord }) => ord));
  const rest = [...byWords].filter(([ord]) => !found.has(ord)).map(([ord, component]) => ({ ord, chunk: undefined, words: component, meaning: undefined }));
  return [...passages, ...rest]
    .filter((hit) => hasWeight(hit, fusion))
    .map((hit) => ({ ...hit, score: scoreOf(hit, fusion) }))
    .sort(inOrder);
}

type Components = Pick<FusedHit, 'words' | 'meaning'>;

function hasWeight({ words, meaning }: Components, fusion: Fusion): boolean {
  if (fusion.strategy === 'rrf') return true;
  return (words !== undefined && fusion.alpha < 1) || (meaning !== undefined && fusion.alpha > 0);
}

function scoreOf({ words, meaning }: Components, fusion: Fusion): number {
  if (fusion.strategy === 'alpha') return (1 - fusion.alpha) * (words?.score ?? 0) + fusion.alpha * (meaning?.score ?? 0);
  const worth = (component: Component | undefined): number => (component === undefined ? 0 : 1 / (fusion.k + component.rank));
  return worth(words) + worth(meaning);
}

/** The hits of a side with their places, and their scores as parts of `one`; negative ones count 0. */
function ranked<H extends WordsHit & { readonly chunk?: number }>(hits: readonly H[], one: number): { hit: H; component: Component }[] {
  return hits.toSorted(inOrder).map((hit, i) => ({ hit, component: { rank: i + 1, score: hit.score > 0 ? round(hit.score / one) : 0 } }));
}

function greatest(hits: readonly WordsHit[]): number {
  return hits.reduce((max, { score }) => Math.max(max, score), 0);
}

type Ordered = WordsHit & { readonly chunk?: number | undefined };

function inOrder(a: Ordered, b: Ordered): number {
  return b.score - a.score || a.ord - b.ord || (a.chunk ?? 0) - (b.chunk ?? 0);
}

/** Sides score in single precision: further digits would be noise. Rounded before they are added, so that a reader can add them up, too. */
function round(score: number): number {
  return Number(score.toPrecision(8));
}
