import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HybridFixture } from './test-fixture.ts';

let fixture: HybridFixture;
beforeEach(async () => {
  fixture = await HybridFixture.open();
});
afterEach(() => fixture.close());

type Found = { results: { document: { key: string }; score?: number; combinedScore?: number }[]; warnings?: string[] };
const keysOf = ({ results }: Found) => results.map(({ document: { key } }) => key);
const SEARCHES = {
  searchHybrid: { query: 'red apples' },
  searchFullText: { query: 'red apples' },
  searchVectors: { query: 'red apples' },
  findSimilar: { key: 'a0' },
} as const;
const call = async (operation: keyof typeof SEARCHES, more: object = {}): Promise<Found> =>
  await fixture.call(operation, { collection: 'c', limit: 2, ...SEARCHES[operation], ...more }) as Found;
const OPERATIONS = Object.keys(SEARCHES) as (keyof typeof SEARCHES)[];

describe('results that differ from each other, in every search with scores (decision D-212)', () => {
  it.each(OPERATIONS)('%s takes mmr, weighs it by mmrLambda, and keeps scores', async (operation) => {
    for (const key of ['a0', 'a1', 'a2', 'a3']) await fixture.add(key, 'red apples');
    await fixture.add('b', 'red whales');
    const plain = await call(operation, { limit: 10 });
    const diverse = await call(operation, { mmr: true, mmrLambda: 0.3 });
    expect(keysOf(await call(operation))).not.toContain('b');
    expect(keysOf(diverse)).toEqual([keysOf(plain)[0], 'b']);
    expect(keysOf(await call(operation, { mmr: true, mmrLambda: 1 }))).toEqual(keysOf(plain).slice(0, 2));
    const scoresOf = ({ results }: Found) =>
      new Map(results.map(({ document, score, combinedScore }) => [document.key, score ?? combinedScore]));
    for (const [key, score] of scoresOf(diverse)) expect(scoresOf(plain).get(key)).toBe(score);
    expect(diverse).not.toHaveProperty('warnings');
  });

  it.each(OPERATIONS)('%s repeats and loses none on its pages', async (operation) => {
    for (let i = 0; i < 70; i++)
      await fixture.write(`a${i}`, `red apples ${'x'.repeat(i % 7)} ${'tree '.repeat(i % 5)}`);
    await fixture.base.caughtUp();
    const all: string[] = [];
    for (let offset = 0; offset < 70; offset += 10)
      all.push(...keysOf(await call(operation, { limit: 10, offset, mmr: true })));
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(operation === 'findSimilar' ? 69 : 70);
  });

  it.each(OPERATIONS)('%s refuses an order beside it', async (operation) => {
    await fixture.add('a0', 'red apples');
    for (const order of [{ sort: 'key:asc' }, { cursor: '*' }])
      await expect(call(operation, { mmr: true, ...order })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: 'mmr must not come with sort or cursor: it chooses results in an order of its own',
      });
    await expect(call(operation, { mmr: true, mmrLambda: 1.5 })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('says where there are no vectors to compare, and counts a document without them as different', async () => {
    await fixture.base.addUnembedded('n1', 'red apples');
    await fixture.base.addUnembedded('n2', 'red apples grow');
    for (const operation of ['searchFullText', 'searchHybrid'] as const) {
      const found = await call(operation, { mmr: true });
      expect(keysOf(found)).toHaveLength(2);
      expect(found.warnings).toContain(
        'mmr: none of the results has vectors, so they are in the order of their scores',
      );
      expect((await call(operation)).warnings ?? []).not.toContain(found.warnings!.at(-1));
    }
    expect(await call('searchFullText', { query: 'absent', mmr: true })).not.toHaveProperty('warnings');
    await fixture.add('a0', 'red apples');
    await fixture.add('a1', 'red apples');
    const found = await call('searchFullText', { mmr: true, mmrLambda: 0.1, rerank: false });
    expect(found).not.toHaveProperty('warnings');
    expect(new Set(keysOf(found)).size).toBe(2);
    expect(keysOf(found).every((key) => key.startsWith('a'))).toBe(false);
  });

  it('leaves a document no more passages than the request wants, and fills the page from others', async () => {
    const parts = Array.from({ length: 12 }, (_, i) => `# Part ${i}\n\n${'red apples grow on trees. '.repeat(70)}`);
    await fixture.add('long', parts.join('\n\n'));
    for (const key of ['b', 'c', 'd']) await fixture.add(key, 'red apples, and much else that is not red');
    for (const operation of ['searchHybrid', 'searchVectors'] as const) {
      const keys = async (more: object) => keysOf(await call(operation, { retrievalMode: 'chunk', limit: 4, ...more }));
      expect(await keys({}), operation).toEqual(['long', 'long', 'long', 'long']);
      expect((await keys({ passagesPerDocument: 1 })).toSorted(), operation).toEqual(['b', 'c', 'd', 'long']);
      expect((await keys({ passagesPerDocument: 2 })).toSorted(), operation).toEqual(['b', 'c', 'long', 'long']);
      const pages = [...await keys({ passagesPerDocument: 1, limit: 2 }),
        ...await keys({ passagesPerDocument: 1, limit: 2, offset: 2 })];
      expect(new Set(pages).size, operation).toBe(4);
      expect(await keys({ passagesPerDocument: 1, sort: 'key:asc' }), operation).toEqual(['b', 'c', 'd', 'long']);
      expect(await keys({ passagesPerDocument: 1, mmr: true }), operation).toHaveLength(4);
      await expect(keys({ passagesPerDocument: 0 })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('keeps pinned documents in their places, and the page full', async () => {
    for (const key of ['a0', 'a1', 'a2', 'a3']) await fixture.add(key, 'red apples');
    await fixture.add('b', 'red whales');
    await fixture.call('createCurationRule', {
      collection: 'c',
      query: 'red apples',
      matchMode: 'exact',
      pins: [{ key: 'a3', lang: 'en', position: 3 }],
      enabled: true,
    });
    for (const operation of ['searchFullText', 'searchHybrid'] as const)
      expect(keysOf(await call(operation, { limit: 3, mmr: true, mmrLambda: 0.3 }))).toEqual(['a0', 'b', 'a3']);
  });
});
