import { inList } from '../../storage/index.ts';
import { deleteChange } from './changes.ts';
import { countDocuments } from './collection-rows.ts';
import { type CurrentRow, REPLACED } from './document-rows.ts';
import { identify } from './identity.ts';
import { deleteInSteps, runInSteps, type UnitOfWork } from './unit-of-work.ts';

/** Maximum number of documents that one statement examines. */
const STEP = 64;

/**
 * Removes documents permanently, with their revisions and all spellings. To keep their versions, call `keepVersions`
 * before. `reason` goes into the change feed.
 */
export async function removeDocuments(work: UnitOfWork, rows: readonly CurrentRow[], reason?: 'ttl'): Promise<void> {
  if (rows.length === 0) return;
  await removeRows(work, rows.map(({ ord }) => ord));
  for (const [cid, count] of countBy(rows)) await countDocuments(work.tx, cid, -count);
  await work.feed.append(work.tx, rows.map((row) => deleteChange(row, reason)));
}

/** Removes at most `limit` documents of a collection whose keys begin with a prefix, and returns how many. */
export async function removeUnder(work: UnitOfWork, collection: string, prefix: string,
  limit: number): Promise<number>
{
  const first = identify(collection, prefix, '').id.slice(0, -1);
  // The greatest code point sorts after all continuations of the prefix.
  const rows = await work.tx.all<CurrentRow>(`SELECT ${REPLACED} FROM documents d WHERE d.id >= ? AND d.id < ? LIMIT ?`,
    [first, `${first}\u{10ffff}`, limit]);
  await removeDocuments(work, rows);
  return rows.length;
}

/**
 * Deletes the vectors of documents, a few at a time, because one document may have thousands. Other embedding data are
 * deleted with the documents, by reference.
 */
export async function removeVectorRows(work: UnitOfWork, ords: readonly number[]): Promise<void> {
  const { marks, params } = inList(ords);
  await deleteInSteps(work,
    `DELETE FROM vectors WHERE (ord, chunk) IN (SELECT ord, chunk FROM vectors WHERE ord IN (${marks}) LIMIT ?)`,
    params);
}

/** Deletes documents, their revisions, spellings and vectors; the caller updates counters and the feed. */
export async function removeRows(work: UnitOfWork, ords: readonly number[]): Promise<void> {
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    await deleteInSteps(work,
      `DELETE FROM revisions WHERE (ord, ts) IN (SELECT ord, ts FROM revisions WHERE ord IN (${marks}) LIMIT ?)`,
      params);
    await removeVectorRows(work, ords.slice(i, i + STEP));
    await deleteInSteps(work,
      'DELETE FROM spellings WHERE (cid, key, lang) IN (SELECT cid, key, lang FROM spellings WHERE ord IN ' +
        `(${marks}) LIMIT ?)`, params);
  }
  await runInSteps(work, 'DELETE FROM documents WHERE ord = ?', ords.map((ord) => [ord]));
}

function countBy(rows: readonly CurrentRow[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { cid } of rows) counts.set(cid, (counts.get(cid) ?? 0) + 1);
  return counts;
}
