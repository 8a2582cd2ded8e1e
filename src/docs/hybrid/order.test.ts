import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparePlaces, type SortValue, sortValueOf } from '../../search/order/index.ts';
import { HybridFixture } from './test-fixture.ts';

const OPERATIONS = ['searchVectors', 'findSimilar', 'searchHybrid'] as const;
type Operation = (typeof OPERATIONS)[number];
type Meta = Record<string, string[]>;

/** The document that `findSimilar` compares with; the other searches leave it out. */
const SOURCE = 'source';
const WORDS = ['red', 'blue', 'apples', 'whales', 'tea'];

interface Result {
  readonly document: { readonly key: string };
  readonly rank: number;
  readonly chunkIndex?: number;
  readonly score?: number;
  readonly combinedScore?: number;
}
interface Answer {
  readonly results: readonly Result[];
  readonly nextCursor?: string;
}

let fixture: HybridFixture;
beforeAll(async () => {
  fixture = await HybridFixture.open();
});
afterAll(() => fixture.close());

// Scores of the Euclidean distance are positive, so that every document is a result.
const ask = async (operation: Operation, more: object): Promise<Answer> => {
  const what = operation === 'findSimilar' ? { key: SOURCE } : { query: 'red apples', filter: `key != ${SOURCE}` };
  return (await fixture.call(operation, { collection: 'c', distanceMetric: 'euclidean', ...what, ...more })) as Answer;
};
const keysOf = ({ results }: Answer): string[] => results.map(({ document }) => document.key);
const scoresOf = ({ results }: Answer): number[] =>
  results.map(({ score, combinedScore }) => (score ?? combinedScore)!);

/** All pages by cursor, with what happens between them. */
async function walk(operation: Operation, more: object,
  between: (page: number) => Promise<unknown> = async () => undefined): Promise<Result[]>
{
  const results: Result[] = [];
  let cursor: string | undefined = '*';
  for (let page = 0; cursor !== undefined; page++) {
    const answer = await ask(operation, { ...more, cursor });
    results.push(...answer.results);
    cursor = answer.nextCursor;
    await between(page);
  }
  return results;
}

const bodyOf = (i: number): string =>
  Array.from({ length: 3 + (i % 4) }, (_, word) => WORDS[(i * 3 + word * (1 + (i % 3))) % WORDS.length]).join(' ');

/** Stores documents anew, and the one that others are compared with. */
async function store(metas: readonly Meta[]): Promise<string[]> {
  await fixture.call('deleteCollection', { collection: 'c' }).catch(() => undefined);
  const documents = metas.map((meta, i) => ({
    key: `k${String(i).padStart(2, '0')}`,
    lang: 'en',
    contentMd: bodyOf(i),
    meta,
  }));
  await fixture.call('addDocuments', {
    collection: 'c',
    documents: [...documents, { key: SOURCE, lang: 'en', contentMd: 'red apples', meta: {} }],
  });
  await fixture.base.caughtUp();
  return documents.map(({ key }) => key);
}

function bestOf(values: readonly string[], descending: boolean): SortValue {
  return values.map(sortValueOf).sort((a, b) => comparePlaces([a], [b], [{ descending }]))[0];
}

const value = fc.constantFrom('1', '1.0', '2', '10', 'a', 'B', '2025-12-01', '');
const meta = fc.record({ a: fc.array(value, { maxLength: 2 }), b: fc.array(value, { maxLength: 2 }) });
const order = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'key'), fc.boolean()), {
  minLength: 1,
  maxLength: 3,
  selector: ([name]) => name,
});

type Order = readonly (readonly [string, boolean])[];

const textOf = (keys: Order): string =>
  keys.map(([name, descending]) => `${name}:${descending ? 'desc' : 'asc'}`).join(', ');

/** The keys of documents in an order, by comparing each with each. */
function sorted(documents: ReadonlyMap<string, Meta>, keys: Order): string[] {
  const placeOf = (key: string, own: Meta): SortValue[] =>
    keys.map(([name, descending]) => (name === 'key' ? key : bestOf(own[name] ?? [], descending)));
  return [...documents].map(([key, own]) => ({ key, place: placeOf(key, own) })).sort((one, other) =>
    comparePlaces(one.place, other.place, keys.map(([, descending]) => ({ descending }))) ||
    (one.key < other.key ? -1 : 1)
  ).map(({ key }) => key);
}

