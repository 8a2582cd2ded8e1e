import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DOCUMENT_MIGRATIONS, type Sql } from '../storage/index.ts';
import { openMigrated } from '../testkit/migrated-database.ts';
import { expiredDocuments } from './stored-collections.ts';

let sql: Sql;
beforeEach(async () => {
  sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
});
afterEach(() => sql.close());

describe('expired documents', () => {
  it('are counted by collection', async () => {
    await sql.transaction(async (tx) => {
      await tx.run("INSERT INTO collections(id, name, docs) VALUES (1, 'blog', 3), (2, 'zoo', 1), (3, 'shop', 1)");
      const insert =
        'INSERT INTO documents(ord, cid, id, key, lang, crc, bytes, added_at, updated_at, expires_at, meta) ' +
        "VALUES (?, ?, ?, 'k', 'en', 0, 0, 0, 0, ?, '{}')";
      await tx.runMany(insert, [[1, 1, 'blog|a|en', 5], [2, 1, 'blog|b|en', 9], [3, 1, 'blog|c|en', 10], [4, 2,
        'zoo|a|en', 9], [5, 3, 'shop|a|en', null]]);
    });
    expect(await expiredDocuments(sql, 9)).toEqual(new Map([[1, 2], [2, 1]]));
    expect(await expiredDocuments(sql, 4)).toEqual(new Map());
  });

  it('are found without reading those that do not expire', async () => {
    const all = vi.spyOn(sql, 'all');
    await expiredDocuments(sql, 9);
    const plan = await sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${all.mock.calls[0]![0]}`, [9]);
    expect(plan.map(({ detail }) => detail)[0]).toBe('SEARCH documents USING INDEX documents_expiring (expires_at<?)');
  });
});
