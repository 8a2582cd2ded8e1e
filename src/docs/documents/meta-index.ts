import { SEALED_META } from '../../storage/index.ts';
import { inList } from './in-list.ts';
import { parseMeta, pairChanges, type Meta } from './meta.ts';
import { runInSteps, type UnitOfWork } from './unit-of-work.ts';

/** A document whose metadata change; `before` is its stored text, `{}` when it is new. */
export interface MetaChange {
  readonly cid: number;
  readonly ord: number;
  readonly before: string;
  readonly after: Meta;
}

/** Brings the rows that metadata filters look at up to date. */
export async function indexMeta(work: UnitOfWork, changes: readonly MetaChange[]): Promise<void> {
  const removed: [number, string, string, number][] = [];
  const added: [number, string, string, number][] = [];
  for (const { cid, ord, before, after } of changes) {
    const difference = pairChanges(parseMeta(before), after);
    for (const [key, value] of difference.removed) removed.push([cid, key, value, ord]);
    for (const [key, value] of difference.added) added.push([cid, key, value, ord]);
  }
  await runInSteps(work, 'DELETE FROM doc_meta WHERE cid = ? AND k = ? AND v = ? AND ord = ?', removed);
  await runInSteps(work, 'INSERT INTO doc_meta(cid, k, v, ord) VALUES (?, ?, ?, ?)', added);
}

/** Those of some documents whose metadata are sealed as they are stored now, and so have no rows. */
export async function sealedMeta({ tx, sealerOf }: UnitOfWork, ords: readonly number[]): Promise<Set<number>> {
  if (sealerOf === undefined) return new Set();
  const { marks, params } = inList(ords);
  const rows = await tx.all<{ ord: number }>(`SELECT ord FROM documents WHERE ord IN (${marks}) AND ${SEALED_META('meta')}`, params);
  return new Set(rows.map(({ ord }) => ord));
}
