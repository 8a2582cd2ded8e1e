import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createVectorWorkers } from '../../vector-fields/index.ts';
import { createVectors } from '../index.ts';
import { type FixtureOptions, Meaning, VectorFixture } from '../test-fixture.ts';

const fixtures: VectorFixture[] = [];
let fixture: VectorFixture;
beforeEach(async () => {
  fixture = await opened();
});
afterEach(async () => {
  for (const each of fixtures.splice(0)) await each.close();
});

async function opened(options: FixtureOptions = {}): Promise<VectorFixture> {
  const made = await VectorFixture.open(options);
  fixtures.push(made);
  return made;
}

/**
 * Another server over the same files in their present state; `builds` are the collections whose indexes it builds from
 * the tables.
 */
async function restarted(options: FixtureOptions = {}): Promise<{ later: VectorFixture; builds: string[] }> {
  const later = await opened({ meaning: fixture.meaning, ...options, file: fixture.sql.info.path, unstarted: true });
  const all = vi.spyOn(later.embeddings, 'vectorsOfCollection');
  await later.start();
  return { later, builds: all.mock.calls.map(([name]) => name) };
}

const checkpoints = (): Promise<string[]> => readdir(`${fixture.sql.info.path}.vectors`).catch(() => []);

describe('the vector view (design, sections 1 and 5)', () => {
  it('follows what is embedded, embedded again, and deleted', async () => {
    await fixture.add('a', 'red apples');
    await fixture.add('b', 'blue whales');
    expect(await fixture.keys('red apples', { threshold: 0.9 })).toEqual(['a']);
    await fixture.add('a', 'green tea');
    expect(await fixture.keys('red apples', { threshold: 0.9 })).toEqual([]);
    expect(await fixture.keys('green tea', { threshold: 0.9 })).toEqual(['a']);
    await fixture.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' });
    expect(await fixture.keys('green tea', { threshold: 0.9 })).toEqual([]);
    await fixture.add('b', ' ');
    expect(await fixture.keys('blue whales')).toEqual([]);
  });

  it('returns no deleted document, even before it has read of the deletion, and as many others as were requested', async () => {
    for (const key of ['a', 'b', 'd', 'e']) await fixture.add(key, 'red apples');
    await fixture.sql.transaction((tx) => tx.run("DELETE FROM documents WHERE key IN ('a', 'b')"));
    expect(await fixture.keys('red apples', { topK: 2 })).toEqual(['d', 'e']);
    expect(await fixture.keys('red apples', { topK: 2, retrievalMode: 'chunk' })).toEqual(['d', 'e']);
  });

  it('forgets a collection with its documents', async () => {
    await fixture.add('a', 'red apples');
    await fixture.call('deleteCollection', { collection: 'c' });
    expect(await fixture.find('red apples')).toMatchObject({ results: [], total: 0 });
    await fixture.vectors.view.caughtUp();
    await fixture.add('b', 'red apples');
    expect(await fixture.keys('red apples')).toEqual(['b']);
  });

  it('refuses searches until the vectors are loaded, and says so', async () => {
    await fixture.add('a', 'red apples');
    const later = await opened({ meaning: fixture.meaning, file: fixture.sql.info.path, unstarted: true });
    await later.columns.start();
    await later.columns.settled();
    await later.embeddings.start();
    const registry = new Registry();
    later.vectors.registerMetrics([registry]);
    await expect(later.find('red apples')).rejects.toMatchObject({
      code: 'index_loading',
      message: 'the vector index is still loading',
    });
    expect(later.meaning.queries).toEqual([]);
    expect(await later.call('getVectorStats', {})).toMatchObject({ index_ready: false });
    expect(await registry.metrics()).toContain('svc_vector_index_ready 0');
    await later.vectors.view.start();
    await later.vectors.view.settled();
    expect(await later.keys('red apples')).toEqual(['a']);
    expect(await later.call('getVectorStats', {})).toMatchObject({ index_ready: true });
    expect(await registry.metrics()).toContain('svc_vector_index_ready 1');
  });

  it('is rebuilt from the tables after a crash', async () => {
    await fixture.add('a', 'red apples');
    await fixture.add('x', 'red apples', { collection: 'Other/1' });
    const { later, builds } = await restarted();
    expect(builds.sort()).toEqual(['c', 'other/1']);
    expect(await later.keys('red apples')).toEqual(['a']);
    expect((await later.call('searchVectors', { collection: 'other/1', query: 'red apples' })).total).toBe(1);
  });

  it('comes from its checkpoint after an orderly stop, with models and stored types, and catches up', async () => {
    await fixture.add('a', 'red apples');
    await fixture.call('setCollectionConfig', { collection: 'c', quantization: 'int8' });
    await fixture.add('b', 'red apples fall');
    await fixture.stop();
    expect(await checkpoints()).toEqual(['c.idx']);
    const { later, builds } = await restarted();
    expect(builds).toEqual([]);
    expect(await later.keys('red apples')).toEqual(['a', 'b']);
    await later.add('d', 'red apples rot');
    await later.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' });
    expect(await later.keys('red apples rot', { topK: 2 })).toEqual(['d', 'b']);

    const other = await restarted({ meaning: new Meaning('other words') });
    expect([other.builds, (await other.later.find('red apples')).warnings]).toEqual([[], [
      expect.stringContaining('2 documents'),
    ]]);
  });

  it('keeps no checkpoint of an encrypted collection without a key to seal it with (decision D-43)', async () => {
    await fixture.add('a', 'red apples');
    const { environment, embeddings, gate, columns, geo } = fixture;
    const encrypted = createVectors(environment, {
      embeddings,
      gate,
      columns,
      geo: geo.view,
      vectorWorkers: createVectorWorkers(environment),
      collections: { configOf: () => ({ encrypted: true }) },
    });
    await encrypted.view.start();
    await encrypted.view.settled();
    await encrypted.stop();
    expect(await checkpoints()).toEqual([]);
  });

  it('reads what was embedded while it was stopped', async () => {
    await fixture.add('a', 'red apples');
    await fixture.vectors.stop();
    await fixture.call('addDocument', { collection: 'c', key: 'b', lang: 'en', contentMd: 'red apples' });
    await fixture.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' });
    await fixture.embeddings.settled();
    const { later, builds } = await restarted();
    expect(builds).toEqual([]);
    expect(await later.keys('red apples')).toEqual(['b']);
  });

  it.each([['models', (bytes: Buffer) => bytes.indexOf('"variant"')], ['vectors',
    (bytes: Buffer) => bytes.indexOf('QUIREVEC') + 20], ['end', (bytes: Buffer) => bytes.length - 1]])(
      'is rebuilt where the %s of a checkpoint are damaged',
      async (_, where) => {
        await fixture.add('a', 'red apples');
        await fixture.stop();
        const file = join(`${fixture.sql.info.path}.vectors`, 'c.idx');
        const bytes = await readFile(file);
        bytes[where(bytes)]! ^= 1;
        await writeFile(file, bytes);
        const { later, builds } = await restarted();
        expect(builds).toEqual(['c']);
        expect(await later.keys('red apples')).toEqual(['a']);
      },
    );

  it('starts over after a restore', async () => {
    await fixture.add('a', 'red apples');
    await fixture.call('createBackup', { to: 'b.db' });
    await fixture.add('a', 'green tea');
    await fixture.add('b', 'red apples');
    await fixture.call('restoreBackup', { from: 'b.db' });
    await fixture.vectors.view.settled();
    expect(await fixture.keys('red apples', { threshold: 0.9 })).toEqual(['a']);
    await fixture.add('d', 'red apples');
    expect(await fixture.keys('red apples', { threshold: 0.9 })).toEqual(['a', 'd']);
  });

  it('stays in service when the vectors of one document are damaged', async () => {
    await fixture.add('a', 'red apples');
    await fixture.add('b', 'red apples');
    const nan = Buffer.from(Float32Array.from({ length: 32 }, () => NaN).buffer);
    const ord = await fixture.ordOf('a');
    await fixture.sql.transaction((tx) => tx.run('UPDATE vectors SET vector = ? WHERE ord = ?', [nan, ord]));
    const { later } = await restarted();
    expect(await later.keys('red apples')).toEqual(['b']);
    expect(later.warnings).toContainEqual(expect.stringContaining('are damaged'));
  });

  it('takes a document of very many chunks', async () => {
    await fixture.add('a',
      Array.from({ length: 700 }, (_, i) => `Paragraph ${i} tells about thing ${i}.`).join('\n\n'));
    await fixture.add('b', 'red apples');
    const { later } = await restarted();
    const { results } = await later.find('paragraph 600 tells about thing 600', { retrievalMode: 'chunk', topK: 1 });
    expect(results[0]).toMatchObject({ chunkText: 'Paragraph 600 tells about thing 600.', startLine: 1201 });
    expect(await later.keys('red apples', { topK: 1 })).toEqual(['b']);
  });

  it('may be stopped before it was started, and twice', async () => {
    const later = await opened({ unstarted: true });
    await later.stop();
    await later.stop();
  });
});

