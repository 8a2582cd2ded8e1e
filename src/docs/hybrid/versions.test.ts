import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../embedding/index.ts';
import type { NearestResult } from '../search/index.ts';
import { HybridFixture, keysOf } from './test-fixture.ts';

let fixture: HybridFixture;
afterEach(() => fixture.close());

/** A fixture in which something happens between the vector search and the reading of its results. */
async function interrupted(meanwhile: (call: number) => Promise<void>): Promise<void> {
  let calls = 0;
  fixture = await HybridFixture.open({
    between: (meaning) => ({
      ...meaning,
      async searchByVector(query, signal) {
        const result = await meaning.searchByVector(query, signal);
        await meanwhile(++calls);
        return result;
      },
    }),
  });
}

const cosine = (a: string, b: string): number => {
  const [x, y] = [fixture.base.meaning.vectorOf(a), fixture.base.meaning.vectorOf(b)];
  return x.reduce((sum, value, i) => sum + value * y[i]!, 0);
};

describe('a result is of one version of its document', () => {
  it('leaves out a document that matched, but is another one when it is read', async () => {
    await interrupted(async (call) => (call === 1 ? fixture.add('a', 'green pear') : undefined));
    await fixture.write('b', 'a red apple');
    await fixture.add('a', 'red apple');
    expect(keysOf(await fixture.find('apple', { threshold: 0.5, facetBy: ['lang'] }))).toEqual(['b']);
  });

  it('counts and scores what it became instead', async () => {
    await interrupted(async (call) => (call === 1 ? fixture.add('a', 'red apple tree', { kind: ['new'] }) : undefined));
    await fixture.add('a', 'red apple', { kind: ['old'] });
    const { results, facets } = await fixture.find('red apple', {
      includeContent: true,
      facetBy: ['kind'],
      retrievalMode: 'chunk',
    });
    expect(results).toMatchObject([{
      document: { contentMd: 'red apple tree', meta: { kind: ['new'] } },
      chunkText: 'red apple tree',
      vectorScore: expect.closeTo(cosine('red apple', 'red apple tree'), 5) as number,
    }]);
    expect(facets).toEqual({ kind: [{ value: 'new', count: 1 }] });
  });

  it('leaves out one that was deleted', async () => {
    await interrupted(async (
      call,
    ) => (call === 1
      ? void await fixture.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' })
      : undefined)
    );
    await fixture.add('a', 'red apple');
    expect(await fixture.find('apple', { facetBy: ['lang'] })).toMatchObject({
      results: [],
      total: 0,
      facets: { lang: [] },
    });
  });

  it('returns a document that never stops changing as it was last seen, with a passage of the body that was read', async () => {
    await interrupted(async (call) => fixture.write('a', `${'red '.repeat(call)}apple`));
    await fixture.add('a', 'red apple');
    const { results } = await fixture.find('apple', { includeContent: true, retrievalMode: 'chunk' });
    expect(keysOf({ results } as never)).toEqual(['a']);
    expect(results[0]!.document.contentMd).toContain(results[0]!.chunkText);
  });

  it('has no vector score if it was written after it was embedded', async () => {
    fixture = await HybridFixture.open();
    await fixture.add('a', 'red apple');
    fixture.base.meaning.failure = (
      texts,
    ) => (texts.includes('red pear') ? new EmbeddingError('away', { retryable: true }) : undefined);
    await fixture.write('a', 'red pear');
    expect((await fixture.find('red')).results).toMatchObject([{ ftsScore: 1, vectorScore: 0 }]);
    fixture.base.meaning.failure = () => undefined;
    await fixture.call('reindexVectors', { collection: 'c', force: true });
    await fixture.base.vectors.view.caughtUp();
    expect((await fixture.find('red')).results).toMatchObject([{
      ftsScore: 1,
      vectorScore: expect.closeTo(cosine('red', 'red pear'), 5) as number,
    }]);
  });

  it('takes no score of vectors that were replaced before the index knew', async () => {
    let former: NearestResult | undefined;
    fixture = await HybridFixture.open({
      between: (meaning) => ({
        ...meaning,
        async searchByVector(query, signal) {
          if (former === undefined) return meaning.searchByVector(query, signal);
          const late = former;
          former = undefined;
          await fixture.call('reindexVectors', { collection: 'c', force: true });
          await fixture.base.vectors.view.caughtUp();
          return late;
        },
      }),
    });
    await fixture.add('a', 'red apple');
    former = await fixture.base.vectors.of('c').searchByVector({
      ...await fixture.base.vectors.of('c').embedQuery('red'),
      collection: 'c',
      k: 1,
    });
    fixture.base.meaning.failure = (
      texts,
    ) => (texts.includes('red pear') ? new EmbeddingError('away', { retryable: true }) : undefined);
    await fixture.write('a', 'red pear');
    fixture.base.meaning.failure = () => undefined;
    expect((await fixture.find('red')).results).toMatchObject([{
      vectorScore: expect.closeTo(cosine('red', 'red pear'), 5) as number,
    }]);
    expect(cosine('red', 'red pear')).not.toBeCloseTo(cosine('red', 'red apple'), 2);
  });

  it.each(['parent', 'chunk', 'window'])(
    'keeps document, terms, scores and passages together while documents are written and embedded, in the mode %s',
    async (retrievalMode) => {
      const bodies = ['red apple', 'green pear', 'apple tree by the sea', 'pear tree'];
      const keys = ['a', 'b', 'c', 'd', 'e'];
      let writes = 0;
      const write = async (): Promise<void> => {
        const [key, body] = [keys[writes % keys.length]!, bodies[(writes * 7) % bodies.length]!];
        writes += 1;
        await fixture.write(key, body, { version: [body] });
      };
      let looks = 0;
      await interrupted(async () => {
        if (++looks <= 2) await write();
      });
      for (const _ of keys) await write();
      for (let i = 0; i < 25; i++) {
        looks = 0;
        await write();
        const { results } = await fixture.find('apple', {
          includeContent: true,
          retrievalMode,
          filterMeta: i % 2 === 0 ? {} : { version: [bodies[0]!, bodies[1]!] },
        });
        for (const { document: { contentMd, meta }, matchedTerms, ftsScore, vectorRank, vectorScore, chunkText }
          of results)
        {
          const matches = contentMd!.includes('apple');
          expect([ftsScore > 0, matchedTerms]).toEqual([matches, matches ? ['apple'] : []]);
          if (vectorRank !== undefined) expect(vectorScore).toBeCloseTo(Math.max(0, cosine('apple', contentMd!)), 5);
          if (retrievalMode !== 'parent') expect(chunkText).toBe(contentMd);
          expect(meta!['version']).toEqual([contentMd]);
          if (i % 2 === 1) expect(bodies.slice(0, 2)).toContain(contentMd);
        }
      }
    },
  );
});
