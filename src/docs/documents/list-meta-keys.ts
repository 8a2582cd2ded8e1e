import { unixSeconds } from '../../lib/clock.ts';
import { queriesFor, readCollection } from './collection-rows.ts';
import type { Deps, DocumentHandlers } from './deps.ts';

/** `GET /v1/meta-keys`: the keys in use and their distinct values, both sorted. */
export function listMetaKeys({ sql, clock }: Deps): DocumentHandlers['listMetaKeys'] {
  return async ({ collection: name }) => {
    const collection = await readCollection(sql, name);
    if (collection === undefined) return { meta: {} };
    const { id: cid } = collection;
    const rows = await queriesFor(sql, collection).all<{ k: string; v: string }>(
      `SELECT DISTINCT k, v FROM doc_meta
       WHERE cid = ? AND ord NOT IN (SELECT ord FROM documents WHERE expires_at <= ? AND cid = ?) ORDER BY k, v`,
      [cid, unixSeconds(clock), cid],
    );
    const values = Map.groupBy(rows, ({ k }) => k);
    return { meta: Object.fromEntries([...values].map(([key, found]) => [key, found.map(({ v }) => v)])) };
  };
}
