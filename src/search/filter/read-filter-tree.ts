import { allOf, BOUNDS, type Bounds, type Condition, type Filter, type FilterValue, invalidFilter,
  MAX_FILTER_DEPTH } from './filter.ts';
import { parseFilter } from './parse-filter.ts';

/** A value in a request; booleans are stored as the texts `true` and `false`. */
type TreeValue = string | number | boolean;

/** A filter in JSON. A node has `text`, `and`, `or`, `not`, or `field` with conditions that must all match. */
export interface FilterNode {
  /** An expression in the grammar of `parseFilter`. */
  readonly text?: string;
  readonly and?: readonly FilterNode[];
  readonly or?: readonly FilterNode[];
  readonly not?: FilterNode;
  readonly field?: string;
  readonly eq?: TreeValue;
  readonly ne?: TreeValue;
  readonly gt?: TreeValue;
  readonly gte?: TreeValue;
  readonly lt?: TreeValue;
  readonly lte?: TreeValue;
  readonly in?: readonly TreeValue[];
  readonly notIn?: readonly TreeValue[];
  readonly startsWith?: string;
  readonly exists?: boolean;
}

const KINDS = ['text', 'and', 'or', 'not', 'field'] as const;
const CONDITIONS = ['eq', 'ne', ...BOUNDS, 'in', 'notIn', 'startsWith', 'exists'] as const;
const KNOWN: ReadonlySet<string> = new Set([...KINDS, ...CONDITIONS]);

/** Reads a tree whose fields have the right types. Throws `invalid_argument` with the position of the error. */
export function readFilterTree(node: FilterNode, place = 'filter', depth = 0): Filter {
  if (depth > MAX_FILTER_DEPTH) throw invalidFilter(`must not be nested deeper than ${MAX_FILTER_DEPTH} levels`, place);
  const unknown = Object.keys(node).find((name) => !KNOWN.has(name));
  if (unknown !== undefined)
    throw invalidFilter(`must not have the field ${unknown.slice(0, 80)}; a node has one of ${KINDS.join(', ')}`,
      place);
  const kinds = KINDS.filter((kind) => node[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1)
    throw invalidFilter(`must have exactly one of ${KINDS.join(', ')}, got ${kinds.join(' and ') || 'none'}`, place);
  if (kind === 'field') return conditionOf(node.field!, node, place);
  const stray = CONDITIONS.find((name) => node[name] !== undefined);
  if (stray !== undefined) throw invalidFilter(`must have ${stray} beside field, not beside ${kind}`, place);
  if (kind === 'text') return parseFilter(node.text!, place === 'filter' ? place : `${place}.text`, depth);
  if (kind === 'not') return { kind, part: readFilterTree(node.not!, `${place}.not`, depth + 1) };
  if (node[kind]!.length === 0) throw invalidFilter('must not be empty', `${place}.${kind}`);
  const parts = node[kind]!.map((part, i) => readFilterTree(part, `${place}.${kind}[${i}]`, depth + 1));
  return parts.length === 1 ? parts[0]! : { kind, parts };
}

/** All bounds together form one condition, which a single value must satisfy; every other operator forms its own. */
function conditionOf(field: string, node: FilterNode, place: string): Filter {
  const bounds = Object.fromEntries(
    BOUNDS.flatMap((name) => (node[name] === undefined ? [] : [[name, toValue(node[name])]])),
  ) as Bounds;
  const match = (values: readonly TreeValue[]): Condition => ({ kind: 'match', field, values: values.map(toValue) });
  const parts: Filter[] = [];
  if (node.eq !== undefined) parts.push(match([node.eq]));
  if (node.ne !== undefined) parts.push({ kind: 'not', part: match([node.ne]) });
  if (Object.keys(bounds).length > 0) parts.push({ kind: 'range', field, bounds });
  if (node.in !== undefined) parts.push(match(node.in));
  if (node.notIn !== undefined) parts.push({ kind: 'not', part: match(node.notIn) });
  if (node.startsWith !== undefined) parts.push({ kind: 'prefix', field, prefix: node.startsWith });
  if (node.exists !== undefined)
    parts.push(node.exists ? { kind: 'exists', field } : { kind: 'not', part: { kind: 'exists', field } });
  if (parts.length === 0)
    throw invalidFilter(`must have a condition beside field: one of ${CONDITIONS.join(', ')}`, place);
  return allOf(parts);
}

function toValue(value: TreeValue): FilterValue {
  return typeof value === 'boolean' ? String(value) : value;
}
