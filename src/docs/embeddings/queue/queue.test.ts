import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../../embedding/index.ts';
import { EmbeddingFixture, Script, vectorOf } from '../../../testkit/embedding-fixture.ts';

const fixtures: EmbeddingFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
});

async function open(...args: Parameters<typeof EmbeddingFixture.open>): Promise<EmbeddingFixture> {
  const fixture = await EmbeddingFixture.open(...args);
  fixtures.push(fixture);
  return fixture;
}

async function crashed(fixture: EmbeddingFixture,
  ...args: Parameters<EmbeddingFixture['crashed']>): Promise<EmbeddingFixture>
{
  const survivor = await fixture.crashed(...args);
  fixtures.push(survivor);
  return survivor;
}

const refused =
  (text: string) => (
    texts: readonly string[],
  ) => (texts.some((each) => each.includes(text))
    ? new EmbeddingError(`${text} is too long`, { retryable: false, status: 400 })
    : undefined);
const down = () => new EmbeddingError('connection refused', { retryable: true });

describe('documents that are written', () => {
  it('are embedded in the background, several in one call, and the feed reports it', async () => {
    const fixture = await open();
    fixture.script.hold();
    await fixture.call('addDocuments', {
      collection: 'Blog',
      documents: ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key, lang: 'en', contentMd: `text ${key}` })),
    });
    fixture.script.release();
    await fixture.embeddings.settled();
    expect(fixture.script.texts.sort()).toEqual(['text a', 'text b', 'text c', 'text d', 'text e']);
    expect(fixture.script.calls.length).toBe(2);
    expect(await fixture.states()).toEqual([]);
    const changes = await fixture.feed.read(0, 100);
    expect(
      changes.filter(({ kind }) => kind === 'vectors.put').map(({ collection, docId }) => [collection, docId]).sort(),
    ).toEqual(['a', 'b', 'c', 'd', 'e'].map((key) => ['blog', `blog|${key}|en`]));
    const vectors = (await Array.fromAsync(fixture.embeddings.vectorsOfCollection('BLOG'))).flat();
    expect(vectors).toHaveLength(5);
    expect(vectors[0]).toMatchObject({
      chunk: 0,
      startLine: 1,
      endLine: 1,
      start: 0,
      end: 6,
      stored: 'float32',
      model: 'own-model',
      variant: 'plain',
      dimensions: 4,
    });
    expect(vectors.map(({ vector }) => vector)).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((key) => vectorOf(`text ${key}`)),
    );
    expect(await fixture.stats()).toMatchObject({
      collections: {
        blog: { total_documents: 5, embedded_documents: 5, total_chunks: 5, stale: false, failed_documents: 0 },
      },
      queue: { depth: 0, dropped: 0 },
    });
  });

  it('can be taken from memory by a view that follows before the commit is on disk', async () => {
    const fixture = await open();
    const taken: unknown[] = [];
    fixture.feed.join({
      isEarly: true,
      position: () => undefined,
      wake: () => queueMicrotask(() => taken.push(fixture.embeddings.freshVectorsOf({ lsn: 2, ord: 1 }))),
    });
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    expect(taken).toEqual([undefined, {
      ord: 1,
      space: '',
      model: { model: 'own-model', variant: 'plain', dimensions: 4 },
      stored: 'float32',
      vectors: [vectorOf('one')],
    }]);
  });

  it('are cut into chunks, which may take several calls; a blank one needs none', async () => {
    const fixture = await open({ chunkSize: 100 });
    const paragraphs = Array.from({ length: 10 }, (_, i) => `${i} ${'word '.repeat(15)}`.trim());
    await fixture.add('long', paragraphs.join('\n\n'));
    await fixture.add('blank', ' \n\u3000\n');
    await fixture.embeddings.settled();
    expect(await fixture.embedded('long')).toBe(10);
    expect(fixture.script.texts).toEqual(paragraphs);
    expect(await fixture.embedded('blank')).toBe(0);
    const { ord } = (await fixture.sql.get<{ ord: number }>("SELECT ord FROM documents WHERE key = 'long'"))!;
    const vectors = await fixture.embeddings.of('').vectorsOfDocuments([ord]);
    expect(vectors.map(({ chunk, startLine }) => [chunk, startLine])).toEqual(paragraphs.map((_, i) => [i, 2 * i + 1]));
  });

  it('are not embedded again when only metadata, expiry or spelling change, nor when the same body comes again', async () => {
    const fixture = await open();
    await fixture.add('a', 'one', { meta: { x: ['1'] } });
    await fixture.embeddings.settled();
    const calls = fixture.script.calls.length;
    await fixture.add('A', 'one', { meta: { x: ['2'] } });
    await fixture.call('updateDocument', { collection: 'blog', key: 'a', lang: 'en', meta: {} });
    await fixture.call('setDocumentTtl', { collection: 'blog', key: 'a', lang: 'en', ttl: 500 });
    await fixture.embeddings.settled();
    expect(fixture.script.calls.length).toBe(calls);
    expect(await fixture.states()).toEqual([]);
  });

  it('are embedded again when their body changes, and when they become code, which is cut otherwise', async () => {
    const fixture = await open();
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    await fixture.call('updateDocument', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'two' });
    await fixture.embeddings.settled();
    await fixture.call('updateDocument', { collection: 'blog', key: 'a', lang: 'en', meta: { kind: ['code'] } });
    await fixture.embeddings.settled();
    expect(fixture.script.texts).toEqual(['one', 'two', 'two']);
    expect(await fixture.embedded('a')).toBe(1);
  });

  it('lose their vectors when they are deleted, expire, or go with their collection', async () => {
    const fixture = await open();
    for (const key of ['a', 'b', 'c', 'd']) await fixture.add(key, `text ${key}`, key === 'b' ? { ttl: 1 } : {});
    await fixture.embeddings.settled();
    expect(await fixture.count('vectors')).toBe(4);
    await fixture.call('deleteDocument', { collection: 'blog', key: 'a', lang: 'en' });
    expect(await fixture.count('vectors')).toBe(3);
    fixture.advance(2000);
    await fixture.add('b', 'new life', { ttl: 0 });
    expect(await fixture.count('vectors')).toBe(2);
    await fixture.call('deleteCollection', { collection: 'blog' });
    expect([await fixture.count('vectors'), await fixture.count('embeddings'), await fixture.count('embedding_states')])
      .toEqual([0, 0, 0]);
    await fixture.embeddings.settled();
    expect((await fixture.stats()).queue.depth).toBe(0);
    expect(await fixture.count('vectors')).toBe(0);
  });

  it('are stored without vectors when that is asked for, and lose those of an earlier body', async () => {
    const fixture = await open();
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    const documents = [{ key: 'a', lang: 'en', contentMd: 'two' }, { key: 'b', lang: 'en', contentMd: 'three' }];
    await fixture.call('ingestDocuments', { collection: 'blog', documents, options: { skipEmbeddings: true } });
    await fixture.embeddings.settled();
    expect(fixture.script.texts).toEqual(['one']);
    expect(await fixture.states()).toEqual(['a skipped', 'b skipped']);
    expect(await fixture.count('vectors')).toBe(0);
    expect((await fixture.feed.read(0, 100)).filter(({ kind }) => kind === 'vectors.put')).toHaveLength(2);
  });

  it('keep the type that their collection asks for at that time (decision D-41)', async () => {
    const fixture = await open();
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    await fixture.call('setCollectionConfig', { collection: 'blog', quantization: 'int8' });
    await fixture.add('b', 'two');
    await fixture.embeddings.settled();
    expect((await Array.fromAsync(fixture.embeddings.vectorsOfCollection('blog'))).flat().map(({ stored }) => stored))
      .toEqual(['float32', 'int8']);
  });

  it('are left alone by a server without provider, which queues and drops nothing', async () => {
    const fixture = await open({ provider: 'none', queueSize: 1 });
    await fixture.call('addDocuments', {
      collection: 'blog',
      documents: ['a', 'b', 'c'].map((key) => ({ key, lang: 'en', contentMd: key })),
    });
    await fixture.embeddings.settled();
    expect(await fixture.states()).toEqual([]);
    expect(await fixture.count('cursors')).toBe(0);
    expect(await fixture.stats()).toMatchObject({
      enabled: false,
      provider: 'none',
      model: '',
      dimensions: 0,
      queue: { depth: 0, dropped: 0 },
    });
  });

  it('are left alone in read mode', async () => {
    const fixture = await open({}, { settings: { mode: 'read' } });
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    expect(fixture.script.calls).toEqual([]);
    expect(await fixture.states()).toEqual([]);
    expect((await fixture.embeddings.of('').embedQuery('question')).vector).toEqual(vectorOf('question'));
  });

  it('keep their place in the queue when they are written while they are embedded', async () => {
    const fixture = await open();
    fixture.script.hold();
    await fixture.add('a', 'one');
    await fixture.script.reached;
    await fixture.add('a', 'two');
    fixture.script.release();
    await fixture.embeddings.settled();
    expect(fixture.script.texts).toEqual(['one', 'two']);
    const vectors = (await Array.fromAsync(fixture.embeddings.vectorsOfCollection('blog'))).flat();
    expect(vectors.map(({ vector }) => vector)).toEqual([vectorOf('two')]);
  });
});

