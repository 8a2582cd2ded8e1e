import { GAP, MAX_TERMS } from '../../kernels/cooccurrence.ts';

/** Forms whose terms are remembered; more are looked up again. */
const REMEMBERED_FORMS = 100_000;

/** Numbers for the terms of a text, at most so many at a time. */
export class Vocabulary {
  readonly #termOf: (form: string) => string | undefined;
  readonly #maxTerms: number;
  readonly #numbers = new Map<string, number>();
  /** By number: a term, and the form that brought it; undefined where the number is free. */
  readonly #entries: ({ readonly term: string; readonly form: string } | undefined)[] = [undefined];
  readonly #free: number[] = [];
  readonly #known = new Map<string, number>();

  /** `maxTerms`: one more than the terms that there is room for. */
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

  /** Terms that there is room for. */
  get room(): number {
    return this.#maxTerms - 1;
  }

  /** The number of a form's term: that of a gap for a stop word, and for a new term when there is no room. */
  numberOf(form: string): number {
    const known = this.#known.get(form);
    if (known !== undefined) return known;
    const number = this.#find(form);
    if (this.#known.size >= REMEMBERED_FORMS) this.#known.clear();
    this.#known.set(form, number);
    return number;
  }

  entry(number: number): { readonly term: string; readonly form: string } | undefined {
    return this.#entries[number];
  }

  /** Lets go of the terms of some numbers, which others may have from now on. */
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