describe.each(OPERATIONS)('%s in another order, and by cursor (decision D-163)', (operation) => {
  it('has the pages of a sorted list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(meta, { minLength: 1, maxLength: 10 }), order, fc.integer({ min: 1, max: 4 }),
        async (metas, keys, limit) => {
          const stored = await store(metas);
          const expected = sorted(new Map(stored.map((key, i) => [key, metas[i]!])), keys);
          const sort = textOf(keys);
          expect(keysOf(await ask(operation, { sort, limit: 50 }))).toEqual(expected);
          expect(keysOf(await ask(operation, { sort, offset: 1, limit }))).toEqual(expected.slice(1, 1 + limit));
          const walked = await walk(operation, { sort, limit });
          expect(walked.map(({ document }) => document.key)).toEqual(expected);
          expect(walked.map(({ rank }) => rank)).toEqual(expected.map((_, i) => i + 1));
        }),
      { numRuns: 10 },
    );
  }, 60_000);

  it('has each document once that stays as it is, while others are written and deleted', async () => {
    const change = fc.record({
      remove: fc.option(fc.nat(9)),
      add: fc.option(meta),
      rewrite: fc.option(fc.tuple(fc.nat(9), meta)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(meta, { minLength: 10, maxLength: 10 }), order,
        fc.array(change, { minLength: 1, maxLength: 3 }), async (metas, keys, changes) => {
        const stored = await store(metas);
        const touched = new Set<string>();
        const walked = await walk(operation, { sort: textOf(keys), limit: 2 }, async (page) => {
          const { remove = null, add = null, rewrite = null } = changes[page] ?? {};
          if (add !== null) await fixture.add(`n${page}`, bodyOf(page), add);
          if (rewrite !== null) {
            touched.add(stored[rewrite[0]]!);
            await fixture.add(stored[rewrite[0]]!, bodyOf(rewrite[0] + 1), rewrite[1]);
          }
          if (remove !== null) {
            touched.add(stored[remove]!);
            await fixture.call('deleteDocument', { collection: 'c', key: stored[remove]!, lang: 'en' }).catch(() =>
              undefined
            );
          }
        });
        const found = walked.map(({ document }) => document.key).filter((key) => !touched.has(key));
        expect(new Set(found).size).toBe(found.length);
        const kept = new Map(stored.map((key, i) => [key, metas[i]!] as const).filter(([key]) => !touched.has(key)));
        expect(found.filter((key) => kept.has(key))).toEqual(sorted(kept, keys));
      }),
      { numRuns: 8 },
    );
  }, 60_000);

  it('goes on by score behind the last document, while others are written and deleted', async () => {
    await store(Array.from({ length: 12 }, () => ({})));
    const all = keysOf(await ask(operation, { sort: 'score', limit: 50 }));
    const walked = await walk(operation, { limit: 3 }, async (page) => {
      if (page < 3) await fixture.add(`n${page}`, bodyOf(page), {});
      if (page === 1) await fixture.call('deleteDocument', { collection: 'c', key: all[0]!, lang: 'en' });
    });
    const found = walked.map(({ document }) => document.key);
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(expect.arrayContaining(all));
  });

  it('is by score unless it says otherwise, and has every result once', async () => {
    await store(Array.from({ length: 12 }, () => ({})));
    const all = await ask(operation, { sort: 'score', limit: 50 });
    expect(keysOf(all)).toHaveLength(12);
    expect(scoresOf(all)).toEqual(scoresOf(all).toSorted((a, b) => b - a));
    for (const limit of [1, 5, 12, 50])
      expect((await walk(operation, { limit })).map(({ document }) => document.key)).toEqual(keysOf(all));
    expect((await walk(operation, { sort: 'score:asc, key', limit: 5 })).map(({ document }) => document.key))
      .toHaveLength(12);
  });

  it('is refused for another query or order, with an offset, and where it is none', async () => {
    await store([{ a: ['1'] }, { a: ['2'] }, {}]);
    const { nextCursor: cursor } = await ask(operation, { cursor: '*', sort: 'a:asc', limit: 1 });
    const other = operation === 'findSimilar' ? { key: 'k00' } : { query: 'whales' };
    for (const more of [{ cursor }, { cursor, sort: 'a:desc' }, { cursor, sort: 'a:asc', ...other }, {
      cursor,
      sort: 'a:asc',
      distanceMetric: 'cosine',
    }]) {
      await expect(ask(operation, more), JSON.stringify(more)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('cursor must be of the same'),
      });
    }
    for (const more of [{ cursor: '*', offset: 1 }, { cursor: 'x' }, { cursor: '' }, { sort: 'size' }, {
      sort: 'a:asc,b',
    }]) await expect(ask(operation, more)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await ask(operation, { cursor, sort: 'a:asc', limit: 1, filterMeta: { a: ['2'] } })).toMatchObject({
      results: [{ document: { key: 'k01' } }],
    });
    expect(await ask(operation, { cursor: '*', langs: ['de'] })).toMatchObject({ results: [] });
  });
});

