/** The position of a node in the query: byte offsets in its UTF-8 text, end exclusive. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

/** One form (see `tokenize.ts`); the evaluator determines its term. */
export interface TermNode extends SourceRange {
  readonly kind: 'term';
  readonly form: string;
  /** Maximum edit distance of a match, from `term~N`; absent if the query does not specify it. */
  readonly fuzzy?: 0 | 1 | 2;
  /** Whether the first character must match exactly, unless no form matches then; a swap with the next is a match. */
  readonly keepsFirst?: boolean;
  /** Whether the term may be the misspelt beginning of a word, if no word begins with it. */
  readonly begins?: boolean;
  /**
   * Frequency of the form in the query, if one node stands for all its occurrences; 1 if absent. Multiplies the score.
   */
  readonly weight?: number;
  /** Whether it matches the word as a part of compounds, and counts the word itself among them. */
  readonly inCompounds?: true;
  /** Parts of a source code identifier; a document may contain some of them without the whole; in simple mode. */
  readonly parts?: readonly string[];
}

/** Forms at consecutive positions: two or more, or one if the quotes contained only one. */
export interface PhraseNode extends SourceRange {
  readonly kind: 'phrase';
  readonly forms: readonly string[];
  /** The same as `weight` of a term, for a phrase that is a synonym of a term. */
  readonly weight?: number;
}

/** Forms near one another: up to `distance` other positions may be between them. */
export interface ProximityNode extends SourceRange {
  readonly kind: 'proximity';
  readonly forms: readonly string[];
  readonly distance: number;
  /** The same as `weight` of a term, for words near each other that are another spelling of a term. */
  readonly weight?: number;
}

/**
 * A pattern for whole forms: `*` matches any characters, `?` one character inside the word, and one or none at its end;
 * it contains at least one letter or digit.
 */
export interface WildcardNode extends SourceRange {
  readonly kind: 'wildcard';
  readonly pattern: string;
  /**
   * Whether only the most frequent forms count, with a lower weight than the word itself: the pattern is a word that is
   * being typed.
   */
  readonly completes?: boolean;
}

/**
 * The only combination: AND fills `required`, OR `optional`, NOT `excluded`. A document matches if all required nodes
 * match (or, without required nodes, at least one optional node) and no excluded node does; its score is the sum of the
 * scores of the required and optional nodes that match. A group that has only `excluded` nodes matches nothing
 * (decision section 4.4); inside a conjunction, the parser has merged it into the conjunction, so that `a AND (NOT b)`
 * is `a` without `b`.
 */
export interface GroupNode extends SourceRange {
  readonly kind: 'group';
  readonly required: readonly QueryNode[];
  readonly optional: readonly QueryNode[];
  /** Minimum number of optional nodes that must match if there are no required nodes; 1 if absent. */
  readonly least?: number;
  readonly excluded: readonly QueryNode[];
}

export type QueryNode = TermNode | PhraseNode | ProximityNode | WildcardNode | GroupNode;

/** Whether a term also matches forms that are spelled otherwise. */
export function isLoose({ fuzzy = 0 }: TermNode): boolean {
  return fuzzy > 0;
}

/** The leaves that a match may contain, in order, for highlighting; leaves of excluded nodes are not included. */
export function wantedNodes(node: QueryNode | undefined): Exclude<QueryNode, GroupNode>[] {
  if (node === undefined) return [];
  return node.kind === 'group' ? [...node.required, ...node.optional].flatMap(wantedNodes) : [node];
}

/** Whether a query excludes a word that it also wants: `java -jar app.jar`. */
export function isContradictory(root: QueryNode | undefined): boolean {
  if (root?.kind !== 'group') return false;
  const excluded = new Set(root.excluded.flatMap((node) => (node.kind === 'term' ? [node.form] : [])));
  if (excluded.size === 0) return false;
  return wantedNodes(root).some((node) =>
    (node.kind === 'term' ? [node.form] : node.kind === 'wildcard' ? [] : node.forms).some((form) => excluded.has(form))
  );
}

/**
 * Prints a query so that it is parsed, in boolean mode, into the same tree except for source ranges: for explanations,
 * logs and tests. An undefined node is printed as the empty query.
 */
export function printQuery(node: QueryNode | undefined): string {
  if (node === undefined) return '';
  return node.kind === 'group' ? printClauses(node) : printNode(node);
}

function printNode(node: QueryNode): string {
  switch (node.kind) {
    case 'term':
      return node.fuzzy === undefined ? node.form : `${node.form}~${node.fuzzy}`;
    case 'phrase':
      return `"${node.forms.join(' ')}"`;
    case 'proximity':
      return `"${node.forms.join(' ')}"~${node.distance}`;
    case 'wildcard':
      return node.pattern;
    case 'group':
      return `(${printClauses(node)})`;
  }
}

function printClauses({ required, optional, excluded }: GroupNode): string {
  return [...required.map((child) => `+${printNode(child)}`), ...optional.map(printNode),
    ...excluded.map((child) => `-${printNode(child)}`)].join(' ');
}

/**
 * The algebra of groups. A negation is a group that has only `excluded` nodes. These functions move negations outward,
 * to a group from which they can be subtracted, and unwrap groups that are not needed. Undefined stands for an operand
 * without any token ("!!!"), which is ignored.
 */
type Operand = QueryNode | undefined;

/** All of the operands; negations among them are subtracted. */
export function allOf(operands: readonly Operand[], range: SourceRange): Operand {
  return combine(operands, [], range);
}

/**
 * At least one of the operands. A negation beside other operands is ignored, because it can only subtract; if all
 * operands are negations, the result excludes the documents that all of them exclude.
 */
export function anyOf(operands: readonly Operand[], range: SourceRange): Operand {
  const present = operands.filter((node) => node !== undefined);
  const positive = present.filter((node) => !isNegation(node));
  if (positive.length > 0 || present.length === 0) return combine([], positive, range);
  return not(allOf(present.map((node) => not(node, range)), range), range);
}

/** The negation of the operand; the negation of a negation is the operand that it excludes. */
export function not(operand: Operand, range: SourceRange): Operand {
  if (operand === undefined) return undefined;
  if (isNegation(operand)) return anyOf(operand.excluded, range);
  return { kind: 'group', required: [], optional: [], excluded: [operand], start: range.start, end: range.end };
}

/**
 * The required operands, and the optional ones as additions to the score; if nothing is required, at least one optional
 * operand must match.
 */
export function combine(required: readonly Operand[], optional: readonly Operand[],
  { start, end }: SourceRange): Operand
{
  const group = { required: [] as QueryNode[], optional: [] as QueryNode[], excluded: [] as QueryNode[] };
  for (const node of required) {
    if (node === undefined) continue;
    if (isNegation(node)) group.excluded.push(...node.excluded);
    else group.required.push(node);
  }
  for (const node of optional) if (node !== undefined && !isNegation(node)) group.optional.push(node);
  // A single optional operand becomes required.
  if (group.required.length === 0 && group.optional.length === 1) group.required.push(group.optional.pop()!);
  const [only] = group.required;
  const size = group.required.length + group.optional.length + group.excluded.length;
  return size === 0 ? undefined : size === 1 && only !== undefined ? only : { kind: 'group', ...group, start, end };
}

function isNegation(node: QueryNode): node is GroupNode {
  return node.kind === 'group' && node.required.length === 0 && node.optional.length === 0;
}
