import fc from 'fast-check';
import { columnOf, type Condition, type Filter, type FilterValue } from './filter.ts';
import type { FilterNode } from './read-filter-tree.ts';
import { testOf } from './test-condition.ts';

/** A document as filters see it. */
export interface Filtered {
  readonly key: string;
  readonly lang: string;
  readonly addedAt: number;
  readonly updatedAt: number;
  readonly expiresAt?: number | undefined;
  readonly meta: Readonly<Record<string, readonly string[]>>;
}

/** Reference implementation of the language, which tests one document at a time. */
export function matches(filter: Filter, document: Filtered): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, document));
    case 'or':
      return filter.parts.some((part) => matches(part, document));
    case 'not':
      return !matches(filter.part, document);
    default:
      return valuesOf(filter, document).some(testOf(filter));
  }
}

function valuesOf({ field }: Condition, document: Filtered): readonly (string | number)[] {
  const column = columnOf(field);
  if (column.kind === 'meta') return Object.hasOwn(document.meta, column.key) ? document.meta[column.key]! : [];
  if (column.kind === 'name') return [document[column.name].toLowerCase()];
  return [document[column.name]].filter((time) => time !== undefined);
}

/** Prints a filter in the grammar; throws on filters that the grammar cannot express. */
export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.map((
        part,
      ) => (part.kind === 'and' || part.kind === 'or' ? `(${printFilter(part)})` : printFilter(part))).join(
        ` ${filter.kind.toUpperCase()} `,
      );
    case 'not':
      return `NOT (${printFilter(filter.part)})`;
    case 'exists':
      return `${quoted(filter.field)} EXISTS`;
    case 'prefix':
      return `${quoted(filter.field)} STARTS WITH ${quoted(filter.prefix)}`;
    case 'match':
      return filter.values.length === 1
        ? `${quoted(filter.field)} = ${printValue(filter.values[0]!)}`
        : `${quoted(filter.field)} IN [${filter.values.map(printValue).join(', ')}]`;
    case 'range':
      return printRange(filter);
  }
}

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function printRange({ field, bounds }: Extract<Filter, { kind: 'range' }>): string {
  const names = Object.keys(bounds) as (keyof typeof OPERATORS)[];
  if (names.length === 1) return `${quoted(field)} ${OPERATORS[names[0]!]} ${printValue(bounds[names[0]!]!)}`;
  if (names.length !== 2 || bounds.gte === undefined || bounds.lte === undefined)
    throw new Error('the grammar has no such range');
  return `${quoted(field)} ${printValue(bounds.gte)} TO ${printValue(bounds.lte)}`;
}

function printValue(value: FilterValue): string {
  return typeof value === 'number' ? String(value) : quoted(value);
}

const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/** Writes a filter as a tree. */
export function toTree(filter: Filter): FilterNode {
  switch (filter.kind) {
    case 'and':
      return { and: filter.parts.map(toTree) };
    case 'or':
      return { or: filter.parts.map(toTree) };
    case 'not':
      return { not: toTree(filter.part) };
    case 'exists':
      return { field: filter.field, exists: true };
    case 'prefix':
      return { field: filter.field, startsWith: filter.prefix };
    case 'match':
      return filter.values.length === 1
        ? { field: filter.field, eq: filter.values[0]! }
        : { field: filter.field, in: filter.values };
    case 'range':
      return { field: filter.field, ...filter.bounds };
  }
}

/** Arbitrary filters over some fields and values. `anyBounds` includes ranges that the grammar cannot express. */
export function filtersOver(fields: fc.Arbitrary<string>, values: fc.Arbitrary<FilterValue>,
  anyBounds = false): fc.Arbitrary<Filter>
{
  const bound = fc.constantFrom('gt', 'gte', 'lt', 'lte');
  const bounds = fc.oneof(fc.tuple(bound, values).map(([name, value]) => ({ [name]: value })),
    fc.record({ gte: values, lte: values }),
    ...(anyBounds ? [fc.dictionary(bound, values, { minKeys: 1, noNullPrototype: true })] : []));
  const condition: fc.Arbitrary<Filter> = fc.oneof(fc.record({
    kind: fc.constant('match' as const),
    field: fields,
    values: fc.array(values, { minLength: 1, maxLength: 4 }),
  }), fc.record({ kind: fc.constant('range' as const), field: fields, bounds }),
    fc.record({ kind: fc.constant('prefix' as const), field: fields, prefix: values.map(String) }),
    fc.record({ kind: fc.constant('exists' as const), field: fields }));
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof({ depthSize: 'small', maxDepth: 6, withCrossShrink: true }, condition, fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('filter'), { minLength: 2, maxLength: 4 }),
    }), fc.record({ kind: fc.constant('not' as const), part: tie('filter') })),
  })).filter;
}
