import { Action, Algorithm, type InvertedKernel, MAX_LEVELS } from '../../kernels/inverted.ts';
import type { Scoring } from './algorithm.ts';
import { idsOf, type OperatorQuery, type PhraseQuery, type Query, type TermQuery, type WeightedForm } from './query.ts';

/** Where a query's result lies: in the scores of level 0 alone, or in its bits and scores. */
export type ResultPlace = 'scores' | 'bits';

/** Levels that stay allocated between queries; a deeper query gives the rest back. */
export const KEPT_LEVELS = 4;
/** A group is dense when it has more than a posting for so many documents: measured, within the caches and beyond them. */
const dense = (documents: number) => (documents < 100_000 ? 12 : 4);

/**
 * Evaluates a simple query (see `simplify`) onto level 0 of a kernel. Loops over operators and forms only; postings
 * are the kernel's. Throws a RangeError when operators nest deeper than the kernel has levels, before it has done
 * anything.
 */
export class Evaluation {
  readonly #kernel: InvertedKernel;
  readonly #scoring: Scoring;
  readonly #documents: number;

  constructor(kernel: InvertedKernel, scoring: Scoring) {
    this.#kernel = kernel;
    this.#scoring = scoring;
    this.#documents = kernel.counts().documents;
  }

  run(query: Query): ResultPlace {
    const levels = levelsFor(query);
    if (levels > MAX_LEVELS) throw new RangeError(`operators nest too deeply: at most ${MAX_LEVELS} levels, got ${levels}`);
    this.#kernel.call.prepareLevels(levels);
    this.#kernel.setScoring(this.#scoring.parameters);
    const terms = query.kind === 'or' ? query.of : [query];
    if (!terms.every(isTerm)) {
      this.#evaluate(query, 0);
      return 'bits';
    }
    for (const term of terms) this.#score(term, 0, Action.add);
    return 'scores';
  }

  /** Makes the result of a query on a level that is empty, and leaves those above empty. */
  #evaluate(query: Query, level: number): void {
    switch (query.kind) {
      case 'term': return this.#score(query, level, Action.match);
      case 'phrase': return this.#phrase(query, level);
      case 'or': return this.#or(query, level);
      case 'best': return this.#best(query, level);
      case 'and': return this.#and(query, level);
      case 'not': throw new Error('a negation stands below "and" only');
      case 'all': return this.#kernel.call.matchAll(level);
      case 'none': return;
    }
  }

  #or({ of }: OperatorQuery, level: number): void {
    this.#deepestFirst(of.filter((operand) => !isTerm(operand)), level, () => this.#kernel.call.unite(level, level + 1, 0));
    for (const term of of.filter(isTerm)) this.#score(term, level, Action.match);
  }

  #best({ of }: OperatorQuery, level: number): void {
    this.#deepestFirst(of, level, () => this.#kernel.call.unite(level, level + 1, 1));
  }

  /** Rare operands come first: what they leave out, the others need not look at. */
  #and({ of }: OperatorQuery, level: number): void {
    const { call } = this.#kernel;
    const terms = of.filter(isTerm).sort((a, b) => this.#cost(a.forms) - this.#cost(b.forms));
    const others = of.filter((operand) => !isTerm(operand) && operand.kind !== 'not');
    this.#deepestFirst(others, level, () => call.intersect(level, level + 1));
    for (const [i, term] of terms.entries()) {
      if (i === 0 && others.length === 0) this.#score(term, level, Action.match);
      else this.#require(term, level);
      if (call.countLevel(level) === 0) return;
    }
    for (const operand of of) {
      if (operand.kind !== 'not') continue;
      this.#evaluate(operand.of, level + 1);
      call.subtract(level, level + 1);
    }
  }

  /** Evaluates operands, the one that needs most levels first and on the level itself, the others on the next. */
  #deepestFirst(operands: readonly Query[], level: number, join: () => void): void {
    for (const [i, operand] of byDepth(operands).entries()) {
      this.#evaluate(operand, i === 0 ? level : level + 1);
      if (i > 0) join();
    }
  }

  #require(term: TermQuery, level: number): void {
    this.#score(term, level, Action.require);
    this.#kernel.call.finishRequire(level);
  }

  #phrase({ words, slop, weight }: PhraseQuery, level: number): void {
    const { call } = this.#kernel;
    const rarestFirst = [...words].sort((a, b) => this.#cost(a.forms) - this.#cost(b.forms));
    for (const [i, { forms }] of rarestFirst.entries()) {
      const term: TermQuery = { kind: 'term', forms, weight: weight ?? 1 };
      if (i === 0) this.#score(term, level, Action.match);
      else this.#require(term, level);
      if (call.countLevel(level) === 0) return;
    }
    this.#kernel.inputNumbers(slop === undefined ? exactPhrase(words) : loosePhrase(words, slop));
    call.keepPhrase(level);
  }

  #score({ forms, weight = 1 }: TermQuery, level: number, action: number): void {
    const { call } = this.#kernel;
    if (isSet(forms)) return this.#scoreSet(forms, level, action, weight);
    const distinct = withoutRepeats(forms);
    const [first] = distinct;
    if (first !== undefined && distinct.length === 1 && (first.weight ?? 1) === 1 && this.#countsEverywhere(first.id)) {
      const documents = call.liveDocuments(first.id);
      if (documents > 0) call.scoreForm(first.id, level, action, weight * this.#scoring.weightOf(documents));
      return;
    }
    if (action === Action.add && this.#isDense(distinct)) return this.#scoreDensely(distinct, weight);
    let documents = 0;
    for (const form of distinct) documents += call.sumForm(form.id, form.weight ?? 1);
    if (documents > 0) call.scoreGroup(level, action, weight * this.#scoring.weightOf(documents));
  }

  #scoreSet(forms: readonly WeightedForm[], level: number, action: number, weight: number): void {
    const { call } = this.#kernel;
    const densely = action === Action.add && this.#isDense(forms);
    this.#kernel.inputNumbers(idsOf(forms));
    const gained = call.sumForms(forms.length, densely ? 1 : 0);
    if (densely) this.#scoreSums(weight);
    else if (gained > 0) call.scoreGroup(level, action, weight * this.#scoring.weightOf(gained));
  }

  #scoreDensely(forms: readonly WeightedForm[], weight: number): void {
    const { call } = this.#kernel;
    for (const { id, weight: own } of forms) call.sumFormDensely(id, own ?? 1);
    this.#scoreSums(weight);
  }

  #scoreSums(weight: number): void {
    const documents = this.#kernel.call.countSums();
    this.#kernel.call.scoreSums(documents > 0 ? weight * this.#scoring.weightOf(documents) : 0);
  }

  /** Whether a group has so many postings that passes over all documents are quicker than bits for its own. */
  #isDense(forms: readonly WeightedForm[]): boolean {
    const { algorithm, factors } = this.#scoring.parameters;
    return (algorithm === Algorithm.bm25f || factors === undefined) && this.#cost(forms) * dense(this.#documents) > this.#documents;
  }

  /** Whether every document that has a form has it in a field that counts, so that their number is known. */
  #countsEverywhere(form: number): boolean {
    const { plainFields, furtherFields } = this.#scoring;
    return furtherFields || (this.#kernel.call.formFields(form) & ~plainFields) === 0;
  }

  #cost(forms: readonly WeightedForm[]): number {
    if (isSet(forms)) {
      this.#kernel.inputNumbers(idsOf(forms));
      return this.#kernel.call.postingsOf(forms.length);
    }
    return forms.reduce((sum, { id }) => sum + this.#kernel.call.postingCount(id), 0);
  }
}

