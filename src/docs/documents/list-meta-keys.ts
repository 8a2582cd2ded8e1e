import { unixSeconds } from '../../lib/clock.ts';
import { readCollection, scanRows } from './collection-rows.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { expiredOrds } from './meta-filter.ts';

/** `GET /v1/meta-keys`: the keys in use and their distinct values, both sorted. */
export function listMetaKeys({ sql, clock }: Deps): DocumentHandlers['listMetaKeys'] {
  return async ({ collection: name }) => {
    const collection = await readCollection(sql, name);
    if (collection === undefined) return { meta: {} };
    const expired = expiredOrds(collection.id, unixSeconds(clock));
    const query = `SELECT DISTINCT k, v FROM doc_meta WHERE cid = ? AND ord NOT IN (${expired.sql}) ORDER BY k, v`;
    const values = new Map<string, string[]>();
    for await (const rows of scanRows<{ k: string; v: string }>(sql, collection, query, [collection.id, ...expired.params])) {
      for (const { k, v } of rows) {
        const known = values.get(k);
        if (known === undefined) values.set(k, [v]);
        else known.push(v);
      }
    }
    return { meta: Object.fromEntries(values) };
  };
}
