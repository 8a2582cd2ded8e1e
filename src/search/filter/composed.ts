import type { Bounds, Condition, Filter, FilterValue } from './filter.ts';

type Meta = Readonly<Record<string, readonly string[]>>;

/** Metadata with all values composed (Unicode's form NFC), in which they are compared; names of keys stay. */
export function composedMeta(meta: Meta): Meta {
  if (Object.values(meta).every((values) => values.every((value) => composed(value) === value))) return meta;
  return Object.fromEntries(Object.entries(meta).map(([key, values]) => [key, values.map(composed)]));
}

/** A filter whose values are composed, as those of documents are. */
export function composedFilter(filter: Filter): Filter {
  if ('parts' in filter) return { ...filter, parts: filter.parts.map(composedFilter) };
  return filter.kind === 'not' ? { ...filter, part: composedFilter(filter.part) } : composedCondition(filter);
}

function composedCondition(condition: Condition): Condition {
  switch (condition.kind) {
    case 'exists':
      return condition;
    case 'prefix':
      return { ...condition, prefix: composed(condition.prefix) };
    case 'range':
      return {
        ...condition,
        bounds: Object.fromEntries(
          Object.entries(condition.bounds).map(([name, bound]) => [name, composed(bound)]),
        ) as Bounds,
      };
    case 'match':
      return { ...condition, values: condition.values.map(composed) };
  }
}

/** A text in Unicode's form NFC; a number stays. */
export function composed<T extends FilterValue>(value: T): T {
  return (typeof value === 'string' ? value.normalize('NFC') : value) as T;
}
