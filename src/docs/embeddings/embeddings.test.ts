import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../embedding/index.ts';
import { EmbeddingFixture, Script, vectorOf } from '../../testkit/embedding-fixture.ts';

const fixtures: EmbeddingFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
});
async function open(...args: Parameters<typeof EmbeddingFixture.open>): Promise<EmbeddingFixture> {
  const fixture = await EmbeddingFixture.open(...args);
  fixtures.push(fixture);
  return fixture;
}

describe('vectors of texts', () => {
  it('are those of the provider, a query remembered', async () => {
    const { embeddings, script } = await open();
    const controller = new AbortController();
    expect(await embeddings.of('').embedQuery('how', controller.signal)).toEqual({
      vector: vectorOf('how'),
      model: 'own-model',
      variant: 'plain',
      dimensions: 4,
    });
    await embeddings.of('').embedQuery('how');
    expect(script.calls).toEqual([{ texts: ['how'], role: 'query', model: 'own-model' }]);
    const texts = Array.from({ length: 9 }, (_, i) => `label ${i}`);
    expect((await embeddings.of('').embedTexts(texts, 'document')).vectors).toEqual(
      texts.map((text) => vectorOf(text)),
    );
    expect(script.calls.map(({ texts: { length } }) => length)).toEqual([1, 4, 4, 1]);
  });

  it('cannot be computed by a provider that fails, or without one', async () => {
    const { embeddings, script } = await open();
    script.failure = () => new EmbeddingError('connection refused', { retryable: true });
    await expect(embeddings.of('').embedQuery('q')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'embedding failed: connection refused',
    });
    const without = await open({ provider: 'none' });
    await expect(without.embeddings.of('').embedTexts(['q'], 'query')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'embedding provider not configured',
    });
  });
});

describe('a start', () => {
  it('warns once of each collection whose vectors are of another model, and embeds nothing again', async () => {
    const fixture = await open({ model: 'old' });
    await fixture.add('a', 'one');
    await fixture.add('b', 'two');
    await fixture.call('addDocument', { collection: 'other', key: 'c', lang: 'en', contentMd: 'three' });
    await fixture.embeddings.settled();
    expect(fixture.warnings).toEqual([]);
    const script = new Script();
    const later = await fixture.crashed({ model: 'new' }, script);
    fixtures.push(later);
    await later.embeddings.settled();
    expect(later.warnings.map((warning) => 'collection' in warning && warning.collection)).toEqual(['blog', 'other']);
    expect(later.warnings[0]).toMatchObject({
      model: 'new',
      found: [{ model: 'old', variant: 'plain', documents: 2 }],
    });
    expect(script.calls).toEqual([]);
    expect(await later.stats()).toMatchObject({
      model: 'new',
      collections: { blog: { stale: true, model: 'old', variant: 'plain' } },
    });
  });
});

describe('a restore', () => {
  it('brings back the vectors of the backup, and goes on with what waited then', async () => {
    const fixture = await open();
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    fixture.script.hold();
    await fixture.add('b', 'two');
    await fixture.script.reached;
    await fixture.call('createBackup', { to: 'b.db' });
    fixture.script.release();
    await fixture.embeddings.settled();
    await fixture.add('a', 'changed');
    await fixture.add('c', 'three');
    await fixture.embeddings.settled();
    const calls = fixture.script.texts.length;

    await fixture.call('restoreBackup', { from: 'b.db' });
    await fixture.embeddings.settled();
    expect(fixture.script.texts.slice(calls)).toEqual(['two']);
    const vectors = (await Array.fromAsync(fixture.embeddings.vectorsOfCollection('blog'))).flat();
    expect(vectors.map(({ vector }) => vector)).toEqual([vectorOf('one'), vectorOf('two')]);
    await fixture.add('d', 'after');
    await fixture.embeddings.settled();
    expect(await fixture.embedded('d')).toBe(1);
    expect((await fixture.stats()).queue).toMatchObject({ depth: 0, dropped: 0 });
  });

  it('queues what the backup had in its feed alone, and nothing that was skipped', async () => {
    const fixture = await open();
    await fixture.add('a', 'one');
    await fixture.call('ingestDocuments', {
      collection: 'blog',
      documents: [{ key: 's', lang: 'en', contentMd: 'skipped' }],
      options: { skipEmbeddings: true },
    });
    await fixture.embeddings.settled();
    await fixture.embeddings.stop(); // later writes are not followed yet
    await fixture.add('b', 'two');
    await fixture.call('createBackup', { to: 'b.db' });
    await fixture.embeddings.start();
    await fixture.embeddings.settled();
    const calls = fixture.script.texts.length;
    await fixture.call('restoreBackup', { from: 'b.db' });
    await fixture.embeddings.settled();
    expect(fixture.script.texts.slice(calls)).toEqual(['two']);
    expect(await fixture.states()).toEqual(['s skipped']);
  });
});

describe('the metrics of embeddings (decisions section 4.1)', () => {
  it('report provider, queue, cache and vectors', async () => {
    const fixture = await open({ queueSize: 1 });
    const registry = new Registry();
    fixture.embeddings.registerMetrics([registry]);
    await fixture.embeddings.of('').embedQuery('q');
    await fixture.embeddings.of('').embedQuery('q');
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    fixture.script.hold();
    await fixture.add('b', 'two');
    await fixture.script.reached;
    await fixture.add('c', 'three');
    const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toEqual(['svc_vector_embeddings_total{collection="blog"} 1', 'svc_embedding_provider_configured 1',
      'svc_embedding_queue_size 1', 'svc_embedding_queue_dropped_total 1', 'svc_embedding_cache_hits_total 1',
      'svc_embedding_cache_misses_total 1', 'svc_embedding_cache_size 1', 'svc_embedding_token_bytes 0']);
    expect(await registry.metrics()).toContain('svc_embedding_queue_dropped_total 1\n');
  });
});
