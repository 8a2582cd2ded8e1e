import { Buffers, type InvertedKernel } from '../../kernels/inverted.ts';
import { RERANK_WEIGHTS } from './rerank-weights.ts';

/** Number of documents that are reranked: the best ones. */
export const RERANKED = 100;
/**
 * Squared, a title can outweigh a score that is several times larger; fitted weights for an exponent of 1 or 3 rank
 * worse.
 */
export const POWER = 2;
/** A query of more words is a text, of which these features say little: its documents are not reranked. */
const MAX_WORDS = 16;
/** A query of at least this many words is a question, and not the name of something. */
const QUESTION_WORDS = 5;

/** A word of a query, in the order of the query. */
export interface RerankWord {
  /** The forms of its term, without repeats; empty if no document has it. */
  readonly forms: readonly number[];
  /** The form as it was typed; undefined if no document has it. */
  readonly exact: number | undefined;
  /** Its position in the query, ascending; omitted words leave a gap. */
  readonly offset: number;
  /** Whether only punctuation separates it from the next word. */
  readonly glued: boolean;
  /** Whether it is an identifier or a part of one: then the form as typed counts. */
  readonly identifier: boolean;
}

/** The words for reranking documents of some classes (see `InvertedIndex.add`). */
export interface Reranking {
  readonly words: readonly RerankWord[];
  /** A bit for each class. */
  readonly classes: number;
}

/** Names of the features in the kernel's order; `asm/inverted/features.ts` defines them. */
export const FEATURES = ['covered', 'near', 'ordered', 'title', 'wholeTitle', 'exactTitle', 'exactKey', 'named',
  'frequent'] as const;
export type FeatureWeights = Readonly<Record<(typeof FEATURES)[number], number>>;

/** In a title, the words of a name count much, and those of a question little. */
export interface RerankWeights {
  readonly names: FeatureWeights;
  readonly questions: FeatureWeights;
}

/** Which weights count for a query with these words. */
export function weightsFor(words: readonly unknown[]): keyof RerankWeights {
  return words.length < QUESTION_WORDS ? 'names' : 'questions';
}

/**
 * The features of documents, one value of 0 to 1 for each name and document; all are 0 for a query that is a text. If a
 * word of the query occurs only in the content of documents, all features are 0, so the score of such a query does not
 * change.
 */
export function featuresOf(kernel: InvertedKernel, words: readonly RerankWord[],
  ords: readonly number[]): Float32Array
{
  const some = considered(words);
  const shares = sharesOf(postingsOf(kernel, some), kernel.counts().live);
  input(kernel, [...described(some, shares, ords.length, averageLength(kernel.counts())), ...ords]);
  kernel.call.features();
  return kernel.outputFloats(ords.length * FEATURES.length);
}

function considered(words: readonly RerankWord[]): readonly RerankWord[] {
  return words.length > MAX_WORDS ? [] : words;
}

/**
 * The numbers that describe words with their shares to asm/inverted/reranking.ts, after the number of words, another
 * number and the average length of documents.
 */
function described(words: readonly RerankWord[], shares: readonly number[], other: number, average: number): number[] {
  const numbers: number[] = [words.length, other, bitsOf(average)];
  for (const [i, { forms, exact, offset, glued, identifier }] of words.entries()) {
    const isOther = exact === undefined || !forms.includes(exact);
    numbers.push(offset, Number(glued) | (Number(identifier) << 1), bitsOf(shares[i]!),
      isOther ? forms.length + 1 : forms.length, exact ?? 0);
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

/** The average length of live documents over all fields but the derived ones. */
export function averageLength({ live, tokens }: { readonly live: number; readonly tokens: number }): number {
  return live === 0 ? 0 : tokens / live;
}

/**
 * The postings of each word in live documents. Those of deleted ones must not count, because another index of the same
 * documents may have none.
 */
export function postingsOf(kernel: InvertedKernel, words: readonly RerankWord[]): number[] {
  return words.map(({ forms }) => forms.reduce((sum, form) => sum + kernel.call.liveDocuments(form), 0));
}

/** The share of each word in the query, by its inverse document frequency, given the postings of each. */
export function sharesOf(postings: readonly number[], live: number): number[] {
  const rarities = postings.map((count) => Math.log(1 + live / Math.max(1, Math.min(live, count))));
  const all = rarities.reduce((sum, rarity) => sum + rarity, 0);
  return rarities.map((rarity) => rarity / (all || 1));
}

/** What reranking takes from all documents of a collection, of which an index may have only some. */
export interface RerankStatistics {
  /** The shares of the words of each reranking. */
  readonly shares: readonly (readonly number[])[];
  readonly averageLength: number;
  /** Documents whose scores stay below this are not wanted, so theirs need not be exact; default 0. */
  readonly least?: number;
}

/**
 * Reorders the best `RERANKED` hits of the last selection: each score is multiplied by the square of 1 + the weighted
 * sum of the document's features. The factor is at least 1, so none of them falls behind the hits that are not
 * reranked. Only the best `wanted` hits are left if they are fewer than `RERANKED`. The statistics are those of the
 * index unless others are given.
 */
export function rerank(kernel: InvertedKernel, rerankings: readonly Reranking[], wanted: number,
  given?: RerankStatistics, weights: RerankWeights = RERANK_WEIGHTS): void
{
  const counts = kernel.counts();
  for (const [i, { words, classes }] of rerankings.entries()) {
    if (considered(words).length === 0) continue;
    kernel.write(Buffers.rerankWeights, inOrder(weights[weightsFor(words)]));
    const shares = given?.shares[i] ?? sharesOf(postingsOf(kernel, words), counts.live);
    input(kernel, described(words, shares, classes, given?.averageLength ?? averageLength(counts)));
    kernel.call.rerankSelected(RERANKED, wanted, given?.least ?? 0);
  }
  if (wanted < RERANKED) kernel.call.orderReranked(wanted);
  else kernel.call.orderSelected(RERANKED);
}

const IN_ORDER = new WeakMap<FeatureWeights, Float64Array>();

function inOrder(weights: FeatureWeights): Float64Array {
  let list = IN_ORDER.get(weights);
  if (list === undefined) IN_ORDER.set(weights, list = Float64Array.from(FEATURES, (name) => weights[name]));
  return list;
}
