import type { Query, WeightedForm } from './query.ts';

/** The terms of a query: lists of forms, each once, by their identity. Words of phrases are terms. */
export function termsOf(query: Query): (readonly WeightedForm[])[] {
  const terms = new Set<readonly WeightedForm[]>();
  const collect = (node: Query): void => {
    if (node.kind === 'term') terms.add(node.forms);
    else if (node.kind === 'phrase') { for (const { forms } of node.words) terms.add(forms); }
    else if (node.kind === 'not') collect(node.of);
    else if ('of' in node) { for (const operand of node.of) collect(operand); }
  };
  collect(query);
  return [...terms];
}

/** What a term is in one of several indexes. */
export interface TermInPart {
  /** Those of its forms that the index has, by the numbers of the index. */
  readonly forms: readonly WeightedForm[];
  /** Number of live documents with the term in all indexes. */
  readonly documents: number;
}

/** A query for one of several indexes, given what the terms of the query are there. */
export function queryInPart(query: Query, terms: ReadonlyMap<readonly WeightedForm[], TermInPart>): Query {
  switch (query.kind) {
    case 'term':
      return { ...query, ...terms.get(query.forms)! };
    case 'phrase':
      return { ...query, words: query.words.map((word) => ({ ...word, ...terms.get(word.forms)! })) };
    case 'not':
      return { kind: 'not', of: queryInPart(query.of, terms) };
    case 'and':
    case 'or':
    case 'best':
      return { kind: query.kind, of: query.of.map((operand) => queryInPart(operand, terms)) };
    case 'some':
      return { ...query, of: query.of.map((operand) => queryInPart(operand, terms)) };
    case 'all':
    case 'none':
      return query;
  }
}
