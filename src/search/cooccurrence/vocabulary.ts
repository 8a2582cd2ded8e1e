import { GAP, MAX_TERMS } from '../../kernels/cooccurrence.ts';

/** Capacity of the cache of forms and their terms; other forms are looked up again. */
const MAX_CACHED_FORMS = 100_000;

/** Assigns numbers to the terms of texts; the number of terms at any time is limited. */
export class Vocabulary {
  readonly #termOf: (form: string) => string | undefined;
  readonly #maxTerms: number;
  readonly #numbers = new Map<string, number>();
  /** By number: a term, and the form from which it was made; undefined where the number is free. */
  readonly #entries: ({ readonly term: string; readonly form: string } | undefined)[] = [undefined];
  readonly #free: number[] = [];
  readonly #known = new Map<string, number>();

  /** `maxTerms`: the largest number of terms, plus 1. */
  constructor(termOf: (form: string) => string | undefined, maxTerms = MAX_TERMS) {
    this.#termOf = termOf;
    this.#maxTerms = maxTerms;
  }

  /** One more than the largest number. */
  get end(): number {
    return this.#entries.length;
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** The largest number of terms. */
  get room(): number {
    return this.#maxTerms - 1;
  }

  /** The number of a form's term; `GAP` for a stop word, and for a new term when the vocabulary is full. */
  numberOf(form: string): number {
    const known = this.#known.get(form);
    if (known !== undefined) return known;
    const number = this.#find(form);
    if (this.#known.size >= MAX_CACHED_FORMS) this.#known.clear();
    this.#known.set(form, number);
    return number;
  }

  entry(number: number): { readonly term: string; readonly form: string } | undefined {
    return this.#entries[number];
  }

  /** Frees the terms of some numbers; the numbers can be assigned again. */
  free(numbers: readonly number[]): void {
    this.#known.clear();
    for (const number of numbers) {
      const entry = this.#entries[number];
      if (entry === undefined) continue;
      this.#numbers.delete(entry.term);
      this.#entries[number] = undefined;
      this.#free.push(number);
    }
  }

  #find(form: string): number {
    const term = this.#termOf(form);
    if (term === undefined) return GAP;
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    if (this.size >= this.room) return GAP;
    const number = this.#free.pop() ?? this.#entries.length;
    this.#entries[number] = { term, form };
    this.#numbers.set(term, number);
    return number;
  }
}
