import { createGlob, type Glob } from '../../../lib/glob.ts';
import { foldDiacritics } from '../../../text/folding.ts';
import type { QueryPlan, WantedLeaf } from './query-plan.ts';

/**
 * Says of the words of a document what they match in a query, for highlights. Looks at words one by one, so the words of a
 * phrase match wherever they stand.
 */
export class WordMatcher {
  readonly #plan: QueryPlan;
  /** Labels by term. */
  readonly #terms = new Map<string, string>();
  readonly #patterns: { readonly label: string; readonly matches: Glob }[] = [];
  readonly #fuzzy: { readonly label: string; readonly folded: readonly string[]; readonly edits: number }[] = [];
  /** What forms were found to match, as documents share most of their words. */
  readonly #known = new Map<string, string | undefined>();

  constructor(plan: QueryPlan) {
    this.#plan = plan;
    for (const leaf of plan.wanted) this.#learn(leaf);
  }

  /** The term of the query that a form matches, `query~indexed` when only by edits; undefined when none. */
  match(form: string): string | undefined {
    const exact = this.#terms.get(this.#plan.analyzer.term(form));
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
    if (node.kind === 'wildcard') this.#patterns.push({ label, matches: createGlob(foldDiacritics(node.pattern)) });
    else if (node.kind === 'term') {
      this.#learnTerm(node.form, label);
      if (node.fuzzy) this.#fuzzy.push({ label, folded: [...foldDiacritics(node.form)], edits: node.fuzzy });
    } else for (const form of node.forms) this.#learnWord(form, labels);
  }

  /** A word of a phrase is called by its own form; one of a synonym by the term that it stands for. */
  #learnWord(form: string, labels: readonly string[]): void {
    if (labels.includes(form)) this.#learnTerm(form, form);
    else if (!this.#plan.isStopWord(form)) this.#learnTerm(form, labels[0]!);
  }

  #learnTerm(form: string, label: string): void {
    const term = this.#plan.analyzer.term(form);
    if (!this.#terms.has(term)) this.#terms.set(term, label);
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
