import { afterEach, expect, it } from 'vitest';
import { OperationsFixture } from '../classify/test-fixture.ts';
import { Meaning } from '../test-fixture.ts';

/** A model that takes whales for apples. */
class Confused extends Meaning {
  override vectorOf(text: string): number[] {
    return super.vectorOf(text.replaceAll('whales', 'apples'));
  }
}

let fixture: OperationsFixture;
afterEach(() => fixture.close());

async function filled(): Promise<void> {
  fixture = await OperationsFixture.open({ models: { confused: new Confused('confused', 16) } });
  const { base } = fixture;
  const { id } = await base.call('createEmbeddingConfig', {
    name: 'confused',
    provider: 'openai',
    model: 'confused',
    apiKey: 'k',
  });
  await base.call('setCollectionConfig', {
    collection: 'c',
    vectors: { own: { dimensions: 4 }, next: { source: 'provider', embedding: id } },
  });
  await fixture.store({ 'c|a|en': 'red apples', 'c|b|en': 'whales', 'c|b|de': 'Wale', 'c|d|en': 'green tea' });
}

const queries = [{ query: 'whales', relevant: [{ key: 'b', lang: 'en' }] }, {
  query: 'red apples',
  relevant: [{
    key: 'a',
  }],
}, { query: 'green tea', relevant: [{ key: 'd' }, { key: 'none' }] }, { query: 'tea' }];

it('says how well fields find what answers questions, and how much they agree', async () => {
  await filled();
  const answer = await fixture.call('evaluateVectors', { collection: 'C', queries, topK: 1 });
  expect(answer).toMatchObject({
    collection: 'C',
    topK: 1,
    queries: 4,
    judged: 3,
    fields: [{ vectorField: '_server', model: 'words', dimensions: 32, documents: 4, mrr: 1 }, {
      vectorField: 'next',
      model: 'confused',
      dimensions: 16,
      documents: 4,
    }],
  });
  const [server, next] = answer.fields;
  expect(server!.recall).toBeCloseTo((1 + 1 + 0.5) / 3);
  expect(server!.mrr).toBeGreaterThanOrEqual(next!.mrr);
  expect(answer.agreement).toEqual([{ vectorFields: ['_server', 'next'], overlap: expect.any(Number) }]);
});

it('leaves out the vectors of a server that makes none', async () => {
  fixture = await OperationsFixture.open({ embedding: { provider: 'none' } });
  const { base } = fixture;
  await expect(fixture.call('evaluateVectors', { collection: 'c', queries })).rejects.toMatchObject({
    message: 'embedding provider not configured',
  });
  const { id } = await base.call('createEmbeddingConfig', { name: 'o', provider: 'openai', model: 'm', apiKey: 'k' });
  await base.call('setCollectionConfig', { collection: 'c', vectors: { next: { source: 'provider', embedding: id } } });
  const { fields } = await fixture.call('evaluateVectors', { collection: 'c', queries });
  expect(fields.map(({ vectorField }) => vectorField)).toEqual(['next']);
});

it('compares the named fields alone, and refuses those without a provider', async () => {
  await filled();
  const answer = await fixture.call('evaluateVectors', { collection: 'c', vectorFields: ['next'], queries });
  expect([answer.fields.map(({ vectorField }) => vectorField), answer.agreement]).toEqual([['next'], []]);
  const refused = (input: object, message: string) =>
    expect(fixture.call('evaluateVectors', { collection: 'c', queries, ...input })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
    });
  await refused({ vectorFields: ['own'] }, 'vectorFields[0] must be of the source provider');
  await refused({ vectorFields: ['none'] }, 'vectorField must be a declared vector field of the collection');
  await refused({ queries: [{ query: ' ' }] }, 'queries[0].query must not be blank');
});
