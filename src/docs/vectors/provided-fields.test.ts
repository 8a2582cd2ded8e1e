import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../lib/setting-values.ts';
import { type FixtureOptions, Meaning, VectorFixture } from './test-fixture.ts';

const fixtures: VectorFixture[] = [];
let fixture: VectorFixture;
let other: Meaning;
/** Id of the embedding configuration whose model is `other`. */
let config: string;
beforeEach(async () => {
  other = new Meaning('other', 16);
  fixture = await opened();
  config = await configured('other');
});
afterEach(async () => {
  for (const each of fixtures.splice(0)) await each.close();
});

async function opened(options: FixtureOptions = {}): Promise<VectorFixture> {
  const made = await VectorFixture.open({ models: { other }, ...options });
  fixtures.push(made);
  return made;
}

async function configured(model: string, more: object = {}): Promise<string> {
  const made = await fixture.call('createEmbeddingConfig', {
    name: model,
    provider: 'openai',
    model,
    apiKey: 'k',
    ...more,
  });
  return made.id;
}

const declare = (vectors: object, more: object = {}) =>
  fixture.call('setCollectionConfig', { collection: 'c', vectors, ...more });
const next = () => ({ next: { source: 'provider', embedding: config } });

/** The model of the vectors of each document, by space and key. */
async function spaces(of = fixture): Promise<string[]> {
  const rows = await of.sql.all<{ space: string; key: string; model: string }>(
    `SELECT e.space, d.key, m.model FROM embeddings e JOIN documents d ON d.ord = e.ord
     JOIN embedding_models m ON m.id = e.model_id WHERE e.chunks > 0 ORDER BY e.space, d.key`,
  );
  return rows.map(({ space, key, model }) => `${space === '' ? 'server' : 'field'} ${key} ${model}`);
}

