import { Action, Algorithm, type InvertedKernel, MAX_TALLIES, MUCH_LONGER } from '../../kernels/inverted.ts';
import type { Scoring } from './algorithm.ts';
import { findPhrase, keepPhrase, KnownMatches } from './matches.ts';
import { byDepth, checkLevels, isTerm } from './nesting.ts';
import { PostingScores } from './posting-scores.ts';
import { EVERY_CLASS, type OperatorQuery, type PhraseQuery, type Query, type SomeQuery, type TermQuery,
  type WeightedForm, withoutRepeats } from './query.ts';
import type { BestOf, FewOf, Leave, ListInClasses, ResultPlace, Tallied, TermList } from './selection.ts';

/** Searching a list for one document takes as long as scanning this many of its documents. */
const SEARCH = 30;
/** Selecting from levels takes, per document of the index, this fraction of the time that a list takes per document. */
const PER_DOCUMENT = 0.2;

/** Levels that stay allocated between queries; the additional levels of a deeper query are freed. */
export const KEPT_LEVELS = 4;

/**
 * Evaluates a simple query (see `simplify`) onto level 0 of a kernel. It loops only over operators and forms; the
 * kernel loops over postings. Throws a RangeError when operators nest deeper than the kernel has levels; nothing has
 * changed then.
 */
export class Evaluation {
  readonly #kernel: InvertedKernel;
  readonly #scoring: Scoring;
  readonly #documents: number;
  readonly #postings: PostingScores;

  constructor(kernel: InvertedKernel, scoring: Scoring) {
    this.#kernel = kernel;
    this.#scoring = scoring;
    this.#documents = kernel.counts().documents;
    this.#postings = new PostingScores(kernel, scoring, this.#documents);
  }

  /**
   * Prepares scoring and the levels for a query (`levelsFor`). Throws a RangeError when its operators nest too deeply.
   */
  prepare(levels: number): void {
    checkLevels(levels);
    this.#kernel.setScoring(this.#scoring.parameters);
    this.#kernel.call.prepareLevels(levels);
  }

