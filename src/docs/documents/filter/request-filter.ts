import { allOf, checkFilterSize, checkMoments, parseFilter, readFilterTree, type Filter, type FilterNode } from '../../../search/filter/index.ts';

/** What a request says beside `filterMeta` of the documents that it is about. */
export interface FilterInput {
  readonly filter?: string | FilterNode | undefined;
  readonly langs?: readonly string[] | undefined;
}

/** `filter` and `langs` as one expression, undefined without either. Throws `invalid_argument` for what a schema cannot see. */
export function readFilter({ filter, langs = [] }: FilterInput): Filter | undefined {
  const parts: Filter[] = [];
  if (filter !== undefined) parts.push(typeof filter === 'string' ? parseFilter(filter) : readFilterTree(filter));
  for (const part of parts) {
    checkFilterSize(part);
    checkMoments(part);
  }
  if (langs.length > 0) parts.push({ kind: 'match', field: 'lang', values: langs });
  return parts.length === 0 ? undefined : allOf(parts);
}
