import type { Operations } from '../../../../generated/docs/operations.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { InputOf, OutputOf } from '../../../operations/index.ts';
import { foldDiacritics } from '../../../text/folding.ts';
import { formsOf } from '../../../text/tokenize.ts';
import { FIELDS } from '../view/text-index.ts';
import { fieldByName } from '../view/to-indexed.ts';
import { queriesFor, type CollectionRow } from './eligible-documents.ts';
import type { SearchDeps } from './search-full-text.ts';

type Input = InputOf<Operations, 'autocomplete'>;
type Output = OutputOf<Operations, 'autocomplete'>;
type Item = Output['items'][number];

/** Entries that one call reads (contract section 8). */
const MAX_SCAN = 10_000;
/** Characters of the prefix that count. */
const MAX_PREFIX = 32;

/** `GET /v1/autocomplete` (contract section 4, "Full-text search"; decision D-92). */
export async function autocomplete(deps: SearchDeps, { collection, q, field, topN }: Input): Promise<Output> {
  const prefix = toPrefix(q);
  const items = prefix === '' ? [] : await complete(deps, collection, prefix, field, topN);
  return { items, total: items.length, query: q, field };
}

/** Lowercased letters and digits, and no more than 32 of them. */
function toPrefix(q: string): string {
  return [...q.normalize('NFC').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')].slice(0, MAX_PREFIX).join('');
}

async function complete(deps: SearchDeps, collection: string, prefix: string, field: string, topN: number): Promise<Item[]> {
  const stopWords = deps.dictionaries.stopWordsOf(collection, deps.settings.defaultLang);
  const number = field === '' ? undefined : fieldByName(field);
  const index = deps.view.indexOf(collection);
  if (index === undefined) return [];
  if (field !== '' && number === undefined) return completeMeta(deps, collection, prefix, field, topN);
  const found = index.complete({ prefix, scan: MAX_SCAN, limit: topN, isStopWord: (form) => stopWords.has(form), ...(number !== undefined && { field: number }) });
  return found.map(({ term, field: of, documents }) => ({ term, field: field || nameOf(of), docCount: documents }));
}

/** All metadata without a field of its own is `meta`. */
function nameOf(field: number): string {
  return field === FIELDS.length - 1 ? 'meta' : FIELDS[field]!;
}

/** The words of a metadata key that has no field of its own in the index: its values are read instead. */
async function completeMeta({ sql, clock }: SearchDeps, name: string, prefix: string, field: string, topN: number): Promise<Item[]> {
  const collection = await sql.get<CollectionRow>('SELECT id, docs FROM collections WHERE name = ?', [name.toLowerCase()]);
  if (collection === undefined) return [];
  const rows = await queriesFor(sql, collection).all<{ v: string; ord: number }>(
    `SELECT v, ord FROM doc_meta WHERE cid = ? AND k = ? AND ord NOT IN (SELECT ord FROM documents WHERE expires_at <= ?) LIMIT ${MAX_SCAN}`,
    [collection.id, field.replace(/^meta\./, ''), unixSeconds(clock)],
  );
  const documents = new Map<string, Set<number>>();
  for (const { v, ord } of rows) {
    for (const form of formsOf(v)) {
      if (!foldDiacritics(form).startsWith(foldDiacritics(prefix))) continue;
      documents.set(form, (documents.get(form) ?? new Set()).add(ord));
    }
  }
  const items = [...documents].map(([term, ords]) => ({ term, field, docCount: ords.size }));
  return items.sort((a, b) => b.docCount - a.docCount || (a.term < b.term ? -1 : 1)).slice(0, topN);
}
