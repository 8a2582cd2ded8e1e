import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Pace } from '../../lib/pace.ts';
import { ChangeFeed, DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { type NewVectors, putVectors, removeVectors, vectorsOfCollection, vectorsOfDocuments } from './vector-rows.ts';

const MODEL = { model: 'm', variant: 'plain', dimensions: 3 };
const vector = (ord: number, chunk: number) => Float32Array.of(ord, chunk, 0.1);
const drafts = (ord: number, cid: number, chunks: number): NewVectors => ({
  ord,
  cid,
  crc: ord,
  bytes: 1,
  chunking: 'prose 1500',
  stored: 'float32',
  chunks: Array.from({ length: chunks },
    (_, i) => ({ startLine: i, endLine: i, start: i, end: i + 1, vector: vector(ord, i) })),
});

let sql: Sql;
beforeEach(async () => {
  sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
  await sql.transaction(async (tx) => {
    await tx.run("INSERT INTO collections(id, name, docs) VALUES (1, 'blog', 4), (2, 'other', 1)");
    const insert =
      'INSERT INTO documents(ord, cid, id, key, lang, crc, bytes, added_at, updated_at, meta) VALUES (?, ?, ?, ' +
      "'k', 'en', 0, 0, 0, 0, '{}')";
    await tx.runMany(insert, [[1, 1, 'blog|a|en'], [2, 2, 'other|a|en'], [3, 1, 'blog|b|en'], [4, 1, 'blog|c|en'], [5,
      1, 'blog|d|en']]);
  });
});
afterEach(() => sql.close());

const transact = (
  steps: Parameters<Sql['transaction']>[0] extends (tx: infer T) => unknown
    ? (work: { tx: T; feed: ChangeFeed; now: number; pace: Pace }) => Promise<unknown>
    : never,
) => sql.transaction((tx) => steps({ tx, feed: new ChangeFeed(sql), now: 0, pace: new Pace() }));
const read = async (page?: number, collection = 'Blog') =>
  (await Array.fromAsync(vectorsOfCollection(sql, collection, { page }))).flat().map(({ ord, chunk }) =>
    `${ord}#${chunk}`
  );

describe('vectors in the database', () => {
  it.each([1, 2, 3, 4, 100])('are read in pages of %i, by document and chunk', async (page) => {
    await transact((work) =>
      putVectors(work, '', MODEL, [drafts(4, 1, 2), drafts(1, 1, 3), drafts(2, 2, 2), drafts(3, 1, 0), drafts(5, 1, 1)])
    );
    expect(await read(page)).toEqual(['1#0', '1#1', '1#2', '4#0', '4#1', '5#0']);
    expect(await read(page, 'unknown')).toEqual([]);
    await transact((work) => putVectors(work, 'cfg', MODEL, [drafts(1, 1, 2), drafts(5, 1, 2)]));
    expect(await read(page)).toEqual(['1#0', '1#1', '1#2', '1#0', '1#1', '4#0', '4#1', '5#0', '5#0', '5#1']);
  });

  it('come back bit by bit', async () => {
    const odd = Float32Array.from([1 / 3, -0, 1e-40, 3.4e38]).subarray(1);
    await transact((work) =>
      putVectors(work, '', MODEL, [{
        ...drafts(1, 1, 1),
        chunks: [{ startLine: 1, endLine: 2, start: 0, end: 9, vector: odd }],
      }])
    );
    const [stored] = await vectorsOfDocuments(sql, [1, 99]);
    expect(stored).toEqual({
      ord: 1,
      space: '',
      chunk: 0,
      startLine: 1,
      endLine: 2,
      start: 0,
      end: 9,
      stored: 'float32',
      crc: 1,
      ...MODEL,
      vector: Float32Array.from(odd),
    });
    expect(Object.is(stored!.vector[0], -0)).toBe(true);
  });

  it('take the place of those before, and go all together', async () => {
    await transact((work) => putVectors(work, '', MODEL, [drafts(1, 1, 700), drafts(4, 1, 1)]));
    await transact((work) => putVectors(work, '', { ...MODEL, variant: 'other' }, [drafts(1, 1, 2)]));
    expect((await vectorsOfDocuments(sql, [1, 4])).map(({ ord, variant }) => [ord, variant])).toEqual([[1, 'other'], [1,
      'other'], [4, 'plain']]);
    await transact((work) => putVectors(work, 'cfg', MODEL, [drafts(1, 1, 1)]));
    expect((await vectorsOfDocuments(sql, [1])).map(({ space, chunk }) => `${space}#${chunk}`)).toEqual(['#0', '#1',
      'cfg#0']);
    expect(await vectorsOfDocuments(sql, [1], 'cfg')).toHaveLength(1);
    await transact((work) => removeVectors(work, '', [1]));
    expect(await read()).toEqual(['1#0', '4#0']);
    await transact((work) => removeVectors(work, 'cfg', [1]));
    expect(await read()).toEqual(['4#0']);
    await sql.transaction((tx) => tx.run('DELETE FROM documents WHERE ord = 4'));
    expect(await sql.get('SELECT (SELECT count(*) FROM vectors) + (SELECT count(*) FROM embeddings) AS n')).toEqual({
      n: 0,
    });
  });

  it('are found through indexes', async () => {
    const plan = await sql.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT v.vector FROM embeddings e JOIN vectors v ON v.ord = e.ord AND v.space = e.space
       JOIN embedding_models m ON m.id = e.model_id WHERE e.cid = 1 AND e.ord >= 5 AND (e.ord > 5 OR e.space >= 'a')
       AND v.chunk > CASE WHEN e.ord = 5 AND e.space = 'a' THEN 3 ELSE -1 END ORDER BY e.ord, e.space, v.chunk LIMIT 9`,
    );
    const text = plan.map(({ detail }) => detail).join('\n');
    expect(text).not.toContain('SCAN');
    expect(text).not.toContain('B-TREE FOR ORDER BY');
    expect(text).toContain('ord=? AND space=? AND chunk>?');
  });
});
