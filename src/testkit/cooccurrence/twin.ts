import { BEST_NEIGHBOURS, GAP, MIN_OCCURRENCES, type PairCounter, type RatedNeighbours,
  WINDOW } from '../../kernels/cooccurrence.ts';

interface Pair {
  readonly a: number;
  readonly b: number;
  count: number;
  document: number;
  several: boolean;
}

/** The counting of asm/cooccurrence.ts with maps and loops, and with the same limit on the number of pairs. */
export class CooccurrenceTwin implements PairCounter {
  readonly #maxSlots: number;
  readonly #counts = new Map<number, number>();
  readonly #marginals = new Map<number, number>();
  #pairs = new Map<string, Pair>();
  #total = 0;
  #document = 0;

  constructor(maxSlots: number) {
    this.#maxSlots = maxSlots;
  }

  add(tokens: Uint32Array): void {
    this.#document += 1;
    for (const [i, term] of tokens.entries()) {
      if (term === GAP) continue;
      this.#counts.set(term, (this.#counts.get(term) ?? 0) + 1);
      for (const other of tokens.subarray(Math.max(0, i - WINDOW + 1), i)) {
        if (other !== GAP && other !== term) this.#addPair(Math.min(term, other), Math.max(term, other));
      }
    }
  }

  forget(end: number, occurrences: number): number[] {
    for (const [term, count] of this.#counts) if (term < end && count <= occurrences) this.#counts.delete(term);
    for (const term of this.#marginals.keys()) if (!this.#counts.has(term)) this.#marginals.delete(term);
    this.#sweep(0);
    return Array.from({ length: end - 1 }, (_, i) => i + 1).filter((term) => !this.#counts.has(term));
  }

  rank(): void {
    // Neighbours are computed on request.
  }

  neighboursOf(term: number): RatedNeighbours {
    const frequent = (one: number): boolean => (this.#counts.get(one) ?? 0) >= MIN_OCCURRENCES;
    const near = [...this.#pairs.values()].filter(({ a, b }) =>
      (a === term || b === term) && frequent(a) && frequent(b)
    ).map(({ a, b, count, several }) => ({ term: a === term ? b : a, ratio: this.#ratio(a, b, count), count, several }))
      .filter(({ ratio }) => ratio > 1);
    const usable = near.some(({ several }) => several) ? near.filter(({ several }) => several) : near;
    usable.sort((x, y) => y.ratio - x.ratio || y.count - x.count || x.term - y.term);
    const best = usable.slice(0, BEST_NEIGHBOURS).map(({ term: neighbour, ratio }) => ({ term: neighbour, ratio }));
    return { best, largest: Math.max(0, ...near.map(({ ratio }) => ratio)) };
  }

  #ratio(a: number, b: number, count: number): number {
    return (count * (2 * this.#total)) / (this.#marginals.get(a)! * this.#marginals.get(b)!);
  }

  #addPair(a: number, b: number): void {
    for (const term of [a, b]) this.#marginals.set(term, (this.#marginals.get(term) ?? 0) + 1);
    this.#total += 1;
    const name = `${a} ${b}`;
    const pair = this.#pairs.get(name);
    if (pair === undefined) {
      if (this.#pairs.size * 4 >= this.#maxSlots * 3) {
        for (let least = 1; this.#pairs.size * 2 > this.#maxSlots; least++) this.#sweep(least);
      }
      this.#pairs.set(name, { a, b, count: 1, document: this.#document, several: false });
      return;
    }
    pair.count += 1;
    pair.several ||= pair.document !== this.#document;
    pair.document = this.#document;
  }

  #sweep(least: number): void {
    this.#pairs = new Map(
      [...this.#pairs].filter(([, { a, b, count }]) => count > least && this.#counts.has(a) && this.#counts.has(b)),
    );
  }
}
