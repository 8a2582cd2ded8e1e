import type { PhraseNode, QueryNode, TermNode } from '../../../text/query/index.ts';
import type { SynonymLookup } from '../synonyms.ts';
import type { TermAnalyzer } from '../view/text-index.ts';

/** Maximum number of synonyms of one term that are searched for. */
export const MAX_SYNONYMS = 64;
/** Maximum number of words of a query that are looked up together. */
const MAX_SEQUENCE = 8;

/** Words of a query that have synonyms together, or one word, whose own synonyms are not looked up here. */
export interface Sequence {
  readonly length: number;
  readonly forms: readonly string[];
  readonly synonyms: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** The longest sequence of two or more words from a place on that has synonyms; else the word alone. */
export function sequenceAt(words: readonly QueryNode[], from: number, synonymsOf: SynonymLookup,
  analyzer: TermAnalyzer): Sequence
{
  const forms: string[] = [];
  for (const node of words.slice(from, from + Math.min(synonymsOf.longest, MAX_SEQUENCE))) {
    if (node.kind !== 'term') break;
    forms.push(node.form);
  }
  for (; forms.length > 1; forms.pop()) {
    const synonyms = synonymsOf(forms.join(' '), analyzer).slice(0, MAX_SYNONYMS);
    const [start, end] = [words[from]!.start, words[from + forms.length - 1]!.end];
    if (synonyms.length > 0) return { length: forms.length, forms, synonyms, start, end };
  }
  return { length: 1, forms, synonyms: [], start: 0, end: 0 };
}

/** A synonym of several tokens is a phrase. */
export function leafOf(synonym: string, rest: Pick<TermNode, 'start' | 'end' | 'weight'>): TermNode | PhraseNode {
  const forms = synonym.split(' ');
  return forms.length === 1 ? { kind: 'term', form: synonym, ...rest } : { kind: 'phrase', forms, ...rest };
}
