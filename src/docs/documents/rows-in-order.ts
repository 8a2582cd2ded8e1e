import { inList, type Queries } from '../../storage/index.ts';
import type { ResultRow } from './content-reader.ts';

/** Number of rows that one statement reads. */
const STEP = 64;

/** `columns` of `documents d`, `ord` among them, in the order of the ordinals, a few rows at a time; removed documents are left out. */
export async function* rowsInOrder(queries: Queries, ords: readonly number[], columns: string): AsyncGenerator<ResultRow[]> {
  for (let start = 0; start < ords.length; start += STEP) {
    const some = ords.slice(start, start + STEP);
    const { marks, params } = inList(some);
    const rows = await queries.all<ResultRow>(`SELECT ${columns} FROM documents d WHERE d.ord IN (${marks})`, params);
    const byOrd = new Map(rows.map((row) => [row.ord, row]));
    yield some.flatMap((ord) => byOrd.get(ord) ?? []);
  }
}
