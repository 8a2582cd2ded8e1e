import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { similarTwin } from '../../../kernels/similarity-twin.ts';
import { OperationsFixture } from '../classify/test-fixture.ts';
import { type FixtureOptions, Meaning } from '../test-fixture.ts';

const fixtures: OperationsFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
});
async function open(options?: FixtureOptions): Promise<OperationsFixture> {
  const fixture = await OperationsFixture.open(options);
  fixtures.push(fixture);
  return fixture;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
type Group = { documents: { docId: string }[] };
const idsOf = (groups: Group[]): string[][] => groups.map(({ documents }) => documents.map(({ docId }) => docId));

describe('finding duplicates (decisions section 4.3)', () => {
  it('groups documents of equal body', async () => {
    const fixture = await open();
    const large = 'large '.repeat(60_000);
    await fixture.store({
      'c|b|en': 'same',
      'c|a|en': 'same',
      'c|a|de': 'same',
      'c|x|en': '',
      'c|y|en': '',
      'c|z|en': 'other',
      'c|l1|en': large,
      'c|l2|en': large,
      'd|a|en': 'same',
    });
    const answer = await fixture.call('findDuplicates', { collection: 'C', mode: 'exact', includeContent: true });
    expect(idsOf(answer.exactGroups)).toEqual([['c|a|de', 'c|a|en', 'c|b|en'], ['c|l1|en', 'c|l2|en'], ['c|x|en',
      'c|y|en']]);
    expect(answer.exactGroups[0]).toMatchObject({ groupId: 'exact-1', type: 'exact', score: 1 });
    expect(answer.exactGroups[0]!.documents[0]).toEqual({
      docId: 'c|a|de',
      key: 'a',
      lang: 'de',
      contentHash: sha256('same'),
      score: 1,
      contentMd: 'same',
    });
    expect(answer.exactGroups[1]!.documents[1]).toMatchObject({ contentHash: sha256(large), contentMd: large });
    expect(answer).toMatchObject({
      collection: 'C',
      mode: 'exact',
      threshold: 0.9,
      distanceMetric: 'cosine',
      totalDocuments: 8,
      totalEmbedded: 6,
      similarGroups: [],
      exactDuplicates: 7,
      similarPairs: 0,
    });
  });

  it('distinguishes bodies of equal checksum and length', async () => {
    const fixture = await open({ embedding: { provider: 'none' } });
    await fixture.store({ 'c|a|en': 'one', 'c|b|en': 'two', 'c|c|en': 'two' });
    await fixture.base.sql.transaction(async (tx) => void await tx.run('UPDATE documents SET crc = 7'));
    const answer = await fixture.call('findDuplicates', { collection: 'c' });
    expect(idsOf(answer.exactGroups)).toEqual([['c|b|en', 'c|c|en']]);
    expect(answer).toMatchObject({ mode: 'both', totalEmbedded: 0, exactDuplicates: 2, similarGroups: [] });
    expect(answer.exactGroups[0]!.documents[0]).not.toHaveProperty('contentMd');
  });

  it('groups chains of similar documents as comparing all pairs one by one does', async () => {
    const fixture = await open();
    const words = ['cats', 'dogs', 'sleep', 'bark', 'market', 'fell', 'moon'];
    const texts = fc.sample(fc.array(fc.subarray(words, { minLength: 1 }), { minLength: 40, maxLength: 40 }), {
      numRuns: 1,
      seed: 5,
    })[0]!.map((some) => some.join(' '));
    await fixture.store(Object.fromEntries(texts.map((text, i) => [`c|k${String(i).padStart(2, '0')}|en`, text])));
    for (const distanceMetric of ['cosine', 'dot_product', 'euclidean'] as const) {
      for (const threshold of [0.5, 0.8123, 0.99]) {
        const expected = similarTwin(texts.map((text) => fixture.base.meaning.vectorOf(text)), distanceMetric,
          threshold);
        const answer = await fixture.call('findDuplicates', {
          collection: 'c',
          mode: 'similar',
          threshold,
          distanceMetric,
        });
        expect(answer.similarPairs).toBe(expected.pairs);
        expect(idsOf(answer.similarGroups)).toEqual(
          expected.groups.map(({ rows }) => rows.map((row) => `c|k${String(row).padStart(2, '0')}|en`)),
        );
        for (const [i, { score, documents }] of answer.similarGroups.entries()) {
          expect(score).toBeCloseTo(expected.groups[i]!.score, 5);
          expect(documents.map((document) => document.contentHash)).toEqual(
            expected.groups[i]!.rows.map((row) => sha256(texts[row]!)),
          );
          for (const [j, document] of documents.entries())
            expect(document.score).toBeCloseTo(expected.groups[i]!.best[j]!, 5);
        }
      }
    }
  });

  it('compares documents by the mean of their passages', async () => {
    const fixture = await open();
    const [one, two] = ['cats sleep all day long here.', 'dogs bark at the moon all night.'];
    await fixture.store({ 'c|a|en': `${one}\n\n${two}`, 'c|b|en': `${two}\n\n${one}`, 'c|c|en': one });
    const answer = await fixture.call('findDuplicates', {
      collection: 'c',
      threshold: 0.999,
      distanceMetric: 'euclidean',
    });
    expect(idsOf(answer.similarGroups)).toEqual([['c|a|en', 'c|b|en']]);
  });

  it('looks at the first documents by id, and at none that have expired', async () => {
    const fixture = await open();
    await fixture.store({ 'c|a|en': 'same' }, { ttl: 60 });
    await fixture.store({ 'c|d|en': 'same', 'c|c|en': 'same', 'c|b|en': 'same', 'c2|a|en': 'same' });
    const ids = async (maxDocs: number) => {
      const { exactGroups, similarGroups, totalDocuments } = await fixture.call('findDuplicates', {
        collection: 'c',
        maxDocs,
      });
      expect(idsOf(similarGroups)).toEqual(idsOf(exactGroups));
      return [totalDocuments, ...idsOf(exactGroups)];
    };
    expect(await ids(1)).toEqual([1]);
    expect(await ids(2)).toEqual([2, ['c|a|en', 'c|b|en']]);
    expect(await ids(5000)).toEqual([4, ['c|a|en', 'c|b|en', 'c|c|en', 'c|d|en']]);
    fixture.base.advance(61);
    expect(await ids(2)).toEqual([2, ['c|b|en', 'c|c|en']]);
  });

  it('compares neither vectors of a former body nor vectors of different models', async () => {
    const fixture = await open();
    await fixture.store({ 'c|a|en': 'cats sleep', 'c|b|en': 'cats sleep', 'c|c|en': 'cats sleep' });
    await fixture.base.addUnembedded('b', 'the stock market fell');
    const answer = await fixture.call('findDuplicates', { collection: 'c', mode: 'similar' });
    expect([answer.totalEmbedded, ...idsOf(answer.similarGroups)]).toEqual([2, ['c|a|en', 'c|c|en']]);
    const later = await fixture.crashed({ meaning: new Meaning('other', 32) });
    fixtures.push(later);
    await later.store({ 'c|d|en': 'cats sleep', 'c|e|en': 'cats sleep' });
    const mixed = await later.call('findDuplicates', { collection: 'c', mode: 'similar' });
    expect(idsOf(mixed.similarGroups)).toEqual([['c|a|en', 'c|c|en'], ['c|d|en', 'c|e|en']]);
    expect(mixed.similarPairs).toBe(2);
  });

  it('finds nothing in a collection that is empty, or does not exist', async () => {
    const fixture = await open();
    const nothing = {
      totalDocuments: 0,
      totalEmbedded: 0,
      exactGroups: [],
      similarGroups: [],
      exactDuplicates: 0,
      similarPairs: 0,
    };
    expect(await fixture.call('findDuplicates', { collection: 'none' })).toMatchObject(nothing);
  });

  it('ends when the client has gone', async () => {
    const fixture = await open();
    await fixture.store({ 'c|a|en': 'cats', 'c|b|en': 'cats' });
    await expect(fixture.call('findDuplicates', { collection: 'c' }, AbortSignal.abort(new Error('gone')))).rejects
      .toThrow();
    const controller = new AbortController();
    const answer = fixture.call('findDuplicates', { collection: 'c', mode: 'similar' }, controller.signal);
    setImmediate(() => controller.abort(new Error('gone')));
    await expect(answer).rejects.toThrow();
    expect((await fixture.call('findDuplicates', { collection: 'c', mode: 'similar' })).similarPairs).toBe(1);
  });
});
