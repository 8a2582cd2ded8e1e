import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingFixture } from '../../../testkit/embedding-fixture.ts';

let fixture: EmbeddingFixture;
afterEach(() => fixture.close());

const documents = (...keys: string[]) => keys.map((key) => ({ key, lang: 'en', contentMd: `text ${key}` }));
const addBatch = (...keys: string[]) =>
  fixture.call('addDocuments', { collection: 'blog', documents: documents(...keys) });

/** A server whose queue of `queueSize` is full of documents named `fill…`, because the provider does not respond. */
async function full(queueSize: number, queueWaitMs: number): Promise<void> {
  fixture = await EmbeddingFixture.open({ queueSize, queueWaitMs });
  fixture.script.hold();
  await addBatch(...Array.from({ length: queueSize }, (_, i) => `fill${i}`));
  await fixture.script.reached;
}

async function finish(): Promise<void> {
  fixture.script.release();
  await fixture.embeddings.settled();
}

describe('a full queue (rules of /v1/add-batch, decision D-16)', () => {
  it('drops at once when writes are not to wait, and reports how many', async () => {
    await full(2, 0);
    expect(await addBatch('a', 'b', 'c')).toEqual({ added: 3, updated: 0, failed: 0, errors: [], embeddingDropped: 3 });
    expect(await fixture.call('ingestDocuments', { collection: 'blog', documents: documents('d') })).toMatchObject({
      added: 1,
      embeddingDropped: 1,
    });
    expect(await fixture.add('e', 'single')).toMatchObject({ key: 'e' });
    expect(fixture.timer.sleeps.filter((sleep) => sleep < 600_000)).toEqual([]);
    expect((await fixture.stats()).queue).toEqual({ size: 2, depth: 2, dropped: 5, wait: '0s' });
    await finish();
    expect(await fixture.states()).toEqual(['a dropped', 'b dropped', 'c dropped', 'd dropped', 'e dropped']);
    expect(fixture.script.texts.sort()).toEqual(['text fill0', 'text fill1']);
  });

  it('reports nothing when nothing was dropped', async () => {
    fixture = await EmbeddingFixture.open({ queueSize: 5 });
    expect(await addBatch('a', 'b')).toEqual({ added: 2, updated: 0, failed: 0, errors: [] });
  });

  it('lets a write wait, and embeds it when there is room in time', async () => {
    await full(1, 5000);
    const write = fixture.add('a', 'patient');
    await expect.poll(() => fixture.timer.sleeps).toContain(5000);
    expect(await fixture.count('documents')).toBe(1);
    fixture.script.release();
    await write;
    await fixture.embeddings.settled();
    expect(await fixture.embedded('a')).toBe(1);
    expect((await fixture.stats()).queue).toMatchObject({ dropped: 0, wait: '5s' });
  });

  it('lets a write through when the wait is over, without its embedding', async () => {
    await full(1, 5000);
    const write = addBatch('a', 'b');
    await expect.poll(() => fixture.timer.sleeps).toContain(5000);
    await fixture.timer.elapse();
    // The second transaction of a request does not wait again.
    expect(await write).toEqual({ added: 2, updated: 0, failed: 0, errors: [], embeddingDropped: 2 });
  });

  it('holds up nobody else while a write waits', async () => {
    await full(1, 5000);
    const waiting = fixture.add('a', 'patient');
    await expect.poll(() => fixture.timer.sleeps).toContain(5000);
    await fixture.call('deleteDocument', { collection: 'blog', key: 'fill0', lang: 'en' });
    await fixture.call('ingestDocuments', {
      collection: 'blog',
      documents: documents('other'),
      options: { skipEmbeddings: true },
    });
    await waiting; // the deleted document has freed its place
    await finish();
    expect(await fixture.embedded('a')).toBe(1);
  });

  it('takes no room for what needs none: the same body again, or a document that waits already', async () => {
    fixture = await EmbeddingFixture.open({ queueSize: 1 });
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    fixture.script.hold();
    await fixture.add('b', 'two');
    await fixture.script.reached;
    expect(await fixture.call('addDocuments', {
      collection: 'blog',
      documents: [{ key: 'a', lang: 'en', contentMd: 'one' }, { key: 'b', lang: 'en', contentMd: 'three' }],
    })).toEqual({ added: 0, updated: 2, failed: 0, errors: [] });
    await fixture.call('updateDocument', { collection: 'blog', key: 'a', lang: 'en', meta: { x: ['1'] } });
    await finish();
    expect(fixture.script.texts).toEqual(['one', 'two', 'three']);
    expect(await fixture.states()).toEqual([]);
    expect((await fixture.stats()).queue).toMatchObject({ depth: 0, dropped: 0 });
  });

  it('drops the vectors of a body that is no longer there', async () => {
    fixture = await EmbeddingFixture.open({ queueSize: 1 });
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    fixture.script.hold();
    await fixture.add('b', 'two');
    await fixture.script.reached;
    await fixture.call('updateDocument', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'changed' });
    await finish();
    expect(await fixture.embedded('a')).toBeUndefined();
    expect(await fixture.states()).toEqual(['a dropped']);
  });

  it('is repaired by a reindex', async () => {
    await full(1, 0);
    await addBatch('a', 'b');
    await finish();
    expect(await fixture.call('reindexVectors', { collection: 'blog' })).toEqual({
      embedded: 2,
      skipped: 1,
      failed: 0,
      errors: [],
      totalChunks: 2,
    });
    expect(await fixture.states()).toEqual([]);
    expect(await fixture.stats()).toMatchObject({
      collections: { blog: { total_documents: 3, embedded_documents: 3 } },
      queue: { depth: 0, dropped: 2 },
    });
  });

  it('counts only documents that were stored: items that fail or are skipped are not dropped', async () => {
    await full(1, 0);
    const items = [{ key: 'a|b', lang: 'en', contentMd: 'x' }, { key: 'fill0', lang: 'en', contentMd: 'text fill0' }, {
      key: 'c',
      lang: 'en',
      contentMd: 'y',
    }];
    expect(await fixture.call('ingestDocuments', {
      collection: 'blog',
      documents: items,
      options: { skipDuplicates: true },
    })).toMatchObject({ added: 1, skipped: 1, failed: 1, embeddingDropped: 1 });
  });

  it('returns a write that was given up its room', async () => {
    await full(1, 5000);
    const client = new AbortController();
    const write = fixture.call('addDocument', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'gone' },
      client.signal);
    await expect.poll(() => fixture.timer.sleeps).toContain(5000);
    client.abort(new Error('the client has gone'));
    await expect(write).rejects.toThrow('the client has gone');
    await finish();
    expect((await fixture.stats()).queue).toMatchObject({ depth: 0, dropped: 0 });
    expect((await addBatch('b')).embeddingDropped).toBeUndefined();
  });

  it('embeds all of a batch that is larger than the queue, when it is given the time', async () => {
    fixture = await EmbeddingFixture.open({ queueSize: 3, queueWaitMs: 5000 });
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    expect(await addBatch(...keys)).toEqual({ added: 20, updated: 0, failed: 0, errors: [] });
    await fixture.embeddings.settled();
    expect((await fixture.stats()).collections['blog']).toMatchObject({ embedded_documents: 20 });
  });
});
