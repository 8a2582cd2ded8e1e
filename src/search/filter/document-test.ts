import { columnOf } from './columns.ts';
import type { Filter } from './filter.ts';
import { testOf } from './test-condition.ts';

/** The data of a document that filters test. Times are Unix seconds. */
export interface FilteredDocument {
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
      return ({ meta = {} }) => (Object.hasOwn(meta, column.key) ? meta[column.key]! : []);
    case 'name':
      return (document) => [document[column.name].toLowerCase()];
    case 'time':
      return (document) => [document[column.name]].filter((time) => time !== undefined);
  }
}
