import type { GroupNode, QueryNode, SourceRange } from './ast.ts';

/**
 * The algebra of groups. A negation is a group with nothing but `excluded`; these functions carry it
 * outward to where something stands that it can be taken from, and unpack what needs no group.
 * Undefined stands for an operand without a single token ("!!!"), which counts for nothing.
 */
type Operand = QueryNode | undefined;

/** All of the operands; negations among them subtract. */
export function allOf(operands: readonly Operand[], range: SourceRange): Operand {
  return combine(operands, [], range);
}

/**
 * At least one of the operands. A negation beside others adds nothing, since it only subtracts; when all
 * are negations, the result is the negation of all that they exclude together.
 */
export function anyOf(operands: readonly Operand[], range: SourceRange): Operand {
  const present = operands.filter((node) => node !== undefined);
  const positive = present.filter((node) => !isNegation(node));
  if (positive.length > 0 || present.length === 0) return combine([], positive, range);
  return not(allOf(present.map((node) => not(node, range)), range), range);
}

/** Without the operand; a negation of a negation is what it excludes. */
export function not(operand: Operand, range: SourceRange): Operand {
  if (operand === undefined) return undefined;
  if (isNegation(operand)) return anyOf(operand.excluded, range);
  return { kind: 'group', required: [], optional: [], excluded: [operand], start: range.start, end: range.end };
}

/** The required operands, and the optional ones as additions to the score; or one of these, if nothing is required. */
export function combine(required: readonly Operand[], optional: readonly Operand[], { start, end }: SourceRange): Operand {
  const group = { required: [] as QueryNode[], optional: [] as QueryNode[], excluded: [] as QueryNode[] };
  for (const node of required) {
    if (node === undefined) continue;
    if (isNegation(node)) group.excluded.push(...node.excluded);
    else group.required.push(node);
  }
  for (const node of optional) if (node !== undefined && !isNegation(node)) group.optional.push(node);
  // One that would be the only optional one is required.
  if (group.required.length === 0 && group.optional.length === 1) group.required.push(group.optional.pop()!);
  const [only] = group.required;
  const size = group.required.length + group.optional.length + group.excluded.length;
  return size === 0 ? undefined : size === 1 && only !== undefined ? only : { kind: 'group', ...group, start, end };
}

function isNegation(node: QueryNode): node is GroupNode {
  return node.kind === 'group' && node.required.length === 0 && node.optional.length === 0;
}
