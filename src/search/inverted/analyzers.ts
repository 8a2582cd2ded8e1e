import { type InvertedKernel, MAX_GROUPINGS } from '../../kernels/inverted.ts';
import { Generations } from '../../lib/caches.ts';
import { isShared } from '../../text/simplified.ts';
import { type CompoundRules, CompoundSearch } from './compounds.ts';
import { type Dictionary, keyOf } from './dictionary.ts';

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
  /** Other spellings of words, which a word of a query stands for as well. Default: none. */
  readonly spellings?: Spellings | undefined;
  /** How its language writes words together. Default: apart. */
  readonly compounds?: CompoundRules | undefined;
}

/** How else words may be written. */
export interface Spellings {
  /** Without diacritics by a custom, or with those that the custom replaces. */
  customary(form: string): readonly string[];
  /** With a diacritic that may have been left out. */
  accented(form: string): readonly string[];
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
  /** Cached compounds by one of their parts, or the search for them; cleared likewise. */
  readonly compounds: Generations<string, readonly number[] | CompoundSearch>;
}

/** The groupings of an index's forms, one for each analyzer that documents or queries have used. */
export class Analyzers {
  readonly #kernel: InvertedKernel;
  readonly #dictionary: Pick<Dictionary, 'sameKey' | 'find' | 'wildcard' | 'text'>;
  readonly #groupings = new Map<string, Grouping>();

  constructor(kernel: InvertedKernel, dictionary: Pick<Dictionary, 'sameKey' | 'find' | 'wildcard' | 'text'>) {
    this.#kernel = kernel;
    this.#dictionary = dictionary;
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

  /**
   * Forms with the same term as the given form, which need not be in the index, or as another spelling of it by its
   * analyzer.
   */
  group(analyzer: Analyzer, form: string): readonly number[] {
    if (isShared(form)) return this.#dictionary.sameKey(form);
    this.use(analyzer);
    const grouping = this.#groupings.get(analyzer.name)!;
    this.#continue(grouping, Number.POSITIVE_INFINITY);
    let ids = grouping.known.get(form);
    if (ids === undefined) {
      const { term, spellings } = analyzer;
      ids = spellings === undefined ? this.#withTerm(grouping, term(form)) : this.#spelled(grouping, form, spellings);
      grouping.known.set(form, ids);
    }
    return ids;
  }

  /** Forms that a word is a part of (see `compounds.ts`), without those of the word itself. */
  compounds(analyzer: Analyzer, form: string): readonly number[] {
    for (;;) {
      const found = this.#searchCompounds(analyzer, form);
      if (found !== undefined) return found;
    }
  }

  /**
   * Looks for the compounds of a word, some milliseconds at each call; returns whether `compounds` has no more to do.
   * The search begins again if the index gets or loses a form meanwhile.
   */
  prepareCompounds(analyzer: Analyzer, form: string): boolean {
    return this.#searchCompounds(analyzer, form) !== undefined;
  }

  /** The same without looking. */
  knowsCompounds({ name, compounds }: Analyzer, form: string): boolean {
    const known = this.#groupings.get(name)?.compounds.get(form);
    return compounds === undefined || (known !== undefined && !(known instanceof CompoundSearch));
  }

  /** Undefined if there is more to do. */
  #searchCompounds(analyzer: Analyzer, form: string): readonly number[] | undefined {
    const { compounds: rules } = analyzer;
    if (rules === undefined) return [];
    const own = this.group(analyzer, form);
    const grouping = this.#groupings.get(analyzer.name)!;
    const known = grouping.compounds.get(form);
    if (known !== undefined && !(known instanceof CompoundSearch)) return known;
    const search = known ?? new CompoundSearch(this.#kernel, {
      form,
      ids: own,
      spellings: analyzer.spellings?.customary(form) ?? [],
      termOf: (part) => analyzer.term(part),
      rules,
      dictionary: this.#dictionary,
      isInflected: (part) => this.#isInflected(grouping, analyzer.term(part)),
    });
    const isDone = search.step();
    grouping.compounds.set(form, isDone ? search.found : search);
    return isDone ? search.found : undefined;
  }

  #isInflected(grouping: Grouping, term: string): boolean {
    return this.#withTerm(grouping, term).length > 0 || this.#dictionary.sameKey(term).length > 0;
  }

  /**
   * A stemmer knows endings by their accents, so a word without them has another stem. It stands for the words that the
   * index has with them; if there is none, for inflections of what it may be with one more. Customary spellings
   * are taken only if the index has a word that is written so: `blue` is no `blü`.
   */
  #spelled(grouping: Grouping, form: string, { customary, accented }: Spellings): number[] {
    const { term: termOf } = grouping.analyzer;
    const term = termOf(form);
    const found = new Set(this.#withTerm(grouping, term));
    const known = new Set([term]);
    const add = (spelling: string, isAccepted: (forms: readonly number[]) => boolean): void => {
      const other = termOf(spelling);
      if (known.has(other)) return;
      const forms = this.#withTerm(grouping, other);
      if (!isAccepted(forms)) return;
      known.add(other);
      for (const id of forms) found.add(id);
    };
    const always = (): boolean => true;
    const written = this.#dictionary.sameKey(form);
    for (const id of written) add(this.#textOf(id), always);
    for (const spelling of customary(form))
      add(spelling, isPlain(spelling) ? always : (forms) => forms.some((id) => !isPlain(this.#textOf(id))));
    if (written.length === 0) { for (const spelling of accented(form)) add(spelling, always); }
    // Stemmers take some words for inflections, and others for these words: of "imágenes" remains "imagen".
    for (const id of this.#withTerm(grouping, keyOf(form))) found.add(id);
    for (const id of this.#dictionary.sameKey(term)) found.add(id);
    return [...found];
  }

  #withTerm(grouping: Grouping, term: string): number[] {
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
    for (const { number, analyzer, known, compounds } of this.#groupings.values()) {
      if (known.size > 0) known.clear();
      if (compounds.size > 0) compounds.clear();
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
      compounds: new Generations(GROUPS_KNOWN),
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

  #join({ number, analyzer, known, compounds }: Grouping, form: number, text: string): void {
    if (known.size > 0) known.clear();
    if (compounds.size > 0) compounds.clear();
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

function isPlain(form: string): boolean {
  return keyOf(form) === form;
}

function termOnce(analyzer: Analyzer, form: string): string {
  return analyzer.termOnce?.(form) ?? analyzer.term(form);
}