describe('a field of the source provider', () => {
  it('is filled in the background, follows writes, and is searched by its own model', async () => {
    await fixture.add('a', 'red apples');
    await fixture.add('b', 'blue whales');
    await declare(next());
    await fixture.caughtUp();
    await fixture.add('d', 'green tea');
    expect(await spaces()).toEqual(['server a words', 'server b words', 'server d words', 'field a other',
      'field b other', 'field d other']);
    const found = await fixture.find('blue whales', { vectorField: 'next', topK: 1 });
    expect(found).toMatchObject({ model: 'other', dimensions: 16, results: [{ document: { key: 'b' } }] });
    expect(other.queries).toEqual(['blue whales']);
    expect(await fixture.find('blue whales', { topK: 1 })).toMatchObject({ model: 'words', dimensions: 32 });
    await fixture.add('b', 'red apples');
    expect((await fixture.find('red apples', { vectorField: 'next', threshold: 0.9 })).total).toBe(2);
    await fixture.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' });
    await fixture.caughtUp();
    expect(await fixture.keys('red apples', { vectorField: 'next', threshold: 0.9 })).toEqual(['b']);
  });

  it('takes a vector in place of a text, and serves passages and similar documents', async () => {
    await declare(next());
    await fixture.add('a', 'Red apples grow on very old trees.\n\nBlue whales swim in cold deep seas.');
    await fixture.add('b', 'Blue whales swim in seas.');
    const queryVector = other.vectorOf('blue whales swim in cold deep seas');
    expect(await fixture.find('red apples', { vectorField: 'next', queryVector, topK: 1 })).toMatchObject({
      model: 'other',
    });
    const [passage] = (await fixture.find('blue whales swim in cold deep seas', {
      vectorField: 'next',
      retrievalMode: 'chunk',
      topK: 1,
    })).results;
    expect(passage).toMatchObject({ chunkIndex: 1, chunkText: expect.stringContaining('cold deep seas') });
    const similar = await fixture.call('findSimilar', { collection: 'c', key: 'b', vectorField: 'next' });
    expect(similar).toMatchObject({ model: 'other', results: [{ document: { key: 'a' } }] });
  });

  it('becomes the default in one step, and the former default again', async () => {
    await declare(next());
    await fixture.add('a', 'red apples');
    await fixture.call('setCollectionConfig', { collection: 'c', defaultVectorField: 'next' });
    expect(await fixture.find('red apples')).toMatchObject({ model: 'other', results: [{ document: { key: 'a' } }] });
    expect(await fixture.find('red apples', { vectorField: '_server' })).toMatchObject({ model: 'words' });
    expect(await fixture.call('findSimilar', { collection: 'c', key: 'a' })).toMatchObject({ model: 'other' });
    await fixture.call('setCollectionConfig', { collection: 'c', defaultVectorField: null });
    expect(await fixture.find('red apples')).toMatchObject({ model: 'words' });
  });

  it('takes the place of the vectors of the server, which are removed and made again', async () => {
    await fixture.add('a', 'red apples');
    await declare(next(), { defaultVectorField: 'next', serverVectors: false });
    await fixture.caughtUp();
    await fixture.add('b', 'red apples');
    expect(await spaces()).toEqual(['field a other', 'field b other']);
    expect((await fixture.find('red apples')).total).toBe(2);
    expect((await fixture.find('red apples', { vectorField: '_server' })).total).toBe(0);
    await fixture.call('setCollectionConfig', { collection: 'c', serverVectors: true });
    await fixture.caughtUp();
    expect((await fixture.find('red apples', { vectorField: '_server' })).total).toBe(2);
  });

  it('leaves nothing behind when it is removed', async () => {
    await declare(next());
    await fixture.add('a', 'red apples');
    await declare({ next: null });
    await fixture.caughtUp();
    expect(await spaces()).toEqual(['server a words']);
    await expect(fixture.find('red apples', { vectorField: 'next' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('vectorField'),
    });
    await fixture.call('deleteEmbeddingConfig', { id: config });
  });

  it('continues after a crash while it is filled', async () => {
    for (const key of ['a', 'b', 'd']) await fixture.add(key, `red ${key}`);
    let open = (): void => undefined;
    other.held = new Promise((resolve) => (open = resolve));
    await declare(next());
    const later = await opened({ meaning: fixture.meaning, file: fixture.sql.info.path, unstarted: true });
    open();
    other.held = undefined;
    await later.collections.load();
    await later.start();
    await later.caughtUp();
    expect((await spaces(later)).filter((each) => each.startsWith('field'))).toEqual(['field a other', 'field b other',
      'field d other']);
    expect((await later.find('red', { vectorField: 'next' })).total).toBe(3);
  });

  it('is filled once its provider works, as when a package is installed later', async () => {
    await fixture.add('a', 'red apples');
    const works = other.provider.bind(other);
    other.provider = () => {
      throw new ConfigError(['provider: a package is missing']);
    };
    await declare(next());
    await fixture.caughtUp();
    await fixture.add('b', 'red apples', { collection: 'd' });
    await declare(next(), { collection: 'd' });
    await fixture.caughtUp();
    other.provider = works;
    const later = await opened({ meaning: fixture.meaning, file: fixture.sql.info.path, unstarted: true });
    await later.collections.load();
    await later.start();
    await later.caughtUp();
    expect(await later.keys('red apples', { vectorField: 'next' })).toEqual(['a']);
    expect(await later.keys('red apples', { collection: 'd', vectorField: 'next' })).toEqual(['b']);
  });

  it('is filled by another provider while what is queued for its former one fills the queue', async () => {
    const third = new Meaning('third', 8);
    fixture = await opened({ models: { other, third }, embedding: { queueSize: 4 } });
    config = await configured('other');
    for (const key of ['a', 'b']) await fixture.add(key, 'red apples');
    other.failure = () => new Error('down');
    await declare(next());
    const queued = async () => (await fixture.call('getVectorStats', {})).queue.depth;
    await expect.poll(queued).toBe(2);
    config = await configured('third');
    await declare(next());
    await fixture.caughtUp();
    expect(await spaces()).toEqual(['server a words', 'server b words', 'field a third', 'field b third']);
    expect(await queued()).toBe(0);
  });

  it('comes back from its checkpoint, and waits for the documents that its provider refuses', async () => {
    await declare(next());
    await fixture.add('a', 'red apples');
    other.failure = () => new Error('down');
    await fixture.add('b', 'red apples');
    const stats = async (of: VectorFixture) => (await of.call('getVectorStats', {})).collections['c']!.fields;
    expect(await stats(fixture)).toEqual({
      next: { documents: 1, vectors: 1, bytes: expect.any(Number), queued: 1, failed: 0, model: 'other' },
    });
    await fixture.stop();
    other.failure = () => undefined;
    const later = await opened({ meaning: fixture.meaning, file: fixture.sql.info.path, unstarted: true });
    await later.collections.load();
    await later.start();
    await later.caughtUp();
    expect(await later.keys('red apples', { vectorField: 'next' })).toEqual(['a', 'b']);
    expect(await stats(later)).toMatchObject({ next: { documents: 2, queued: 0 } });
  });

  it('is combined with other fields, by weights', async () => {
    const third = new Meaning('third', 8);
    const later = await opened({ models: { other, third } });
    fixture = later;
    const [one, two] = [await configured('other'), await configured('third')];
    const provided = (embedding: string) => ({ source: 'provider', embedding });
    await declare({ one: provided(one), two: provided(two) }, { serverVectors: false });
    for (const [key, text] of [['a', 'red apples'], ['b', 'blue whales'], ['d', 'red whales']] as const)
      await fixture.add(key, text);
    const scoreOf = (meaning: Meaning, a: string, b: string): number =>
      meaning.vectorOf(a).reduce((sum, number, i) => sum + number * meaning.vectorOf(b)[i]!, 0);
    const found = await fixture.find('red whales', {
      vectorFields: [{ field: 'one', weight: 2 }, { field: 'two', weight: 0.5, vector: third.vectorOf('red apples') }],
    });
    expect(found.results[0]!.document.key).toBe('d');
    expect(found.results[0]!.score).toBeCloseTo(2 + scoreOf(third, 'red whales', 'red apples') / 2, 4);
    await expect(fixture.call('searchVectors', { collection: 'c', vectorFields: [{ field: 'one' }] })).rejects
      .toMatchObject({ code: 'missing_fields' });
  });

  it('is embedded again by request, into its space alone', async () => {
    await declare(next());
    await fixture.add('a', 'red apples');
    const { documents } = fixture.meaning;
    const before = documents.length;
    expect(await fixture.call('reindexVectors', { collection: 'c', vectorField: 'next', force: true })).toMatchObject({
      embedded: 1,
    });
    expect(documents.length).toBe(before);
  });

  it('is refused where it says nothing or too much', async () => {
    const refused = (vectors: object, message: string, more: object = {}) =>
      expect(declare(vectors, more)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(message),
      });
    await refused({ next: { source: 'provider' } }, 'vectors.next.embedding is missing');
    await refused({ next: { source: 'provider', embedding: 'cfg_none' } }, 'cfg_none does not exist');
    await refused({ next: { ...next().next, dimensions: 4 } }, 'vectors.next.dimensions must not be set');
    await refused({ next: { dimensions: 4, embedding: config } }, 'vectors.next.embedding must not be set');
    await refused({}, 'defaultVectorField must be _server', { defaultVectorField: 'next' });
    await declare(next(), { defaultVectorField: 'next' });
    await refused({ next: null }, 'defaultVectorField must be _server');
    await expect(fixture.call('deleteEmbeddingConfig', { id: config })).rejects.toMatchObject({
      message: expect.stringContaining('the vector field next of the collection c'),
    });
    await expect(fixture.add('a', 'x', { vectors: { next: [1, 2] } })).rejects.toMatchObject({
      message: 'vectors.next must not be sent: an embedding provider makes the vectors of this field',
    });
  });
});
