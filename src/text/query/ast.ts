/** Where a node stands in the query: offsets in bytes of its UTF-8 text, end exclusive. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

/** One form (see `tokenize.ts`); the evaluator makes the term of it. */
export interface TermNode extends SourceRange {
  readonly kind: 'term';
  readonly form: string;
  /** Edits that a match may be away, from `term~N`; absent where the query doesn't say. */
  readonly fuzzy?: 0 | 1 | 2;
  /** Whether edits leave the first character as it is, unless no form matches then. */
  readonly keepsFirst?: boolean;
  /** How often the query has the form, where one node stands for all of them; 1 when absent. Multiplies the score. */
  readonly weight?: number;
  /** Parts of an identifier of source code, of which a document may have some without the whole; in simple mode. */
  readonly parts?: readonly string[];
}

/** Forms at consecutive positions; two or more, unless the quotes held only one. */
export interface PhraseNode extends SourceRange {
  readonly kind: 'phrase';
  readonly forms: readonly string[];
  /** As that of a term, for a phrase that is the synonym of one. */
  readonly weight?: number;
}

/** Forms near one another: `distance` further positions may lie between them (decision D-86). */
export interface ProximityNode extends SourceRange {
  readonly kind: 'proximity';
  readonly forms: readonly string[];
  readonly distance: number;
}

/**
 * A pattern over whole forms: `*` any characters, `?` one inside the word, and one or none at its end (decision D-132); at
 * least one letter or digit besides.
 */
export interface WildcardNode extends SourceRange {
  readonly kind: 'wildcard';
  readonly pattern: string;
  /** Whether only the most frequent forms count, and less than the word would: the pattern is a word that is being typed. */
  readonly completes?: boolean;
}

/**
 * The one way to combine: AND fills `required`, OR `optional`, NOT `excluded`. It matches what all of
 * the required nodes match (or, without any, at least one of the optional ones) and none of the excluded
 * do; the score is the sum of the scores of the required and optional nodes that match. One with nothing
 * but `excluded` matches nothing (decision section 4.4); the parser has lifted those inside a conjunction
 * into it, so that `a AND (NOT b)` is `a` without `b`.
 */
export interface GroupNode extends SourceRange {
  readonly kind: 'group';
  readonly required: readonly QueryNode[];
  readonly optional: readonly QueryNode[];
  /** How many of the optional nodes have to match where nothing is required; one when absent. */
  readonly least?: number;
  readonly excluded: readonly QueryNode[];
}

export type QueryNode = TermNode | PhraseNode | ProximityNode | WildcardNode | GroupNode;

/** The leaves that a match may contain, in order: what is highlighted. Those of excluded nodes are not among them. */
export function wantedNodes(node: QueryNode | undefined): Exclude<QueryNode, GroupNode>[] {
  if (node === undefined) return [];
  return node.kind === 'group' ? [...node.required, ...node.optional].flatMap(wantedNodes) : [node];
}
