import type { Operations } from '../../../../generated/docs/operations.ts';
import type { InputOf, OutputOf } from '../../../operations/index.ts';
import { fieldByName, nameOfField } from '../view/to-indexed.ts';
import { completePhrases } from './complete-phrases.ts';
import type { SearchDeps } from './search-full-text.ts';

type Input = InputOf<Operations, 'autocomplete'>;
type Output = OutputOf<Operations, 'autocomplete'>;
type Item = Output['items'][number];

/** Maximum number of entries that one call reads (contract section 8). */
const MAX_SCAN = 10_000;
/** Maximum number of characters of a prefix that are used. */
const MAX_PREFIX = 32;

/**
 * `GET /v1/autocomplete` (contract section 4, "Full-text search"): completes words, and for several words phrases and
 * titles.
 */
export async function autocomplete(deps: SearchDeps, { collection, q, field, topN }: Input): Promise<Output> {
  const prefixes = toPrefixes(q);
  const words = prefixes.length === 0 ? [] : complete(deps, collection, prefixes, field, topN);
  const phrases = await completePhrases(deps, {
    collection,
    text: q,
    ...(field !== '' && { field: fieldByName(field) }),
    limit: topN,
  });
  const items = [...words, ...phrases].slice(0, topN);
  return { items, total: items.length, query: q, field };
}

/**
 * Lowercased letters and digits, at most 32. Identifiers of source code have other characters besides, so the possible
 * beginning of one is looked up as well.
 */
function toPrefixes(q: string): string[] {
  const text = q.normalize('NFC').toLowerCase();
  const prefixes = [text.replace(/[^\p{L}\p{N}]/gu, ''), text.trim().replace(/[^\p{L}\p{M}\p{N}_$-]/gu, '')];
  // A hyphen alone begins no identifier, and every word begins with the empty string.
  return prefixes[0] === '' ? [] : [...new Set(prefixes.map((prefix) => [...prefix].slice(0, MAX_PREFIX).join('')))];
}

function complete(deps: SearchDeps, collection: string, prefixes: readonly string[], field: string,
  topN: number): Item[]
{
  const stopWords = deps.dictionaries.stopWordsOf(collection, deps.settings.defaultLang);
  const found = deps.view.indexOf(collection)?.complete({
    prefixes,
    scan: MAX_SCAN,
    limit: topN,
    isStopWord: (form) => stopWords.has(form),
    ...(field !== '' && { field: fieldByName(field) }),
  });
  return (found ?? []).map(({ term, field: of, documents }) => ({
    term,
    field: field || nameOfField(of),
    docCount: documents,
  }));
}
