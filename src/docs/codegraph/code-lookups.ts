import type { Queries, Row, SqlValue } from '../../storage/index.ts';
import { codeLanguage, type CodeDocument, type CodeLookups } from '../../text/code/index.ts';

interface DocumentRow extends Row {
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  /** Canonical JSON. */
  readonly meta: string;
}

/** Values looked up by one statement. */
const CHUNK = 512;

const COLUMNS = 'd.id, d.key, d.lang, d.meta';
const ALIVE = '(d.expires_at IS NULL OR d.expires_at > ?)';

/**
 * Where a walk through a collection finds documents: by their metadata as they are stored, so that
 * edges need no table of their own. What has expired at `now` is absent.
 */
export function codeLookups(queries: Queries, cid: number, now: number): CodeLookups {
  const byMeta = (name: 'defines' | 'uses' | 'imports') => (values: readonly string[], exceptKey: string, limit: number) =>
    inChunks(values, limit, (marks, params) => queries.all<DocumentRow>(
      `SELECT ${COLUMNS} FROM documents d
       WHERE d.ord IN (SELECT ord FROM doc_meta WHERE cid = ? AND k = ? AND v IN (${marks})) AND d.key <> ? AND ${ALIVE}
       ORDER BY d.key, d.lang LIMIT ?`,
      [cid, name, ...params, exceptKey, now, limit],
    ));
  return {
    byDefines: byMeta('defines'),
    byUses: byMeta('uses'),
    byImports: byMeta('imports'),
    byKeys: (keys, exceptKey, limit) => inChunks(keys, limit, (marks, params) => queries.all<DocumentRow>(
      `SELECT ${COLUMNS} FROM documents d WHERE d.cid = ? AND d.key IN (${marks}) AND d.key <> ? AND ${ALIVE} ORDER BY d.key, d.lang LIMIT ?`,
      [cid, ...params, exceptKey, now, limit],
    )),
  };
}

/** The document that a request names: its key in a spelling that was once written, the first language of several. */
export async function findRoot(queries: Queries, cid: number, key: string, now: number): Promise<CodeDocument | undefined> {
  const row = await queries.get<DocumentRow>(
    `SELECT ${COLUMNS} FROM documents d
     WHERE d.ord IN (SELECT ord FROM spellings WHERE cid = ? AND key = ?) AND ${ALIVE} ORDER BY d.key, d.lang LIMIT 1`,
    [cid, key, now],
  );
  return row && toCodeDocument(row);
}

/** Asks for long lists piece by piece; what several pieces find is put in order again. */
async function inChunks(
  values: readonly string[], limit: number, find: (marks: string, params: readonly SqlValue[]) => Promise<DocumentRow[]>,
): Promise<CodeDocument[]> {
  const found = new Map<string, DocumentRow>();
  for (let i = 0; i < values.length; i += CHUNK) {
    const params = padded(values.slice(i, i + CHUNK));
    for (const row of await find(params.map(() => '?').join(', '), params)) found.set(row.id, row);
  }
  const rows = [...found.values()];
  if (values.length > CHUNK) rows.sort((a, b) => inBinary(a.key, b.key) || inBinary(a.lang, b.lang));
  return rows.slice(0, limit).map(toCodeDocument);
}

/** Filled up with repeats to a power of two, so that few prepared statements serve all lengths. */
function padded(values: readonly string[]): string[] {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array<string>(size - values.length).fill(values[0]!)];
}

/** The database's order of text, which is that of UTF-8 bytes. */
function inBinary(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function toCodeDocument({ id, key, lang, meta: text }: DocumentRow): CodeDocument {
  const meta = JSON.parse(text) as Record<string, string[]>;
  const { defines = [], uses = [], imports = [] } = meta;
  return { docId: id, key, lang, language: codeLanguage({ key, meta }), defines, uses, imports };
}
