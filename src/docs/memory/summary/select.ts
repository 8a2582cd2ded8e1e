import { Pace } from '../../../lib/pace.ts';
import { type Bag, overlap } from './bags.ts';

/** Decisions section 4.7: the score of a near-duplicate of a better sentence is halved. */
const NEAR_DUPLICATE = 0.5;
const DUPLICATE_FROM = 0.6;

/**
 * The numbers of the best sentences, best first; of equal ones the earlier is first. The score of a near-duplicate of a
 * selected sentence is halved once.
 */
export async function selectBest(bags: readonly Bag[], scores: Float64Array, wanted: number): Promise<number[]> {
  const heap = new ScoreHeap(scores);
  const halved = new Set<number>();
  const chosen: number[] = [];
  const pace = new Pace();
  for (let best = heap.pop(); best !== undefined && chosen.length < wanted; best = heap.pop()) {
    const bag = bags[best]!;
    if (!halved.has(best) && chosen.some((other) => overlap(bag, bags[other]!) > DUPLICATE_FROM)) {
      halved.add(best);
      scores[best]! *= NEAR_DUPLICATE;
      heap.push(best);
    } else {
      chosen.push(best);
    }
    await pace.rest();
  }
  return chosen;
}

/** A binary heap of numbers by their scores (Williams, 1964); equal scores by number, the smallest first. */
class ScoreHeap {
  readonly #scores: Float64Array;
  readonly #heap: Uint32Array;
  #size = 0;

  constructor(scores: Float64Array) {
    this.#scores = scores;
    this.#heap = new Uint32Array(scores.length);
    for (let i = 0; i < scores.length; i++) this.push(i);
  }

  /** The heap holds at most as many numbers as there are scores. */
  push(number: number): void {
    let at = this.#size++;
    for (let above = (at - 1) >> 1; at > 0 && this.#precedes(number, this.#heap[above]!); above = (at - 1) >> 1) {
      this.#heap[at] = this.#heap[above]!;
      at = above;
    }
    this.#heap[at] = number;
  }

  pop(): number | undefined {
    if (this.#size === 0) return undefined;
    const top = this.#heap[0]!;
    const last = this.#heap[--this.#size]!;
    let at = 0;
    for (let below = this.#betterOf(1); below < this.#size && this.#precedes(this.#heap[below]!, last);
      below = this.#betterOf(2 * at + 1))
    {
      this.#heap[at] = this.#heap[below]!;
      at = below;
    }
    this.#heap[at] = last;
    return top;
  }

  /** Of two neighbours, the index of the one that comes first. */
  #betterOf(left: number): number {
    const right = left + 1;
    return right < this.#size && this.#precedes(this.#heap[right]!, this.#heap[left]!) ? right : left;
  }

  #precedes(a: number, b: number): boolean {
    const difference = this.#scores[a]! - this.#scores[b]!;
    return difference > 0 || (difference === 0 && a < b);
  }
}