describe.each(['searchVectors', 'searchHybrid'] as const)('passages of %s', (operation) => {
  it.each(['chunk', 'window'])('come once each on pages by cursor, in the mode %s', async (retrievalMode) => {
    await store([{ a: ['1'] }, { a: ['2'] }]);
    const text = Array.from({ length: 6 }, (_, i) => `${bodyOf(i)} ${bodyOf(i + 1)} paragraph ${i}.`).join('\n\n');
    await fixture.add('long', text, { a: ['0'] });
    const name = ({ document: { key }, chunkIndex }: Result): string => `${key} ${chunkIndex}`;
    for (const sort of [undefined, 'a:desc', 'a:asc, score']) {
      const whole = await ask(operation, { retrievalMode, sort: sort ?? 'score', limit: 100 });
      expect(whole.results.length).toBeGreaterThanOrEqual(3);
      expect((await walk(operation, { retrievalMode, sort, limit: 2 })).map(name)).toEqual(whole.results.map(name));
      expect(new Set(whole.results.map(name)).size).toBe(whole.results.length);
    }
  });
});

describe('the candidates of an order', () => {
  it('are the 1,000 nearest, whatever the page', async () => {
    await store([]);
    const documents = Array.from({ length: 1010 }, (_, i) => ({
      key: `d${String(i).padStart(4, '0')}`,
      lang: 'en',
      contentMd: i < 10 ? 'whales tea' : `red apples ${i}`,
      meta: {},
    }));
    // The queue of embeddings has room for fewer documents.
    for (let i = 0; i < documents.length; i += 500) {
      await fixture.call('addDocuments', { collection: 'c', documents: documents.slice(i, i + 500) });
      await fixture.base.caughtUp();
    }
    const page = await ask('searchVectors', { sort: 'key:asc', limit: 3 });
    expect(keysOf(page)).toEqual(['d0010', 'd0011', 'd0012']);
    expect(keysOf(await ask('searchVectors', { sort: 'key:asc', offset: 998, limit: 10 }))).toEqual(['d1008', 'd1009']);
  }, 60_000);
});

describe('hybrid search by cursor', () => {
  it('goes from the nearest place to the farthest', async () => {
    await store([['52.52', '13.40'], ['48.85', '2.35'], ['52.40', '13.07'], ['50.11', '8.68']].map(([lat, lng]) => ({
      geo_lat: [lat!],
      geo_lng: [lng!],
    })));
    const near = { sort: 'distance', geo: { lat: 52.52, lng: 13.4, radiusMeters: 2e6 } };
    expect((await walk('searchHybrid', { ...near, limit: 1 })).map(({ document }) => document.key)).toEqual(
      keysOf(await ask('searchHybrid', near)),
    );
    const { nextCursor: cursor } = await ask('searchHybrid', { ...near, cursor: '*', limit: 1 });
    await expect(ask('searchHybrid', { ...near, geo: { ...near.geo, lat: 50 }, cursor })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('hides what curation hides, and pins nothing', async () => {
    const keys = await store(Array.from({ length: 5 }, () => ({})));
    await fixture.call('createCurationRule', {
      collection: 'c',
      query: 'red apples',
      pins: [{ key: 'k04', position: 1 }],
      hides: ['k00'],
      enabled: true,
    });
    expect((await walk('searchHybrid', { sort: 'key:asc', limit: 2 })).map(({ document }) => document.key)).toEqual(
      keys.slice(1),
    );
    expect(keysOf(await ask('searchHybrid', { sort: 'key:asc' }))).toEqual(['k04', 'k01', 'k02', 'k03']);
  });
});
