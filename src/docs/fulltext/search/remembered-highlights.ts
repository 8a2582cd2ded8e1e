import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';

/** Bytes of the passages that are remembered, of all collections together. */
const MOST_BYTES = 16 * 2 ** 20;
/** What a passage takes besides its text, and a document besides its passages. */
const OVERHEAD = 256;

interface Entry {
  readonly passages: readonly Highlight[];
  readonly bytes: number;
}

/**
 * The passages that queries have lately shown of bodies. A body is known by the very bytes that the codec keeps, which never change, and a
 * query by what finds its words; both are other objects when they are others.
 */
export class RememberedHighlights {
  readonly #entries = new Map<string, Entry>();
  readonly #numbers = new WeakMap<object, number>();
  #lastNumber = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The passages of a body that `make` returned before for the same `finder` and options, or returns now. Of a body that comes for the first
   * time nothing is kept, as it may not be one that the codec keeps. Nobody may change the list.
   */
  find(finder: object, body: Buffer, options: string, make: () => readonly Highlight[]): readonly Highlight[] {
    const isNew = !this.#numbers.has(body);
    const name = `${this.#numberOf(finder)} ${this.#numberOf(body)} ${options}`;
    if (isNew) return make();
    const known = this.#entries.get(name);
    if (known !== undefined) {
      // Moved to the end: the first entry is the one used longest ago.
      this.#entries.delete(name);
      this.#entries.set(name, known);
      return known.passages;
    }
    const passages = make();
    const bytes = passages.reduce((sum, { fragment }) => sum + OVERHEAD + 2 * fragment.length, OVERHEAD + 2 * name.length);
    if (bytes > MOST_BYTES) return passages;
    this.#entries.set(name, { passages, bytes });
    this.#bytes += bytes;
    this.#shrink();
    return passages;
  }

  #numberOf(one: object): number {
    let number = this.#numbers.get(one);
    if (number === undefined) this.#numbers.set(one, number = ++this.#lastNumber);
    return number;
  }

  #shrink(): void {
    for (const [name, { bytes }] of this.#entries) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#entries.delete(name);
      this.#bytes -= bytes;
    }
  }
}
