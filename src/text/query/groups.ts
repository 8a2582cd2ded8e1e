import type { GroupNode, QueryNode, SourceRange } from './ast.ts';

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
