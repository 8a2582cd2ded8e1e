import { composed } from './composed.ts';
import { type Bounds, columnOf, compareValues, type Condition, conditionsOf, type Filter, type FilterValue,
  invalidFilter, isMoment, isWithin, toNumber } from './filter.ts';

/** Tests whether one stored value of a condition's field satisfies the condition. */
type ValueTest = (value: string | number) => boolean;

/** Returns the test of a condition. Times are Unix seconds; names must be passed in lower case. */
export function testOf(condition: Condition): ValueTest {
  const { kind } = columnOf(condition.field);
  const isName = kind === 'name';
  switch (condition.kind) {
    case 'exists':
      return () => true;
    case 'prefix':
      return startingWith(isName ? condition.prefix.toLowerCase() : condition.prefix);
    case 'range':
      return within(isName ? lowerBounds(condition.bounds) : condition.bounds);
    case 'match':
      return kind === 'time'
        ? atMoments(condition.values)
        : equalTo(isName ? lowerTexts(condition.values) : condition.values);
  }
}

/** Throws on times compared with a prefix, or with a value that is neither a number nor a date. */
export function checkMoments(filter: Filter): void {
  for (const condition of conditionsOf(filter)) {
    const { field } = condition;
    if (columnOf(field).kind !== 'time') continue;
    if (condition.kind === 'prefix')
      throw invalidFilter(`must not compare the time ${field} with the beginning of a text`);
    const operands = condition.kind === 'match'
      ? condition.values
      : condition.kind === 'range'
      ? Object.values(condition.bounds)
      : [];
    const wrong = operands.find((operand) => !isMoment(operand));
    if (wrong !== undefined)
      throw invalidFilter(`must compare ${field} with a Unix time or an ISO 8601 date, got "${wrong}"`);
  }
}

function startingWith(prefix: string): ValueTest {
  return (value) => String(value).startsWith(prefix);
}

function within(bounds: Bounds): ValueTest {
  return (value) => isWithin(value, bounds);
}

function lowerBounds(bounds: Bounds): Bounds {
  return Object.fromEntries(
    Object.entries(bounds).map(([name, bound]) => [name, typeof bound === 'string' ? bound.toLowerCase() : bound]),
  );
}

function lowerTexts(values: readonly FilterValue[]): string[] {
  return values.map((value) => String(value).toLowerCase());
}

function atMoments(moments: readonly FilterValue[]): ValueTest {
  return (value) => moments.some((moment) => compareValues(value, moment) === 0);
}

function equalTo(values: readonly FilterValue[]): ValueTest {
  const texts = new Set(values.filter((value) => typeof value === 'string'));
  const numbers = new Set(values.filter((value) => typeof value === 'number'));
  return (value) => texts.has(String(value)) || (numbers.size > 0 && numbers.has(toNumber(value)!));
}

/** The data of a document that filters test. Times are Unix seconds. */
interface FilteredDocument {
  readonly key: string;
  readonly lang: string;
  readonly addedAt: number;
  readonly updatedAt: number;
  readonly expiresAt?: number | undefined;
  readonly meta?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Tests one document against a filter, with the same result as the columns, which test all documents. */
export function documentTest(filter: Filter): (document: FilteredDocument) => boolean {
  switch (filter.kind) {
    case 'and': {
      const tests = filter.parts.map(documentTest);
      return (document) => tests.every((test) => test(document));
    }
    case 'or': {
      const tests = filter.parts.map(documentTest);
      return (document) => tests.some((test) => test(document));
    }
    case 'not': {
      const test = documentTest(filter.part);
      return (document) => !test(document);
    }
    default: {
      const test = testOf(filter);
      const valuesOf = valuesFor(filter.field);
      return (document) => valuesOf(document).some(test);
    }
  }
}

function valuesFor(field: string): (document: FilteredDocument) => readonly (string | number)[] {
  const column = columnOf(field);
  switch (column.kind) {
    case 'meta':
      return ({ meta = {} }) => (Object.hasOwn(meta, column.key) ? meta[column.key]!.map(composed) : []);
    case 'name':
      return (document) => [document[column.name].toLowerCase()];
    case 'time':
      return (document) => [document[column.name]].filter((time) => time !== undefined);
  }
}