  /**
   * Counts the live documents with each term, after `prepare`: the number by which its weight is computed. What is read
   * for that is remembered, so that the query itself reads it no more.
   */
  count(terms: readonly (readonly WeightedForm[])[]): number[] {
    const bare = this.#mayTally(terms.map((forms) => ({ kind: 'term', forms }))) &&
      terms.reduce((sum, forms) => sum + this.#postings.cost(forms), 0) >= SHORT_LISTS;
    return terms.map((forms) => this.#count(withoutRepeats(forms), bare));
  }

  #count(distinct: readonly WeightedForm[], bare: boolean): number {
    const { call } = this.#kernel;
    const known = this.#postings.known(distinct);
    if (known !== undefined) return known;
    if (!distinct.every(({ weight = 1 }) => weight === 1)) return this.#postings.count(distinct);
    this.#kernel.inputEach(distinct, ({ id }) => id);
    const list = (bare ? call.recallBare(distinct.length) : call.recall(distinct.length)) >>> 0;
    return list === 0 ? this.#postings.count(distinct) : call.documentsIn(list);
  }

  /** Evaluates a query after `prepare`. */
  run(query: Query, { lone, plain, passing, bound }: Leave): ResultPlace {
    const few = passing === undefined ? undefined : this.#fewOf(query, passing);
    if (few !== undefined) return few;
    const best = bound && this.#bestOf(query, bound);
    if (best !== undefined) return best;
    const list = lone && isTerm(query) && query.classes === undefined ? this.#recall(query) : undefined;
    if (list !== undefined) return list;
    const known = lone ? this.#knownMatches(query) : undefined;
    const matches = known?.recall() ?? 0;
    if (matches !== 0) return { list: matches, weight: 1 };
    if (plain && query.kind === 'phrase' && known?.isNamed === false && this.#findExact(query))
      return { words: query.words.length };
    const terms = query.kind === 'or' ? query.of : [query];
    const operands = query.kind === 'and' ? query.of : terms;
    if ((plain || (lone && query.kind !== 'and')) && operands.every(isTerm) && this.#mayTally(operands)) {
      const place = query.kind !== 'and'
        ? this.#selectAny(operands)
        : known?.askedBefore() === true
        ? undefined
        : this.#selectAll(operands);
      if (place !== undefined) return place;
    }
    if (!terms.every(isTerm)) {
      this.#evaluate(query, 0);
      if (query.kind === 'and') known?.keep(0);
      return 'bits';
    }
    for (const term of terms) this.#score(term, 0, Action.add);
    return 'scores';
  }

  /** The remembered matches of a phrase, or of terms that are all required; undefined for other queries. */
  #knownMatches(query: Query): KnownMatches | undefined {
    if (query.kind === 'phrase') return KnownMatches.ofPhrase(this.#kernel, this.#scoring, query);
    return query.kind === 'and' && query.of.every(isTerm)
      ? KnownMatches.ofAll(this.#kernel, this.#scoring, query.of)
      : undefined;
  }

  /** Writes the result of a query to an empty level, and leaves the levels above it empty. */
  #evaluate(query: Query, level: number): void {
    switch (query.kind) {
      case 'term':
        return this.#score(query, level, Action.match);
      case 'phrase':
        return this.#phrase(query, level);
      case 'or':
        return this.#or(query, level);
      case 'best':
        return this.#best(query, level);
      case 'some':
        return this.#some(query, level);
      case 'and':
        return this.#and(query, level);
      case 'not':
        throw new Error('a negation stands below "and" only');
      case 'all':
        this.#allow(query.classes);
        return this.#kernel.call.matchAll(level);
      case 'none':
        return;
    }
  }

  #or({ of }: OperatorQuery, level: number): void {
    this.#deepestFirst(of.filter((operand) => !isTerm(operand)), level,
      () => this.#kernel.call.unite(level, level + 1, 0));
    for (const term of of.filter(isTerm)) this.#score(term, level, Action.match);
  }

  #best({ of }: OperatorQuery, level: number): void {
    this.#deepestFirst(of, level, () => this.#kernel.call.unite(level, level + 1, 1));
  }

