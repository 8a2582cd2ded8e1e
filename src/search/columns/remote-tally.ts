import type { Facet, Tally, ValueCount } from './contract.ts';
import type { AskColumns, BestValues, CountedField, HashCounts } from './questions.ts';

/** At least so many values are listed: most fields have fewer, which are then all known after one question. */
const LISTED = 512;

/** The tally of a part in another process. The part counts again for each question, so these are few. */
export class RemoteTally implements Tally {
  readonly #ask: AskColumns;
  readonly #field: CountedField;
  /** The best by the part's own counts, when they were asked for. */
  #listed: BestValues | undefined;

  constructor(ask: AskColumns, field: CountedField) {
    this.#ask = ask;
    this.#field = field;
  }

  get size(): number {
    return this.#known.size;
  }

  get counts(): Uint32Array {
    return this.#hashCounts.counts;
  }

  hashes(): Uint32Array {
    return this.#hashCounts.hashes;
  }

  best(orderBy: Facet['orderBy'], limit: number, counts?: Uint32Array): ValueCount[] {
    const most = limit === 0 ? 0 : Math.max(limit, LISTED);
    const best = this.#ask('best', { ...this.#field, orderBy, limit: most, sums: counts && this.#othersThan(counts) });
    if (counts === undefined) this.#listed = best;
    return [...best.values];
  }

  countsOf(values: readonly string[]): ArrayLike<number> {
    const { values: listed, size } = this.#known;
    if (listed.length < size) return this.#ask('countsOf', this.#field, values);
    const counts = new Map(listed.map(({ value, count }) => [value, count]));
    return values.map((value) => counts.get(value) ?? 0);
  }

  get #known(): BestValues {
    if (this.#listed === undefined) this.best('count', LISTED);
    return this.#listed!;
  }

  get #hashCounts(): HashCounts {
    return this.#ask('hashes', this.#field);
  }

  /** The counts that are not the part's own: only those are sent, by hash, because its numbers mean nothing here. */
  #othersThan(counts: Uint32Array): HashCounts {
    const own = this.#hashCounts;
    const other = Array.from(counts, (_, i) => i).filter((i) => counts[i] !== own.counts[i]);
    return {
      hashes: Uint32Array.from(other, (i) => own.hashes[i]!),
      counts: Uint32Array.from(other, (i) => counts[i]!),
    };
  }
}
