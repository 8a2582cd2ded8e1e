import type { Queries, Row } from '../../../storage/index.ts';

/** A document as a result shows it. */
export interface ResultRow extends Row {
  readonly ord: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  readonly meta: string;
  readonly bytes: number;
  readonly added_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
  /** Null where it was not asked for. */
  readonly body: Uint8Array | null;
}

/** Rows read by one statement. */
const STEP = 256;

/** Rows by ordinal; documents that are gone are left out. */
export async function readRows(queries: Queries, ords: readonly number[], withBodies: boolean): Promise<Map<number, ResultRow>> {
  const rows = new Map<number, ResultRow>();
  for (let i = 0; i < ords.length; i += STEP) {
    const some = ords.slice(i, i + STEP);
    const read = await queries.all<ResultRow>(
      `SELECT ord, id, key, lang, meta, bytes, added_at, updated_at, expires_at, ${withBodies ? 'body' : 'NULL AS body'}
       FROM documents WHERE ord IN (${some.map(() => '?').join(', ')})`,
      some,
    );
    for (const row of read) rows.set(row.ord, row);
  }
  return rows;
}
