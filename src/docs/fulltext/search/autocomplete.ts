import type { Operations } from '../../../../generated/docs/operations.ts';
import type { InputOf, OutputOf } from '../../../operations/index.ts';
import { fieldByName, nameOfField } from '../view/to-indexed.ts';
import type { SearchDeps } from './search-full-text.ts';

type Input = InputOf<Operations, 'autocomplete'>;
type Output = OutputOf<Operations, 'autocomplete'>;
type Item = Output['items'][number];

/** Entries that one call reads (contract section 8). */
const MAX_SCAN = 10_000;
/** Characters of the prefix that count. */
const MAX_PREFIX = 32;

/** `GET /v1/autocomplete` (contract section 4, "Full-text search"; decision D-92). */
export function autocomplete(deps: SearchDeps, { collection, q, field, topN }: Input): Output {
  const prefix = toPrefix(q);
  const items = prefix === '' ? [] : complete(deps, collection, prefix, field, topN);
  return { items, total: items.length, query: q, field };
}

/** Lowercased letters and digits, and no more than 32 of them. */
function toPrefix(q: string): string {
  return [...q.normalize('NFC').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')].slice(0, MAX_PREFIX).join('');
}

function complete(deps: SearchDeps, collection: string, prefix: string, field: string, topN: number): Item[] {
  const stopWords = deps.dictionaries.stopWordsOf(collection, deps.settings.defaultLang);
  const found = deps.view.indexOf(collection)?.complete({
    prefix, scan: MAX_SCAN, limit: topN, isStopWord: (form) => stopWords.has(form), ...(field !== '' && { field: fieldByName(field) }),
  });
  return (found ?? []).map(({ term, field: of, documents }) => ({ term, field: field || nameOfField(of), docCount: documents }));
}
