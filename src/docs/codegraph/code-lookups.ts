import type { Filter } from '../../search/filter/index.ts';
import type { SortKey } from '../../search/order/index.ts';
import { gathered } from '../../search/parts/index.ts';
import { inList, type Queries, type Row, type SqlValue } from '../../storage/index.ts';
import { type CodeDocument, codeLanguage, type CodeLookups } from '../../text/code/index.ts';
import { type ColumnsView, selectDocuments } from '../columns/index.ts';

interface DocumentRow extends Row {
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  /** Canonical JSON. */
  readonly meta: string;
}

/** Number of values in one statement. */
const CHUNK = 512;

const COLUMNS = 'd.id, d.key, d.lang, d.meta';
const ALIVE = '(d.expires_at IS NULL OR d.expires_at > ?)';

interface LookupDeps {
  readonly queries: Queries;
  readonly columns: Pick<ColumnsView, 'indexOf'>;
}

const BY_KEY: readonly SortKey[] = (['key', 'lang'] as const).map((name) => ({
  column: { kind: 'name', name },
  descending: false,
}));

/**
 * How a walk through a collection finds documents: by their metadata, so that edges need no table of their own.
 * Documents that have expired at `now` are absent.
 */
export function codeLookups({ queries, columns }: LookupDeps,
  collection: { readonly id: number; readonly name: string }, now: number): CodeLookups
{
  const byMeta =
    (name: 'defines' | 'uses' | 'imports') =>
    async (values: readonly string[], exceptKey: string, limit: number): Promise<CodeDocument[]> => {
      const filter: Filter = {
        kind: 'and',
        parts: [{ kind: 'match', field: `meta.${name}`, values }, {
          kind: 'not',
          part: { kind: 'match', field: 'key', values: [exceptKey] },
        }],
      };
      const selected = await selectDocuments(columns, collection.name, { filter, now, needs: { keys: BY_KEY } });
      const page = { keys: BY_KEY, offset: 0, count: limit };
      const sorted = await gathered(() => selected?.columns.sort(selected.documents, page) ?? []);
      return documentsIn(queries, sorted.map(({ ord }) => ord));
    };
  return {
    byDefines: byMeta('defines'),
    byUses: byMeta('uses'),
    byImports: byMeta('imports'),
    byKeys: (keys, exceptKey, limit) =>
      inChunks(keys, limit, (marks, params) =>
        queries.all<DocumentRow>(`SELECT ${COLUMNS} FROM spellings s JOIN documents d ON d.ord = s.ord AND d.key = s.key
       WHERE s.cid = ? AND s.key IN (${marks}) AND d.key <> ? AND ${ALIVE} ORDER BY d.key, d.lang LIMIT ?`, [
          collection.id,
          ...params,
          exceptKey,
          now,
          limit,
        ])),
  };
}

/**
 * The document that a request names: by a spelling of its key that was once written, in the first of several languages.
 */
export async function findRoot(queries: Queries, cid: number, key: string,
  now: number): Promise<CodeDocument | undefined>
{
  const row = await queries.get<DocumentRow>(`SELECT ${COLUMNS} FROM documents d
     WHERE d.ord IN (SELECT ord FROM spellings WHERE cid = ? AND key = ?) AND ${ALIVE} ORDER BY d.key, d.lang LIMIT 1`,
    [cid, key, now]);
  return row && toCodeDocument(row);
}

/** The documents of some ordinals, in their order; removed ones are left out. */
async function documentsIn(queries: Queries, ords: readonly number[]): Promise<CodeDocument[]> {
  const rows = new Map<number, DocumentRow>();
  for (let i = 0; i < ords.length; i += CHUNK) {
    const { marks, params } = inList(ords.slice(i, i + CHUNK));
    const some = await queries.all<DocumentRow & { ord: number }>(
      `SELECT d.ord, ${COLUMNS} FROM documents d WHERE d.ord IN (${marks})`,
      params,
    );
    for (const row of some) rows.set(row.ord, row);
  }
  return ords.flatMap((ord) => rows.get(ord) ?? []).map(toCodeDocument);
}

/** Queries long lists in chunks; the combined results are sorted again. */
async function inChunks(values: readonly string[], limit: number,
  find: (marks: string, params: readonly SqlValue[]) => Promise<DocumentRow[]>): Promise<CodeDocument[]>
{
  const found = new Map<string, DocumentRow>();
  for (let i = 0; i < values.length; i += CHUNK) {
    const { marks, params } = inList(values.slice(i, i + CHUNK));
    for (const row of await find(marks, params)) found.set(row.id, row);
  }
  const rows = [...found.values()];
  if (values.length > CHUNK) rows.sort((a, b) => inBinary(a.key, b.key) || inBinary(a.lang, b.lang));
  return rows.slice(0, limit).map(toCodeDocument);
}

/** The order of text in the database, which is the order of its UTF-8 bytes. */
function inBinary(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function toCodeDocument({ id, key, lang, meta: text }: DocumentRow): CodeDocument {
  const meta = JSON.parse(text) as Record<string, string[]>;
  const { defines = [], uses = [], imports = [] } = meta;
  return { docId: id, key, lang, language: codeLanguage({ key, meta }), defines, uses, imports };
}
