import type { CurrentRow } from './document-rows.ts';
import { copyLast, LAST_DOCUMENTS, runInSteps, type UnitOfWork } from './unit-of-work.ts';

/**
 * The number of a document's next revision. Numbers rise whatever the clock does, so that revisions of one second keep
 * their order and each can be named; their time is `updated_at`.
 */
export function nextRevision(newest: number): number {
  return newest + 1;
}

/**
 * Gives the newest revisions a copy of the version that is about to be replaced. Until then their columns are NULL,
 * which stands for the document's current version, so that a first write stores its body once. Call this before the
 * document changes.
 */
export async function detachNewest(work: UnitOfWork,
  documents: readonly Pick<CurrentRow, 'ord' | 'rev_ts'>[]): Promise<void>
{
  await runInSteps(work,
    `UPDATE revisions SET (backend, meta, body) = (SELECT d.backend, d.meta, d.body FROM documents d WHERE d.ord = revisions.ord)
     WHERE ord = ? AND ts = ? AND meta IS NULL`, documents.map(({ ord, rev_ts: newest }) => [ord, newest]));
}

/** Adds a revision that equals the document's current version. */
export async function addRevisions(work: UnitOfWork,
  revisions: readonly { ord: number; revision: number }[]): Promise<void>
{
  await runInSteps(work, 'INSERT INTO revisions(ord, ts, updated_at) VALUES (?, ?, ?)',
    revisions.map(({ ord, revision }) => [ord, revision, work.now]));
}

/** The same for the documents that were stored last. */
export async function addFirstRevisions(work: UnitOfWork, count: number): Promise<void> {
  await copyLast(work,
    `INSERT INTO revisions(ord, ts, updated_at) SELECT ord, rev_ts, updated_at FROM documents WHERE ${LAST_DOCUMENTS}`,
    count);
}

/** Deletes all but the newest `keep` revisions of each document and returns how many were deleted. */
export async function trimRevisions(work: UnitOfWork, ords: readonly number[], keep: number): Promise<number> {
  return runInSteps(work,
    'DELETE FROM revisions WHERE ord = ? AND ts <= (SELECT ts FROM revisions WHERE ord = ? ORDER BY ts DESC LIMIT ' +
      '1 OFFSET ?)', ords.map((ord) => [ord, ord, keep]));
}