describe('after a crash', () => {
  it('everything that was written has its vectors or is queued', async () => {
    const fixture = await open();
    fixture.script.hold();
    for (let i = 0; i < 10; i++) await fixture.add(`k${i}`, `text ${i}`);
    await fixture.script.reached;
    const survivor = await crashed(fixture);
    await survivor.embeddings.settled();
    expect(await survivor.stats()).toMatchObject({
      collections: { blog: { embedded_documents: 10 } },
      queue: { depth: 0 },
    });
    expect(survivor.script.texts.sort()).toEqual(Array.from({ length: 10 }, (_, i) => `text ${i}`));
  });

  it('what the feed holds and nobody has read counts as queued at once', async () => {
    const fixture = await open();
    await fixture.embeddings.settled();
    await fixture.embeddings.stop(); // later writes are not followed
    for (let i = 0; i < 3; i++) await fixture.add(`k${i}`, `text ${i}`);
    const script = new Script();
    script.hold();
    const survivor = await crashed(fixture, {}, script);
    expect((await survivor.stats()).queue.depth).toBe(3);
    script.release();
    await survivor.embeddings.settled();
    expect((await survivor.stats()).queue.depth).toBe(0);
    expect(script.texts.sort()).toEqual(['text 0', 'text 1', 'text 2']);
  });

  it('nothing that was embedded is embedded again', async () => {
    const fixture = await open();
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    const survivor = await crashed(fixture);
    await survivor.embeddings.settled();
    expect(survivor.script.calls).toEqual([]);
    expect(await survivor.embedded('a')).toBe(1);
  });

  it('what was dropped or skipped stays so', async () => {
    const fixture = await open({ queueSize: 1 });
    fixture.script.hold();
    await fixture.add('a', 'one');
    await fixture.script.reached;
    await fixture.add('b', 'two');
    const survivor = await crashed(fixture);
    await survivor.embeddings.settled();
    expect(await survivor.states()).toEqual(['b dropped']);
  });
});

