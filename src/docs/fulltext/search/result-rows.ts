import type { Queries } from '../../../storage/index.ts';
import { type ContentOptions, ContentReader, type ResultRow, WITHOUT_CONTENT } from '../../documents/index.ts';

export interface ReadOptions extends ContentOptions {
  /** Documents whose contents are read, the most important first; all when absent. */
  readonly contentsOf?: readonly number[];
}

/** Maximum number of rows in one statement. */
const STEP = 256;

/** Rows by ordinal, in the requested order; deleted documents are left out. */
export async function readRows(queries: Queries, ords: readonly number[],
  { contentsOf = ords, ...options }: ReadOptions): Promise<Map<number, ResultRow>>
{
  const reader = new ContentReader(queries, options);
  const rows = new Map<number, ResultRow>();
  const first = new Set(contentsOf);
  for (const some of inSteps([...first])) {
    const read = await select(queries, some, reader.isSpent ? WITHOUT_CONTENT : reader.columns);
    for (const row of some.map((ord) => read.get(ord))) {
      if (row === undefined) continue;
      await reader.take(row);
      rows.set(row.ord, row);
    }
  }
  for (const some of inSteps(ords.filter((ord) => !first.has(ord)))) {
    for (const [ord, row] of await select(queries, some, WITHOUT_CONTENT)) rows.set(ord, row);
  }
  return rows;
}

/** Reads the content of one row that has none, however large it is. False when the document was deleted. */
export async function readContent(queries: Queries, row: ResultRow, withBodies: boolean): Promise<boolean> {
  return new ContentReader(queries, { withBodies, mostBytes: 0 }).take(row);
}

function* inSteps(ords: readonly number[]): Generator<readonly number[]> {
  for (let i = 0; i < ords.length; i += STEP) yield ords.slice(i, i + STEP);
}

async function select(queries: Queries, ords: readonly number[], content: string): Promise<Map<number, ResultRow>> {
  const read = await queries.all<ResultRow>(selection(content, ords.length), ords);
  return new Map(read.map((row) => [row.ord, row]));
}

/**
 * Statements by content and number of rows, so that a search looks its statement up by a text that is already hashed.
 * They are not padded (`inList`), because pages have few sizes and most have exactly the requested one.
 */
const selections = new Map<string, string[]>();

function selection(content: string, rows: number): string {
  let known = selections.get(content);
  if (known === undefined) selections.set(content, known = []);
  return known[rows] ??=
    `SELECT d.ord, d.id, d.key, d.lang, d.added_at, d.updated_at, d.expires_at, ${content} FROM documents d WHERE d.ord IN (${
      Array(rows).fill('?').join(', ')
    })`;
}
