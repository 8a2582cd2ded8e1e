import { type InvertedKernel, MAX_GROUPINGS } from '../../kernels/inverted.ts';
import { Generations } from '../../lib/caches.ts';

/**
 * Maps forms to terms: the stemmer of a language. The name must identify everything that affects the result, so an
 * analyzer that stems differently must have a different name.
 */
export interface Analyzer {
  readonly name: string;
  /** The term of a form. Stop words get a term as well: the query decides about them. */
  term(form: string): string;
  /**
   * The same for a form that is added or removed: it is unlikely to be needed again soon, so a cache is not filled with
   * it. Default: `term`.
   */
  termOnce?(form: string): string;
}

/** Number of forms that one step groups when an analyzer is new to an index. */
const FORMS_AT_ONCE = 2000;
/** Capacity of the cache of groups: stemming the forms of a group costs more than scoring a rare term. */
const GROUPS_KNOWN = 10_000;

interface Grouping {
  readonly number: number;
  readonly analyzer: Analyzer;
  /** The next of the older forms to be grouped; undefined when all are grouped. */
  next: number | undefined;
  /** Cached groups by one of their forms; cleared when a form is added or removed. */
  readonly known: Generations<string, readonly number[]>;
}

/** The groupings of an index's forms, one for each analyzer that documents or queries have used. */
export class Analyzers {
  readonly #kernel: InvertedKernel;
  readonly #groupings = new Map<string, Grouping>();

  constructor(kernel: InvertedKernel) {
    this.#kernel = kernel;
  }

  /** Adds an analyzer: new forms are grouped by it from now on. At most 32. */
  use(analyzer: Analyzer): void {
    if (!this.#groupings.has(analyzer.name)) this.#add(analyzer, this.#freeNumber(), 1);
  }

  /**
   * Groups the forms that are older than the analyzer, some thousands per call; returns whether all are grouped.
   * `group` does the remaining work at once and blocks for about one microsecond per form, so call this repeatedly
   * before it.
   */
  prepare(analyzer: Analyzer): boolean {
    this.use(analyzer);
    return this.#continue(this.#groupings.get(analyzer.name)!, FORMS_AT_ONCE);
  }

  /** Whether `group` has no grouping left to do, so that it does not change the index. */
  isReady(analyzer: Analyzer): boolean {
    const grouping = this.#groupings.get(analyzer.name);
    return grouping !== undefined && grouping.next === undefined;
  }

  /** Forms with the same term as the given form, which need not be in the index. */
  group(analyzer: Analyzer, form: string): readonly number[] {
    this.use(analyzer);
    const grouping = this.#groupings.get(analyzer.name)!;
    this.#continue(grouping, Number.POSITIVE_INFINITY);
    let ids = grouping.known.get(form);
    if (ids === undefined) grouping.known.set(form, ids = this.#find(grouping, form));
    return ids;
  }

  #find(grouping: Grouping, form: string): number[] {
    const term = grouping.analyzer.term(form);
    const { at, length } = this.#kernel.input(term);
    const first = this.#kernel.call.groupOf(grouping.number, at, length);
    return first === 0
      ? []
      : this.#ring(grouping, first).filter((id) => grouping.analyzer.term(this.#textOf(id)) === term);
  }

  /** Adds a new form to every grouping. */
  join(form: number, text: string): void {
    for (const grouping of this.#groupings.values()) this.#join(grouping, form, text);
  }

  /** Removes a form from every grouping. */
  leave(form: number, text: string): void {
    for (const { number, analyzer, known } of this.#groupings.values()) {
      if (known.size > 0) known.clear();
      const { at, length } = this.#kernel.input(termOnce(analyzer, text));
      this.#kernel.call.leaveGroup(number, form, at, length);
    }
  }

  /** The groupings for a checkpoint. Incomplete ones are omitted and have to be rebuilt. */
  names(): { number: number; name: string }[] {
    return [...this.#groupings.values()].filter(({ next }) => next === undefined).map((
      { number, analyzer: { name } },
    ) => ({ number, name }));
  }

  /** Restores the groupings of a checkpoint for the given analyzers; the others are discarded. */
  restore(names: readonly { number: number; name: string }[], analyzers: ReadonlyMap<string, Analyzer>): void {
    for (let number = 0; number < MAX_GROUPINGS; number++) {
      const name = names.find((noted) => noted.number === number)?.name;
      const analyzer = name === undefined ? undefined : analyzers.get(name);
      if (analyzer === undefined) this.#kernel.call.clearGrouping(number);
      else this.#add(analyzer, number, undefined);
    }
  }

  #add(analyzer: Analyzer, number: number, next: number | undefined): void {
    this.#groupings.set(analyzer.name, {
      number,
      analyzer,
      next: next === this.#kernel.formEnd() ? undefined : next,
      known: new Generations(GROUPS_KNOWN),
    });
  }

  #freeNumber(): number {
    const used = new Set([...this.#groupings.values()].map(({ number }) => number));
    for (let number = 0; number < MAX_GROUPINGS; number++) if (!used.has(number)) return number;
    throw new RangeError(`an index takes at most ${MAX_GROUPINGS} analyzers`);
  }

  #continue(grouping: Grouping, limit: number): boolean {
    if (grouping.next === undefined) return true;
    const end = Math.min(this.#kernel.formEnd(), grouping.next + limit);
    for (let form = grouping.next; form < end; form++) {
      if (this.#kernel.call.formExists(form)) this.#join(grouping, form, this.#textOf(form));
    }
    grouping.next = end < this.#kernel.formEnd() ? end : undefined;
    return grouping.next === undefined;
  }

  #join({ number, analyzer, known }: Grouping, form: number, text: string): void {
    if (known.size > 0) known.clear();
    const { at, length } = this.#kernel.input(termOnce(analyzer, text));
    this.#kernel.call.joinGroup(number, form, at, length);
  }

  #ring({ number }: Grouping, first: number): number[] {
    const forms = [first];
    for (let form = this.#kernel.call.nextInGroup(number, first); form !== first;
      form = this.#kernel.call.nextInGroup(number, form)) forms.push(form);
    return forms;
  }

  #textOf(form: number): string {
    return this.#kernel.text(this.#kernel.call.formBytes(form), this.#kernel.call.formLength(form));
  }
}

function termOnce(analyzer: Analyzer, form: string): string {
  return analyzer.termOnce?.(form) ?? analyzer.term(form);
}
