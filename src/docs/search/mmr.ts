import { SegmentMemory } from '../../kernels/vectors.ts';
import { Pace } from '../../lib/pace.ts';
import type { Metric } from '../../search/vector/index.ts';

/** A result that may be chosen. */
export interface Candidate {
  /** Similarity to the query, by the metric or on a like scale. */
  readonly score: number;
  /** Undefined if there is none: then its similarity to all others counts as 0. */
  readonly vector: Float32Array | undefined;
}

export interface MmrOptions {
  readonly metric: Metric;
  /** Weight of relevance against diversity: 1 is relevance only. */
  readonly lambda: number;
  /** Number of results to choose. */
  readonly k: number;
}

/** Vectors begin at multiples of this many bytes, and are padded with zeros to one. */
const ALIGNMENT = 64;

/** Provides the memory for all searches; it stores no vectors permanently. */
let shared: SegmentMemory | undefined;

/**
 * Chooses results one by one: the next is the one whose `lambda * score - (1 - lambda) * similarity` is the greatest,
 * where the similarity is that to the most similar result chosen so far (Carbonell and Goldstein, "The use of MMR,
 * diversity-based reranking", SIGIR 1998). Similarities use the same metric as scores. Equal results keep their order.
 * All vectors have one dimension.
 */
export async function chooseByMmr<C extends Candidate>(candidates: readonly C[],
  { metric, lambda, k }: MmrOptions): Promise<C[]>
{
  if (candidates.length === 0) return [];
  const vectors = new Vectors(candidates.map(({ vector }) => vector));
  try {
    const chosen: C[] = [];
    const left = candidates.map((candidate, at) => ({ candidate, at, similarity: -Infinity }));
    const pace = new Pace();
    while (chosen.length < k && left.length > 0) {
      const marginal = ({ candidate: { score }, similarity }: (typeof left)[number]): number =>
        lambda * score - (similarity === -Infinity ? 0 : (1 - lambda) * similarity);
      const best = left.reduce((a, b) => (marginal(b) > marginal(a) ? b : a));
      left.splice(left.indexOf(best), 1);
      chosen.push(best.candidate);
      for (const each of left)
        each.similarity = Math.max(each.similarity, vectors.similarity(each.at, best.at, metric));
      await pace.rest();
    }
    return chosen;
  } finally {
    vectors.release();
  }
}

/** Vectors in the kernel's memory. */
class Vectors {
  readonly #memory: SegmentMemory;
  readonly #address: number;
  readonly #bytes: number;
  readonly #stride: number;
  readonly #norms: number[];
  readonly #known: readonly boolean[];

  constructor(vectors: readonly (Float32Array | undefined)[]) {
    this.#memory = shared ??= new SegmentMemory(1, 'float32');
    const dims = vectors.reduce((most, vector) => Math.max(most, vector?.length ?? 0), 0);
    this.#stride = Math.ceil((dims * 4) / ALIGNMENT) * ALIGNMENT;
    this.#bytes = this.#stride * vectors.length;
    this.#address = this.#memory.allocate(this.#bytes);
    const numbers = this.#memory.f32(this.#address, this.#bytes / 4).fill(0);
    for (const [i, vector] of vectors.entries()) if (vector !== undefined) numbers.set(vector, (i * this.#stride) / 4);
    this.#known = vectors.map((vector) => vector !== undefined);
    this.#norms = vectors.map((_, i) => Math.sqrt(this.#dot(i, i)));
  }

  similarity(a: number, b: number, metric: Metric): number {
    if (!this.#known[a] || !this.#known[b]) return 0;
    if (metric === 'euclidean')
      return 1 / (1 + Math.sqrt(this.#memory.call.l2sq(this.#at(a), this.#at(b), this.#stride)));
    if (metric === 'dot_product') return this.#dot(a, b);
    const norms = this.#norms[a]! * this.#norms[b]!;
    return norms === 0 ? 0 : this.#dot(a, b) / norms;
  }

  release(): void {
    this.#memory.release(this.#address, this.#bytes);
  }

  #dot(a: number, b: number): number {
    return this.#memory.call.dot(this.#at(a), this.#at(b), this.#stride);
  }

  #at(i: number): number {
    return this.#address + i * this.#stride;
  }
}
