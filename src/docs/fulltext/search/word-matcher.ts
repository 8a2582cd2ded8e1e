import { createGlob, type Glob } from '../../../lib/glob.ts';
import { foldDiacritics } from '../../../text/folding.ts';
import type { HighlightPhrase, HitOptions } from '../../../text/highlight/index.ts';
import { classOfDocument } from '../view/document-classes.ts';
import { wordOf } from '../view/to-index-query.ts';
import { type QueryPlan, type Reading, readingFor, type WantedLeaf } from './query-plan.ts';

/** The matchers of a query, one for each of its readings. */
export class WordMatchers {
  readonly #plan: QueryPlan;
  readonly #matchers = new Map<Reading, WordMatcher>();

  constructor(plan: QueryPlan) {
    this.#plan = plan;
  }

  /** The matcher of a document; undefined when the query is not about its kind. */
  of(document: Parameters<typeof classOfDocument>[0]): WordMatcher | undefined {
    const reading = readingFor(this.#plan, classOfDocument(document));
    if (reading === undefined) return undefined;
    let matcher = this.#matchers.get(reading);
    if (matcher === undefined) this.#matchers.set(reading, matcher = new WordMatcher(reading));
    return matcher;
  }
}

/** Says of the words of a document what they match in a query, for passages and highlights. */
export class WordMatcher {
  readonly #reading: Reading;
  /** Labels by term. */
  readonly #terms = new Map<string, string>();
  /** Those of words that match in phrases only. */
  readonly #phraseWords = new Map<string, string>();
  readonly #phrases: HighlightPhrase[] = [];
  readonly #patterns: { readonly label: string; readonly matches: Glob }[] = [];
  readonly #fuzzy: { readonly label: string; readonly folded: readonly string[]; readonly edits: number }[] = [];
  /** What forms were found to match, as documents share most of their words. */
  readonly #known = new Map<string, string | undefined>();

  constructor(reading: Reading) {
    this.#reading = reading;
    for (const leaf of reading.wanted) this.#learn(leaf);
  }

  /**
   * The term of the query that a form matches, `query~indexed` when only by edits; undefined when none. The words of a phrase match
   * wherever they stand.
   */
  match(form: string): string | undefined {
    return this.#matchWord(form) ?? this.#phraseWords.get(this.#reading.analyzer.term(form));
  }

  /** What highlights show: words, and phrases as such. */
  get highlighted(): HitOptions {
    return { match: (form) => this.#matchWord(form), phrases: this.#phrases, termOf: (form) => this.#reading.analyzer.term(form) };
  }

  #matchWord(form: string): string | undefined {
    const exact = this.#terms.get(this.#reading.analyzer.term(form));
    if (exact !== undefined) return exact;
    if (this.#patterns.length === 0 && this.#fuzzy.length === 0) return undefined;
    if (!this.#known.has(form)) this.#known.set(form, this.#matchLoosely(form));
    return this.#known.get(form);
  }

  #matchLoosely(form: string): string | undefined {
    const folded = foldDiacritics(form);
    const pattern = this.#patterns.find(({ matches }) => matches(folded));
    if (pattern !== undefined) return pattern.label;
    const characters = [...folded];
    const near = this.#fuzzy.find((word) => withinEdits(word.folded, characters, word.edits));
    return near && `${near.label}~${form}`;
  }

  #learn({ node, labels }: WantedLeaf): void {
    const [label] = labels;
    if (label === undefined) return;
    if (node.kind === 'wildcard') {
      this.#patterns.push({ label, matches: createGlob(foldDiacritics(node.pattern)) });
      const word = wordOf(node.pattern);
      if (word !== undefined) this.#learnTerm(this.#terms, word, label);
    } else if (node.kind === 'term') {
      this.#learnTerm(this.#terms, node.form, label);
      if (node.fuzzy) this.#fuzzy.push({ label, folded: [...foldDiacritics(node.form)], edits: node.fuzzy });
    } else {
      const words = node.kind === 'phrase' ? this.#phraseWords : this.#terms;
      for (const form of node.forms) this.#learnWord(words, form, labels);
      if (node.kind === 'phrase') this.#phrases.push({ words: node.forms.map((form) => this.#reading.analyzer.term(form)), labels });
    }
  }

  /** A word of a phrase is called by its own form; one of a synonym by the term that it stands for. */
  #learnWord(words: Map<string, string>, form: string, labels: readonly string[]): void {
    if (labels.includes(form)) this.#learnTerm(words, form, form);
    else if (!this.#reading.isStopWord(form)) this.#learnTerm(words, form, labels[0]!);
  }

  #learnTerm(words: Map<string, string>, form: string, label: string): void {
    const term = this.#reading.analyzer.term(form);
    if (!words.has(term)) words.set(term, label);
  }
}

/** Whether two words are at most so many insertions, deletions and substitutions of characters apart (Wagner and Fischer, 1974). */
export function withinEdits(from: readonly string[], to: readonly string[], edits: number): boolean {
  if (Math.abs(from.length - to.length) > edits) return false;
  let above = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 0; i < from.length; i++) {
    const row = [i + 1];
    let least = i + 1;
    for (let j = 0; j < to.length; j++) {
      const distance = Math.min(above[j]! + Number(from[i] !== to[j]), above[j + 1]! + 1, row[j]! + 1);
      least = Math.min(least, row[j + 1] = distance);
    }
    if (least > edits) return false;
    above = row;
  }
  return above.at(-1)! <= edits;
}
