import { nameOfWord, type Query, type WeightedForm } from './query.ts';

/** The terms of a query, each once; words of phrases are terms. */
export interface Terms {
  readonly forms: readonly (readonly WeightedForm[])[];
  /** The place of a list of forms of the query among them. */
  readonly places: ReadonlyMap<readonly WeightedForm[], number>;
}

/** Longer lists of forms, such as those of patterns, are not compared. */
const COMPARED_FORMS = 64;

export function termsOf(query: Query): Terms {
  const forms: (readonly WeightedForm[])[] = [];
  const places = new Map<readonly WeightedForm[], number>();
  const named = new Map<string, number>();
  const add = (list: readonly WeightedForm[]): void => {
    if (places.has(list)) return;
    const name = list.length > COMPARED_FORMS ? undefined : list.map(({ id, weight = 1 }) => `${id}:${weight}`).join();
    const known = name === undefined ? undefined : named.get(name);
    const place = known ?? forms.push(list) - 1;
    places.set(list, place);
    if (name !== undefined) named.set(name, place);
  };
  const collect = (node: Query): void => {
    if (node.kind === 'term') add(node.forms);
    else if (node.kind === 'phrase') { for (const word of node.words) add(word.forms); }
    else if (node.kind === 'not') collect(node.of);
    else if ('of' in node) { for (const operand of node.of) collect(operand); }
  };
  collect(query);
  return { forms, places };
}

/** What a term is in one of several indexes. */
export interface TermInPart {
  /** Those of its forms that the index has, by the numbers of the index. */
  readonly forms: readonly WeightedForm[];
  /** Number of live documents with the term in all indexes; absent if the term has it already. */
  readonly documents?: number;
}

/** A query for one of several indexes, given what the terms of the query are there. */
export function queryInPart(query: Query, termOf: (forms: readonly WeightedForm[]) => TermInPart): Query {
  switch (query.kind) {
    case 'term':
      return { ...query, ...termOf(query.forms) };
    case 'phrase':
      return {
        ...query,
        words: query.words.map((word) => ({
          ...word,
          ...termOf(word.forms),
          name: word.name ?? nameOfWord(word.forms),
        })),
      };
    case 'not':
      return { kind: 'not', of: queryInPart(query.of, termOf) };
    case 'and':
    case 'or':
    case 'best':
      return { kind: query.kind, of: query.of.map((operand) => queryInPart(operand, termOf)) };
    case 'some':
      return { ...query, of: query.of.map((operand) => queryInPart(operand, termOf)) };
    case 'all':
    case 'none':
      return query;
  }
}