const MANY_FORMS = 100;

/** What was counted of a query: its parts are asked again and again on the way down. */
const counted = new WeakMap<Query, number>();

/** Levels that a simple query needs, itself included (Sethi and Ullman's numbering of expressions). */
export function levelsFor(query: Query): number {
  const known = counted.get(query);
  if (known !== undefined) return known;
  const levels = countLevels(query);
  counted.set(query, levels);
  return levels;
}

function countLevels(query: Query): number {
  if (query.kind !== 'or' && query.kind !== 'and' && query.kind !== 'best') return 1;
  const operands = query.of.filter((operand) => operand.kind !== 'not' && (query.kind === 'best' || !isTerm(operand)));
  const positive = byDepth(operands).map((operand, i) => levelsFor(operand) + (i > 0 ? 1 : 0));
  const negative = query.of.flatMap((operand) => (operand.kind === 'not' ? [levelsFor(operand.of) + 1] : []));
  return Math.max(1, ...positive, ...negative);
}

function byDepth(operands: readonly Query[]): Query[] {
  return operands.map((operand) => ({ operand, levels: levelsFor(operand) })).sort((a, b) => b.levels - a.levels).map(({ operand }) => operand);
}

function isTerm(query: Query): query is TermQuery {
  return query.kind === 'term';
}

/** Whether there are so many forms, of equal weight, that the kernel takes them at once. */
function isSet(forms: readonly WeightedForm[]): boolean {
  return forms.length > MANY_FORMS && forms.every(({ weight = 1 }) => weight === 1);
}

function withoutRepeats(forms: readonly WeightedForm[]): readonly WeightedForm[] {
  return forms.length < 2 ? forms : [...new Map(forms.map((form) => [form.id, form])).values()];
}

/** The numbers that asm/inverted/phrases.ts reads: the word with the fewest forms need not come first. */
function exactPhrase(words: PhraseQuery['words']): number[] {
  const first = words[0]!.offset;
  return described(words.map(({ forms, offset }) => ({ wanted: offset - first, forms })), true, 0, 0);
}

/** Words of the same forms are one that is wanted as often. */
function loosePhrase(words: PhraseQuery['words'], slop: number): number[] {
  const span = words.at(-1)!.offset - words[0]!.offset;
  const wanted = new Map<string, { wanted: number; forms: readonly WeightedForm[] }>();
  for (const { forms } of words) {
    const name = forms.map(({ id }) => id).sort((a, b) => a - b).join();
    wanted.set(name, { wanted: (wanted.get(name)?.wanted ?? 0) + 1, forms });
  }
  return described([...wanted.values()], false, span, slop);
}

function described(words: readonly { wanted: number; forms: readonly WeightedForm[] }[], exact: boolean, span: number, slop: number): number[] {
  const distinct = words.map(({ wanted, forms }) => ({ wanted, forms: withoutRepeats(forms) }));
  const total = distinct.reduce((sum, { forms }) => sum + forms.length, 0);
  return [distinct.length, exact ? 1 : 0, span, slop, total, ...distinct.flatMap(({ wanted, forms }) => [wanted, forms.length, ...forms.map(({ id }) => id)])];
}
