/** Sentences as the bags of words that centrality compares. */
export interface Bag {
  /** Numbers of the distinct terms, ascending, and how often each occurs. */
  readonly terms: Uint32Array;
  readonly counts: Uint32Array;
}

/** Numbers terms in the order of their first occurrence, and counts the sentences that contain each. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #frequencies: number[] = [];

  get size(): number {
    return this.#frequencies.length;
  }

  /** Returns the bag of a sentence's forms, and adds it to the counts. */
  add(forms: readonly string[]): Bag {
    const counts = new Map<number, number>();
    for (const form of forms) {
      const term = this.#numberOf(form);
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    const terms = Uint32Array.from(counts.keys()).sort();
    for (const term of terms) this.#frequencies[term]!++;
    return { terms, counts: terms.map((term) => counts.get(term)!) };
  }

  /** ln(1 + N / df) of each term, where N is the number of sentences. */
  weights(sentences: number): Float64Array {
    return Float64Array.from(this.#frequencies, (frequency) => Math.log(1 + sentences / frequency));
  }

  #numberOf(form: string): number {
    let number = this.#numbers.get(form);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(form, number);
      this.#frequencies.push(0);
    }
    return number;
  }
}

/** Share of the terms of two sentences that both contain (Jaccard). */
export function overlap(a: Bag, b: Bag): number {
  let both = 0;
  for (let i = 0, j = 0; i < a.terms.length && j < b.terms.length;) {
    const difference = a.terms[i]! - b.terms[j]!;
    if (difference === 0) both++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  const either = a.terms.length + b.terms.length - both;
  return either === 0 ? 0 : both / either;
}
