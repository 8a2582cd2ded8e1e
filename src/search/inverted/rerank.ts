import { Buffers, type InvertedKernel } from '../../kernels/inverted.ts';
import { RERANK_WEIGHTS } from './rerank-weights.ts';

/** Documents that are reranked: the best ones. */
export const RERANKED = 100;
/** A square lets a title outweigh a score several times as large; with 1 or 3 in its place, fitted weights reach less. */
export const POWER = 2;
/** Words of a query that reranking looks at. */
const MAX_WORDS = 16;

/** A word of a query, in the order of the query. */
export interface RerankWord {
  /** The forms that are its term, each once; none where no document has it. */
  readonly forms: readonly number[];
  /** The form as it was typed; undefined when no document has it. */
  readonly exact: number | undefined;
  /** Its place in the query; words that were left out leave a gap. Ascending. */
  readonly offset: number;
  /** Whether nothing but signs stands between it and the next word. */
  readonly glued: boolean;
  /** Whether it is an identifier or a part of one: what it was typed as counts. */
  readonly identifier: boolean;
}

/** What reranking looks for in documents of some classes (see `InvertedIndex.add`). */
export interface Reranking {
  readonly words: readonly RerankWord[];
  /** A bit for each class. */
  readonly classes: number;
}

/** Names of the features in the order in which the kernel has them; what each of them is, `asm/inverted/features.ts` says. */
export const FEATURES = ['covered', 'near', 'ordered', 'title', 'wholeTitle', 'exactTitle', 'exactKey', 'named', 'frequent'] as const;
export type FeatureWeights = Readonly<Record<(typeof FEATURES)[number], number>>;

/**
 * The features of documents, as many for each as there are names: 0 to 1. All are 0 where a word of a query stands in the content
 * alone, so that the score of such a query stays as it is.
 */
export function featuresOf(kernel: InvertedKernel, words: readonly RerankWord[], ords: readonly number[]): Float32Array {
  input(kernel, [...described(kernel, words, ords.length), ...ords]);
  kernel.call.features();
  return kernel.outputFloats(ords.length * FEATURES.length);
}

/** The numbers that describe words to asm/inverted/reranking.ts, behind their own and another one. */
function described(kernel: InvertedKernel, words: readonly RerankWord[], other: number): number[] {
  const some = words.slice(0, MAX_WORDS);
  const shares = sharesOf(kernel, some);
  const numbers: number[] = [some.length, other];
  for (const [i, { forms, exact, offset, glued, identifier }] of some.entries()) {
    const isOther = exact === undefined || !forms.includes(exact);
    numbers.push(offset, Number(glued) | (Number(identifier) << 1), bitsOf(shares[i]!), isOther ? forms.length + 1 : forms.length, exact ?? 0);
    for (const form of forms) if (form !== exact) numbers.push(form);
  }
  return numbers;
}

function input(kernel: InvertedKernel, numbers: readonly number[]): void {
  kernel.inputEach(numbers, (number) => number);
}

const FLOAT = new Float32Array(1);
const BITS = new Uint32Array(FLOAT.buffer);

/** The bits of a number in single precision. */
function bitsOf(value: number): number {
  FLOAT[0] = value;
  return BITS[0]!;
}

/** How much of a query each of its words is: by the inverse of how many documents have it. */
export function sharesOf(kernel: InvertedKernel, words: readonly RerankWord[]): number[] {
  const { live } = kernel.counts();
  const rarities = words.map(({ forms }) => Math.log(1 + live / Math.max(1, Math.min(live, forms.reduce((sum, form) => sum + kernel.call.postingCount(form), 0)))));
  const all = rarities.reduce((sum, rarity) => sum + rarity, 0);
  return rarities.map((rarity) => rarity / (all || 1));
}

/**
 * Puts the best `RERANKED` hits of the selection that was made last into a new order: each score is multiplied by the square of 1 +
 * the weighted sum of the document's features, so that none of them falls behind those that are not looked at.
 */
export function rerank(kernel: InvertedKernel, rerankings: readonly Reranking[], weights: FeatureWeights = RERANK_WEIGHTS): void {
  kernel.write(Buffers.rerankWeights, inOrder(weights));
  for (const { words, classes } of rerankings) {
    if (words.length === 0) continue;
    input(kernel, described(kernel, words, classes));
    kernel.call.rerankSelected(RERANKED);
  }
  kernel.call.orderSelected(RERANKED);
}

const IN_ORDER = new WeakMap<FeatureWeights, Float64Array>();

function inOrder(weights: FeatureWeights): Float64Array {
  let list = IN_ORDER.get(weights);
  if (list === undefined) IN_ORDER.set(weights, list = Float64Array.from(FEATURES, (name) => weights[name]));
  return list;
}
