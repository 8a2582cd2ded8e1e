import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../../embedding/index.ts';
import { meanTwin, similarityTwin } from '../../../kernels/similarity-twin.ts';
import { type FixtureOptions, Meaning } from '../test-fixture.ts';
import { OperationsFixture } from './test-fixture.ts';

const fixtures: OperationsFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
});
async function open(options?: FixtureOptions): Promise<OperationsFixture> {
  const fixture = await OperationsFixture.open(options);
  fixtures.push(fixture);
  return fixture;
}

const labels = ['cats and dogs', 'stock market', 'cats'];
const round = (score: number): number => Number(score.toPrecision(8));

describe('classifying (decisions section 4.3)', () => {
  it('scores the labels for a text, best first', async () => {
    const { call, base: { meaning } } = bound(await open());
    const scores = labels.map((label) => ({
      label,
      score: round(similarityTwin(meaning.vectorOf('my cats sleep'), meaning.vectorOf(label), 'cosine')),
    }));
    const answer = await call('classifyDocument', { text: 'my cats sleep', labels, threshold: -1 });
    expect(answer).toMatchObject({ model: 'words', dimensions: 32 });
    expect(answer.results.map(({ label }) => label)).toEqual(
      scores.toSorted((a, b) => b.score - a.score).map(({ label }) => label),
    );
    for (const { label, score } of answer.results)
      expect(score).toBeCloseTo(scores.find((one) => one.label === label)!.score, 6);
    expect(answer.results[0]!.label).toBe('cats');
  });

  it('keeps the best topK, or with multi all, of those that reach the threshold', async () => {
    const { call } = bound(await open());
    const of = async (more: object) =>
      (await call('classifyDocument', { text: 'cats and dogs', labels, ...more })).results.map(({ label }) => label);
    expect(await of({ threshold: 0.99 })).toEqual(['cats and dogs']);
    expect(await of({ threshold: 1, multi: true })).toEqual(['cats and dogs']);
    expect(await of({ threshold: -1, topK: 2 })).toHaveLength(2);
    expect(await of({ threshold: -1, topK: 1, multi: true })).toHaveLength(3);
    expect(await of({ threshold: -1 })).toHaveLength(3);
    expect(await of({ labels: ['cats', 'cats'], threshold: -1 })).toEqual(['cats', 'cats']);
  });

  it('takes the unit mean of the stored vectors of a document, and embeds labels alone', async () => {
    const fixture = await open();
    const { call, base } = bound(fixture);
    await fixture.store({
      'c|pets|en': 'cats sleep all day long here.\n\ndogs bark at the moon all night.',
      'C|Börse|de': 'stock market',
    });
    const stored = await base.embeddings.of('').vectorsOfDocuments([await base.ordOf('pets')]);
    expect(stored.length).toBeGreaterThan(1);
    const mean = Array.from(stored[0]!.vector, (_, i) => stored.reduce((sum, { vector }) => sum + vector[i]!, 0));
    let texts: readonly string[] = [];
    base.meaning.failure = (some) => void (texts = [...texts, ...some]);
    const { results } = await call('classifyDocument', {
      collection: 'c',
      key: 'pets',
      labels: ['dogs bark'],
      threshold: -1,
    });
    expect(results[0]!.score).toBeCloseTo(similarityTwin(mean, base.meaning.vectorOf('dogs bark'), 'cosine'), 6);
    expect(texts).toEqual(['dogs bark']);
    expect(
      (await call('classifyDocument', { collection: 'c', key: 'Börse', lang: 'de', labels: ['stock market'] })).results,
    ).toEqual([{ label: 'stock market', score: 1 }]);
  });

  it('embeds the present body of a document whose vectors are missing, of a former body, or of another model', async () => {
    const fixture = await open();
    const { call, base } = bound(fixture);
    await fixture.store({ 'c|a|en': 'stock market' });
    await base.addUnembedded('a', 'cats and dogs');
    await base.addUnembedded('b', 'cats and dogs');
    for (const key of ['a', 'b']) {
      expect((await call('classifyDocument', { collection: 'c', key, labels, topK: 1 })).results).toEqual([{
        label: 'cats and dogs',
        score: 1,
      }]);
    }
    const later = await fixture.crashed({ meaning: new Meaning('other', 16) });
    fixtures.push(later);
    expect(await later.call('classifyDocument', { collection: 'c', key: 'a', labels, topK: 1 })).toEqual({
      results: [{ label: 'cats and dogs', score: 1 }],
      model: 'other',
      dimensions: 16,
    });
  });

  it('finds nothing for a blank document', async () => {
    const fixture = await open();
    await fixture.store({ 'c|blank|en': '  \n' });
    expect(await fixture.call('classifyDocument', { collection: 'c', key: 'blank', labels, threshold: -1 })).toEqual({
      results: [],
      model: 'words',
      dimensions: 32,
    });
  });

  it('classifies long texts by all their passages', async () => {
    const fixture = await open();
    const text = `${'cats purr and sleep in the sun. '.repeat(20)}\n\n${
      'the stock market fell again today. '.repeat(20)
    }`;
    const vectors = fixture.base.embeddings.of('').chunksOf({ key: 'text', meta: {}, contentMd: text }).map((chunk) =>
      fixture.base.meaning.vectorOf(chunk.text)
    );
    expect(vectors.length).toBeGreaterThan(20);
    const { results } = await fixture.call('classifyDocument', { text, labels: ['cats'], threshold: -1 });
    expect(results[0]!.score).toBeCloseTo(
      similarityTwin(meanTwin(vectors), fixture.base.meaning.vectorOf('cats'), 'cosine'),
      6,
    );
  });

  it('refuses what it cannot classify, and says why', async () => {
    const fixture = await open();
    await fixture.store({ 'c|a|en': 'cats' });
    const refused = (input: object) => expect(fixture.call('classifyDocument', { labels, ...input })).rejects;
    await refused({}).toMatchObject({ code: 'missing_fields', message: 'missing fields: text, or collection and key' });
    await refused({ collection: 'c' }).toMatchObject({ code: 'missing_fields', message: 'missing fields: key' });
    await refused({ key: 'a' }).toMatchObject({ code: 'missing_fields', message: 'missing fields: collection' });
    await refused({ text: ' \t' }).toMatchObject({ code: 'invalid_argument', message: 'text must not be blank' });
    await refused({ text: 'x', labels: ['a', ' '] }).toMatchObject({
      code: 'invalid_argument',
      message: 'labels[1] must not be blank',
    });
    await refused({ text: 'x', labels: [] }).toMatchObject({ status: 400 });
    await refused({ text: 'x', labels: Array.from({ length: 101 }, (_, i) => `l${i}`) }).toMatchObject({ status: 400 });
    await refused({ collection: 'c', key: 'none' }).toMatchObject({ code: 'not_found' });
    await refused({ collection: 'none', key: 'a' }).toMatchObject({ code: 'not_found' });
    await refused({ collection: 'c', key: 'A' }).toMatchObject({ code: 'not_found' });
    fixture.base.meaning.failure = () => new EmbeddingError('connection refused', { retryable: true });
    await refused({ text: 'other' }).toMatchObject({
      code: 'unavailable',
      message: 'embedding failed: connection refused',
    });
  });

  it('needs a provider, even for a document that has vectors', async () => {
    const fixture = await open({ embedding: { provider: 'none' } });
    await fixture.store({ 'c|a|en': 'cats' });
    for (const input of [{ text: 'cats' }, { collection: 'c', key: 'a' }]) {
      await expect(fixture.call('classifyDocument', { labels, ...input })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: 'embedding provider not configured',
      });
    }
  });

  it('waits for the provider without a place among the searches', async () => {
    const fixture = await open();
    const { base } = fixture;
    const held = Promise.withResolvers<void>();
    base.meaning.held = held.promise;
    const answer = fixture.call('classifyDocument', { text: 'cats', labels });
    expect(await base.gate.run(async () => 'free', AbortSignal.timeout(1000))).toBe('free');
    held.resolve();
    expect((await answer).results.length).toBeGreaterThan(0);
  });
});

function bound(fixture: OperationsFixture): { call: OperationsFixture['call']; base: OperationsFixture['base'] } {
  return { call: fixture.call.bind(fixture), base: fixture.base };
}