describe('a provider that misbehaves', () => {
  it('is left alone for longer and longer, and then everything is embedded', async () => {
    const fixture = await open();
    fixture.script.failure = down;
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    expect(fixture.script.calls).toHaveLength(1);
    expect(await fixture.stats()).toMatchObject({
      queue: { depth: 1, last_error: 'connection refused' },
      collections: { blog: { failed_documents: 0 } },
    });
    for (let i = 0; i < 5; i++) {
      fixture.advance(600_000);
      await fixture.timer.elapse();
      await fixture.embeddings.settled();
    }
    // There are two workers, and each tries once after its pause.
    expect(fixture.script.calls.length).toBeLessThanOrEqual(12);
    expect(Math.max(...fixture.timer.sleeps.filter((sleep) => sleep < 600_000))).toBeGreaterThan(10_000);
    fixture.script.failure = () => undefined;
    fixture.advance(600_000);
    await fixture.timer.elapse();
    await fixture.embeddings.settled();
    expect(await fixture.embedded('a')).toBe(1);
    expect((await fixture.stats()).queue.last_error).toBeUndefined();
  });

  it('cannot make a document block others: one that is refused permanently is recorded with the reason', async () => {
    const fixture = await open();
    fixture.script.failure = refused('poison');
    fixture.script.hold();
    for (const [key, text] of [['a', 'fine'], ['b', 'poison'], ['c', 'good']] as const) await fixture.add(key, text);
    fixture.script.release();
    await fixture.embeddings.settled();
    expect([await fixture.embedded('a'), await fixture.embedded('b'), await fixture.embedded('c')]).toEqual([1,
      undefined, 1]);
    expect(await fixture.states()).toEqual(['b failed']);
    expect(await fixture.stats()).toMatchObject({
      queue: { depth: 0 },
      collections: { blog: { embedded_documents: 2, failed_documents: 1, errors: ['blog|b|en: poison is too long'] } },
    });
    // Another body is tried again.
    await fixture.add('b', 'antidote');
    await fixture.embeddings.settled();
    expect(await fixture.states()).toEqual([]);
  });

  it('is not taken for a fault of documents: with a wrong key everything stays queued', async () => {
    const fixture = await open();
    fixture.script.failure = () => new EmbeddingError('wrong key', { retryable: false, status: 401 });
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    expect(await fixture.states()).toEqual(['a queued']);
    expect((await fixture.stats()).queue).toMatchObject({ depth: 1, last_error: 'wrong key' });
  });

  it('is never believed: vectors of a wrong size are not stored', async () => {
    const fixture = await open();
    fixture.script.size = 3;
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    expect(await fixture.count('vectors')).toBe(0);
    expect((await fixture.stats()).queue).toMatchObject({
      depth: 1,
      last_error: 'expected vectors of 4 numbers, got 3',
    });
  });

  it('is left alone for as long as its Retry-After asks', async () => {
    const fixture = await open();
    fixture.script.failure = () =>
      new EmbeddingError('slow down', { retryable: true, status: 429, retryAfterMs: 45_000 });
    await fixture.add('a', 'one');
    await fixture.embeddings.settled();
    expect(fixture.timer.sleeps).toContain(45_000);
  });

  it('does not keep a server from stopping, and what it was asked for stays queued', async () => {
    const fixture = await open();
    fixture.script.hold();
    await fixture.add('a', 'one');
    await fixture.script.reached;
    await fixture.embeddings.stop();
    expect(await fixture.states()).toEqual(['a queued']);
  });
});
