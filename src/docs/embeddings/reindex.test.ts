import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../embedding/index.ts';
import { EmbeddingFixture, vectorOf } from '../../testkit/embedding-fixture.ts';

let fixture: EmbeddingFixture;
afterEach(() => fixture.close());

const reindex = (more: object = {}, signal?: AbortSignal) =>
  fixture.call('reindexVectors', { collection: 'Blog', ...more }, signal);
/** Documents that were written with embeddings skipped. */
async function unembedded(keys: readonly string[]): Promise<void> {
  fixture = await EmbeddingFixture.open();
  const documents = keys.map((key) => ({ key, lang: 'en', contentMd: `text ${key}` }));
  await fixture.call('ingestDocuments', { collection: 'blog', documents, options: { skipEmbeddings: true } });
  await fixture.embeddings.settled();
}
const keys = (count: number) => Array.from({ length: count }, (_, i) => `k${String(i).padStart(3, '0')}`);

describe('POST /v1/vector-reindex', () => {
  it('embeds what is missing and skips what is up to date', async () => {
    await unembedded(keys(150));
    await fixture.add('k000', 'embedded by the queue');
    await fixture.embeddings.settled();
    expect(await reindex()).toEqual({ embedded: 149, skipped: 1, failed: 0, errors: [], totalChunks: 149 });
    expect(await fixture.states()).toEqual([]);
    expect(await reindex()).toEqual({ embedded: 0, skipped: 150, failed: 0, errors: [], totalChunks: 0 });
    expect(await fixture.call('reindexVectors', { collection: 'unknown' })).toEqual({
      embedded: 0,
      skipped: 0,
      failed: 0,
      errors: [],
      totalChunks: 0,
    });
  });

  it('embeds all with force, and so converts the type that is stored (decision D-41)', async () => {
    await unembedded(keys(3));
    await reindex();
    await fixture.call('setCollectionConfig', { collection: 'blog', quantization: 'int4' });
    expect(await reindex()).toMatchObject({ skipped: 3 });
    expect(await reindex({ force: true })).toEqual({ embedded: 3, skipped: 0, failed: 0, errors: [], totalChunks: 3 });
    expect((await Array.fromAsync(fixture.embeddings.vectorsOfCollection('blog'))).flat().map(({ stored }) => stored))
      .toEqual(['int4', 'int4', 'int4']);
  });

  it.each([['another model', { model: 'other' }], ['another variant', { dimensions: 2 }], ['another way of chunking', {
    chunkMode: 'code' as const,
  }], ['other chunk sizes', { chunkSize: 200 }], ['no chunks', { chunkEnabled: false }]])(
    'embeds what was made with %s',
    async (_, changed) => {
      await unembedded(keys(3));
      await reindex();
      const survivor = await fixture.crashed(changed);
      expect(await survivor.call('reindexVectors', { collection: 'blog' })).toMatchObject({ embedded: 3, skipped: 0 });
      expect(await survivor.stats()).toMatchObject({ collections: { blog: { stale: false } } });
      await survivor.close();
    },
  );

  it('leaves expired documents out', async () => {
    await unembedded(['a', 'b']);
    await fixture.call('setDocumentTtl', { collection: 'blog', key: 'a', lang: 'en', ttl: 1 });
    fixture.advance(1000);
    expect(await reindex()).toMatchObject({ embedded: 1, skipped: 0, failed: 0 });
    expect(await fixture.stats()).toMatchObject({
      collections: { blog: { total_documents: 1, embedded_documents: 1 } },
    });
  });

  it('counts a document that fails and goes on; it keeps the vectors it had', async () => {
    await unembedded(['a', 'b', 'c']);
    await reindex();
    fixture.script.failure = (
      texts,
    ) => (texts.includes('text b')
      ? new EmbeddingError('b is too long', { retryable: false, status: 400 })
      : undefined);
    expect(await reindex({ force: true })).toEqual({
      embedded: 2,
      skipped: 0,
      failed: 1,
      errors: ['blog|b|en: b is too long'],
      totalChunks: 2,
    });
    expect(await fixture.embedded('b')).toBe(1);
    expect(await fixture.stats()).toMatchObject({
      collections: { blog: { failed_documents: 1, embedded_documents: 3 } },
    });
  });

  it('abandons a provider that fails again and again, and counts the rest as failed', async () => {
    await unembedded(keys(200));
    fixture.script.failure = () => new EmbeddingError('connection refused', { retryable: true });
    const result = await reindex();
    expect(result).toMatchObject({ embedded: 0, skipped: 0, failed: 200, totalChunks: 0 });
    expect(result.errors).toHaveLength(101);
    expect(result.errors![0]).toMatch(/^blog\|k\d+\|en: connection refused$/);
    expect(result.errors!.at(-1)).toBe('and 100 more');
    expect(fixture.script.calls.length).toBeLessThan(6);
    fixture.script.failure = () => undefined;
    expect(await reindex()).toMatchObject({ embedded: 200 });
  });

  it('returns 400 without a provider', async () => {
    fixture = await EmbeddingFixture.open({ provider: 'none' });
    await expect(reindex()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'embedding provider not configured',
    });
  });

  it('is done once for all who ask at the same time', async () => {
    await unembedded(keys(5));
    fixture.script.hold();
    const both = Promise.all([reindex(), reindex()]);
    await fixture.script.reached;
    const forced = reindex({ force: true });
    fixture.script.release();
    const [first, second] = await both;
    expect(first).toEqual({ embedded: 5, skipped: 0, failed: 0, errors: [], totalChunks: 5 });
    expect(second).toEqual(first);
    expect(await forced).toMatchObject({ embedded: 5, skipped: 0 });
    expect(fixture.script.texts).toHaveLength(10);
  });

  it('goes on while anybody waits for it, and is stopped when all have gone', async () => {
    await unembedded(keys(5));
    fixture.script.hold();
    const clients = [new AbortController(), new AbortController()];
    const runs = clients.map(({ signal }) => reindex({}, signal));
    const outcomes = Promise.allSettled(runs);
    await fixture.script.reached;
    clients[0]!.abort(new Error('gone'));
    await expect(runs[0]).rejects.toThrow('gone');
    clients[1]!.abort(new Error('gone too'));
    await outcomes;
    fixture.script.release();
    expect(await reindex()).toMatchObject({ embedded: 5 });
  });

  it('does not store the vectors of a body that was replaced meanwhile', async () => {
    await unembedded(['a']);
    fixture.script.hold();
    const run = reindex();
    await fixture.script.reached;
    await fixture.add('a', 'newer');
    fixture.script.release();
    expect(await run).toMatchObject({ embedded: 0, skipped: 1 });
    await fixture.embeddings.settled();
    expect((await Array.fromAsync(fixture.embeddings.vectorsOfCollection('blog'))).flat().map(({ vector }) => vector))
      .toEqual([vectorOf('newer')]);
  });
});