  #some({ of, least }: SomeQuery, level: number): void {
    const { call } = this.#kernel;
    for (const operand of of) {
      this.#evaluate(operand, level + 1);
      call.countMatches(level, level + 1);
    }
    call.keepCounted(level, least);
  }

  /** Rare operands come first, so that the others skip the documents that do not match them. */
  #and({ of }: OperatorQuery, level: number): void {
    const { call } = this.#kernel;
    const terms = of.filter(isTerm);
    const others = of.filter((operand) => !isTerm(operand) && operand.kind !== 'not');
    this.#deepestFirst(others, level, () => call.intersect(level, level + 1));
    const alike = terms.every(({ classes }) => classes === terms[0]!.classes);
    const tallied = others.length === 0 && terms.length > 1 ? this.#rarestToTally(terms) : undefined;
    if (tallied !== undefined) {
      this.#tally(tallied, true);
      call.matchTallied(terms.length, level);
      call.scoreTallied(terms.length, level);
      return this.#takeAway(of, level);
    }
    const lists = others.length === 0 && alike ? this.#recallAll(terms) : undefined;
    if (lists !== undefined) this.#matchLists(lists, level, terms[0]!.classes);
    else this.#requireAll(terms, level, others.length === 0);
    this.#takeAway(of, level);
  }

  #takeAway(of: readonly Query[], level: number): void {
    const { call } = this.#kernel;
    if (call.countLevel(level) === 0) return;
    for (const operand of of) {
      if (operand.kind !== 'not') continue;
      this.#evaluate(operand.of, level + 1);
      call.subtract(level, level + 1);
    }
  }

  /** Evaluates the operand that needs the most levels first, on the level itself, and the others on the next level. */
  #deepestFirst(operands: readonly Query[], level: number, join: () => void): void {
    for (const [i, operand] of byDepth(operands).entries()) {
      this.#evaluate(operand, i === 0 ? level : level + 1);
      if (i > 0) join();
    }
  }

  /**
   * Rare terms come first; on an empty level, the first one matches instead of filtering. Stops when no document is
   * left.
   */
  #requireAll(terms: readonly TermQuery[], level: number, empty: boolean): void {
    const { call } = this.#kernel;
    const cost = ({ forms, documents }: TermQuery): number => documents ?? this.#postings.cost(forms);
    const rarestFirst = [...terms].sort((a, b) => cost(a) - cost(b));
    for (const [i, term] of rarestFirst.entries()) {
      this.#score(term, level, i === 0 && empty ? Action.match : Action.require);
      if (i > 0 || !empty) call.finishRequire(level);
      if (call.countLevel(level) === 0) return;
    }
  }

  /**
   * Uses the cached list of a phrase that was evaluated before; otherwise evaluates the phrase and remembers its list.
   */
  #phrase(query: PhraseQuery, level: number): void {
    const known = KnownMatches.ofPhrase(this.#kernel, this.#scoring, query);
    const list = known.recall();
    if (list === 0) {
      this.#findPhrase(query, level);
      return known.keep(level);
    }
    // The list contains no documents of other classes.
    this.#allow();
    this.#kernel.call.scoreList(list, level, Action.match, 1);
  }

  #findPhrase(query: PhraseQuery, level: number): void {
    const { call } = this.#kernel;
    const { words, slop, classes } = query;
    const terms = wordsAsTerms(query);
    const lists = this.#recallAll(terms);
    if (lists === undefined && this.#findExact(query)) return call.scorePhrase(words.length, level);
    const tallied = this.#rarestToTally(terms);
    if (tallied !== undefined) return this.#tallyPhrase(words, tallied, slop, level, lists);
    if (lists !== undefined) this.#matchLists(lists, level, classes);
    else this.#requireAll(terms, level, true);
    if (call.countLevel(level) > 0) keepPhrase(this.#kernel, words, slop, level, true, lists);
  }

  /** For an exact phrase, only the documents that contain the phrase are scored; with slop, all that have its words. */
  #tallyPhrase(words: PhraseQuery['words'], terms: readonly TermQuery[], slop: number | undefined, level: number,
    lists: readonly TermList[] | undefined): void
  {
    const { call } = this.#kernel;
    this.#tallyWords(terms, level);
    if (slop !== undefined) call.scoreTallied(terms.length, level);
    keepPhrase(this.#kernel, words, slop, level, slop !== undefined, lists);
    if (slop === undefined) call.scoreTallied(terms.length, level);
  }

  /**
   * Finds an exact phrase whose words have no lists, in one pass over their postings, and passes the weights of the
   * words. Returns whether it did; the matches have no scores yet.
   */
  #findExact(query: PhraseQuery): boolean {
    const { words, slop, weight = 1 } = query;
    if (slop !== undefined || !this.#mayTally(wordsAsTerms(query)) || !findPhrase(this.#kernel, words)) return false;
    const weighted = words.map((each, word) => {
      const documents = each.documents ?? this.#kernel.outputNumber(word);
      return { word, documents, weight: weight * this.#scoring.weightOf(documents) };
    });
    // The order in which the scores of lists are added.
    this.#kernel.inputWeighted(weighted.sort((a, b) => a.documents - b.documents), ({ word }) => word);
    return true;
  }

  /** Matches the documents that have all words of a phrase, without scores. */
  #tallyWords(terms: readonly TermQuery[], level: number): void {
    const { call } = this.#kernel;
    call.openKept();
    this.#tally(terms, true);
    call.matchTallied(terms.length, level);
  }

  // ---- Cached lists ----

  /** The cached list of a term's documents; undefined if there is none. */
  #recall({ forms, weight = 1, documents }: TermQuery): TermList | undefined {
    const { call } = this.#kernel;
    if (!forms.every(({ weight: own = 1 }) => own === 1)) return undefined;
    const distinct = withoutRepeats(forms);
    this.#kernel.inputEach(distinct, ({ id }) => id);
    const list = call.recall(distinct.length) >>> 0;
    if (list === 0) return undefined;
    const counted = documents ?? call.documentsIn(list);
    return { list, weight: weight * this.#scoring.weightOf(counted), documents: counted };
  }

  /** The lists of several terms; undefined if one of them is not remembered. */
  #recallAll(terms: readonly TermQuery[]): TermList[] | undefined {
    return terms.length < 2 || terms.length > MAX_LISTS ? undefined : this.#recallEach(terms);
  }

  #recallEach(terms: readonly TermQuery[]): TermList[] | undefined {
    const lists: TermList[] = [];
    for (const term of terms) {
      const list = this.#recall(term);
      if (list === undefined) return undefined;
      lists.push(list);
    }
    return lists;
  }

  /**
   * The lists of a term, or of an operator over terms, if searching them for each document that passes is faster than
   * evaluating the query.
   */
  #fewOf(query: Query, passing: number): FewOf | undefined {
    const all = query.kind === 'and';
    const terms = all || query.kind === 'or' ? query.of : [query];
    if (!terms.every(isTerm) || terms.length > MAX_LISTS) return undefined;
    const sizes = terms.map(({ forms }) => this.#postings.cost(forms));
    const through = all ? Math.min(...sizes) : sizes.reduce((sum, size) => sum + size, this.#documents * PER_DOCUMENT);
    if (passing * (all ? 1 : terms.length) * SEARCH > through) return undefined;
    const lists = this.#recallInClasses(terms);
    return lists && { lists: all ? shortestFirst(lists) : lists, all };
  }

  /** The lists of an `or` over terms, if pruning them is faster. */
  #bestOf(query: Query, bound: (lists: readonly ListInClasses[]) => number | undefined): BestOf | undefined {
    if (query.kind !== 'or' || !query.of.every(isTerm) || query.of.length > MAX_PRUNED) return undefined;
    const lists = this.#recallInClasses(query.of);
    if (lists === undefined || !this.#isWorthPruning(lists)) return undefined;
    const least = bound(lists);
    return least === undefined ? undefined : { bestOf: lists, least };
  }

  /**
   * Whether finding the best by a rare word is faster than scoring all matches: that is so if the other words are far
   * more frequent.
   */
  #isWorthPruning(lists: readonly TermList[]): boolean {
    const sizes = lists.map(({ list }) => this.#kernel.call.documentsIn(list)).sort((a, b) => a - b);
    const all = sizes.reduce((sum, size) => sum + size, this.#documents * PER_DOCUMENT_SELECTED);
    const [first, second] = [sizes[0]!, sizes[1]!];
    return first * PER_FIRST + (second > first * MUCH_LONGER ? 0 : second * PER_SECOND) < all;
  }

  /** The lists of terms with their classes; undefined if one of them is not remembered. */
  #recallInClasses(terms: readonly TermQuery[]): ListInClasses[] | undefined {
    return this.#recallEach(terms)?.map((list, i) => ({ ...list, classes: terms[i]!.classes ?? EVERY_CLASS }));
  }

  #matchLists(lists: readonly TermList[], level: number, classes: number | undefined): void {
    const { call } = this.#kernel;
    this.#kernel.inputWeighted(shortestFirst(lists), ({ list }) => list);
    call.matchLists(lists.length, level);
    this.#allow(classes);
    call.keepClasses(level);
  }

  // ---- Tallies ----

  /** Whether terms can be tallied: BM25 over all fields, forms of equal weight, and documents of any class. */
  #mayTally(terms: readonly TermQuery[]): boolean {
    const { algorithm, factors } = this.#scoring.parameters;
    return algorithm === Algorithm.bm25 && factors === undefined && terms.length <= MAX_TALLIES
      && terms.every(({ forms, classes }) => classes === undefined && forms.every(({ weight = 1 }) => weight === 1));
  }

  /**
   * Terms that are all required and can be tallied, rarest first; undefined if they have few postings: levels of bits
   * are faster then.
   */
  #rarestToTally(terms: readonly TermQuery[]): readonly TermQuery[] | undefined {
    if (!this.#mayTally(terms)) return undefined;
    const costs = terms.map((term) => ({ term, cost: this.#postings.cost(term.forms) }));
    if (costs.reduce((sum, { cost }) => sum + cost, 0) * FEW_POSTINGS <= this.#documents) return undefined;
    return costs.sort((a, b) => a.cost - b.cost).map(({ term }) => term);
  }

  /**
   * Tallies terms, and passes their weights. Required terms must come rarest first. They are sorted again by their
   * documents, so that scores are added in the same order as those of lists.
   */
  #tally(terms: readonly TermQuery[], all: boolean): void {
    const { call } = this.#kernel;
    const tallied = terms.map(({ forms, weight = 1, documents: given }, slot) => {
      const distinct = withoutRepeats(forms);
      this.#kernel.inputEach(distinct, ({ id }) => id);
      const list = call.recallBare(distinct.length) >>> 0;
      const counted = list === 0 ? call.tallyForms(distinct.length, slot, all ? slot : 0) : call.tallyList(list, slot);
      const documents = given ?? counted;
      return { slot, documents, weight: weight * this.#scoring.weightOf(documents) };
    });
    if (all) tallied.sort((a, b) => a.documents - b.documents);
    this.#kernel.inputWeighted(tallied, ({ slot }) => slot);
  }

  #selectAll(terms: readonly TermQuery[]): Tallied | undefined {
    const tallied = this.#rarestToTally(terms);
    if (tallied === undefined) return undefined;
    this.#tally(tallied, true);
    return { terms: terms.length, all: true };
  }

  /** Adding the scores of short lists takes less time than determining which documents can be skipped. */
  #selectAny(terms: readonly TermQuery[]): ResultPlace {
    const lists = terms.reduce((sum, { forms }) => sum + this.#postings.cost(forms), 0) < SHORT_LISTS
      ? this.#recallAll(terms)
      : undefined;
    if (lists === undefined) {
      this.#tally(terms, false);
      return { terms: terms.length, all: false };
    }
    this.#allow();
    for (const { list, weight } of lists) this.#kernel.call.scoreList(list, 0, Action.add, weight);
    return 'scores';
  }

  /** Restricts the following matches to these classes. */
  #allow(classes = EVERY_CLASS): void {
    this.#kernel.call.allowClasses(classes);
  }

  #score(term: TermQuery, level: number, action: number): void {
    this.#allow(term.classes);
    const list = this.#recall(term);
    if (list === undefined) this.#postings.score(term, level, action);
    else this.#kernel.call.scoreList(list.list, level, action, list.weight);
  }
}

/** The words of a phrase as terms that are all required. */
function wordsAsTerms({ words, weight = 1, classes }: PhraseQuery): TermQuery[] {
  return words.map(({ forms, documents }) => ({ kind: 'term', forms, weight, classes, documents }));
}

/** The order in which an intersection visits lists and adds up their scores, by all documents of the collection. */
function shortestFirst<T extends TermList>(lists: readonly T[]): T[] {
  return [...lists].sort((a, b) => a.documents - b.documents);
}

// Measured on 200,000 documents, in units of the time to score one: per document of the rarest word, of the second, and
// per document selected.
const PER_FIRST = 24;
const PER_SECOND = 4;
const PER_DOCUMENT_SELECTED = 0.12;
/** Maximum number of lists that the kernel can prune. */
const MAX_PRUNED = 16;
/** Required terms have few postings if there is at most one per this number of documents (measured). */
const FEW_POSTINGS = 40;
/** Lists are short if their forms have fewer postings than this together (measured). */
const SHORT_LISTS = 16_000;
/** Maximum number of lists that the kernel intersects at once. */
const MAX_LISTS = 255;