describe('the vectors area, for others', () => {
  it('reports models, vectors and passages', async () => {
    await fixture.add('a', 'Red apples grow on very old trees.\n\nBlue whales swim in cold deep seas.');
    const vectors = fixture.vectors.of('c');
    const ord = await fixture.ordOf('a');
    const model = { model: 'words', variant: 'plain', dimensions: 32 };
    expect(vectors.modelsOf('C')).toEqual([{ ...model, documents: 1 }]);
    expect(vectors.documentModels('c', [ord, 0])).toEqual([model, undefined]);
    const passages = [0, 1, 2, undefined].map((chunk) => ({ ord, chunk }));
    expect(vectors.passageVectors('c', passages).map((vector) => vector?.length)).toEqual([32, 32, undefined, 32]);
    expect(vectors.passageVectors('unknown', [{ ord }])).toEqual([undefined]);
    const query = await vectors.embedQuery('blue whales');
    expect(query.model).toEqual(model);
    const { hits, incomparable } = await vectors.searchByVector({ ...query, collection: 'c', k: 5, perDocument: true });
    expect([hits.map(({ chunk }) => chunk), incomparable]).toEqual([[1], 0]);
    expect(await vectors.passagesOf([{ ord, first: 0, last: 1 }, { ord, first: 7, last: 7 }])).toMatchObject([{
      startLine: 1,
      endLine: 3,
    }, undefined]);
  });
});
