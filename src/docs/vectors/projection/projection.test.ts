import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../../embedding/index.ts';
import { projectTwin } from '../../../kernels/projection-twin.ts';
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

const TEXTS = ['cats', 'cats sleep', 'cats sleep long', 'dogs', 'dogs bark', 'stock market'];
const documents = (collection = 'c') => Object.fromEntries(TEXTS.map((text, i) => [`${collection}|K${i}|en`, text]));

describe('projecting vectors (decisions section 4.3)', () => {
  it('places all vectors and the query where the principal components do', async () => {
    const fixture = await open();
    const { meaning } = fixture.base;
    await fixture.store(documents());
    const twin = projectTwin(TEXTS.map((text) => meaning.vectorOf(text)));
    const answer = await fixture.call('projectVectors', { collection: 'C', query: 'cats bark' });
    expect(answer).toMatchObject({ total: 6, sampled: 6, dimensions: 32 });
    expect(answer.points.map(({ id, key, docId, chunkIndex }) => [id, key, docId, chunkIndex])).toEqual(
      TEXTS.map((_, i) => [`c|k${i}|en#0`, `K${i}`, `c|k${i}|en`, 0]),
    );
    const placed = [...answer.points, answer.query!];
    for (const [i, { x, y }] of [...twin.points, twin.place(meaning.vectorOf('cats bark'))!].entries()) {
      expect(placed[i]!.x).toBeCloseTo(x, 3);
      expect(placed[i]!.y).toBeCloseTo(y, 3);
    }
    const byVector = await fixture.call('projectVectors', {
      collection: 'c',
      queryVector: meaning.vectorOf('cats bark'),
      query: 'dogs',
    });
    expect(byVector).toEqual(answer);
  });

  it('draws the same sample of passages again and again', async () => {
    const fixture = await open();
    const body = Array.from({ length: 30 }, (_, i) => `paragraph number ${i} about thing ${i * 7}.`).join('\n\n');
    await fixture.store({ 'c|a|en': body, 'c|b|en': body.toUpperCase(), 'c|c|en': 'short' });
    const draw = (sample: number, on = fixture) => on.call('projectVectors', { collection: 'c', sample });
    const some = await draw(10);
    expect(some).toMatchObject({ sampled: 10, query: null });
    expect(some.total).toBeGreaterThan(40);
    expect(new Set(some.points.map(({ id }) => id)).size).toBe(10);
    expect(await draw(10)).toEqual(some);
    const more = await draw(20);
    expect(more.points.map(({ id }) => id)).toEqual(
      expect.arrayContaining(some.points.map(({ id }) => id)) as string[],
    );
    expect((await draw(1_000_000)).sampled).toBe(some.total);
    const again = await fixture.crashed();
    fixtures.push(again);
    expect(await draw(10, again)).toEqual(some);
  });

  it('takes no more than 2,000 vectors', async () => {
    const fixture = await open({ embedding: { provider: 'none' } });
    await fixture.store({ 'c|a|en': 'x' });
    await fixture.base.sql.transaction(async (tx) => {
      await tx.run("INSERT INTO embedding_models(model, variant, dimensions) VALUES ('m', 'v', 4)");
      await tx.run(
        "INSERT INTO embeddings(ord, space, cid, model_id, crc, bytes, chunks, stored, chunking) SELECT ord, '', cid, 1, " +
          "crc, bytes, 2100, 'float32', 'whole' FROM documents",
      );
      const ord = (await tx.get<{ ord: number }>('SELECT ord FROM documents'))!.ord;
      for (let i = 0; i < 2100; i++) {
        const vector = new Uint8Array(Float32Array.of(Math.sin(i), Math.cos(i * 3), i % 7, 1).buffer);
        await tx.run(
          "INSERT INTO vectors(ord, space, chunk, start_line, end_line, start_byte, end_byte, vector) VALUES (?, '', ?, 1, " +
            '1, 0, 1, ?)',
          [ord, i, vector],
        );
      }
    });
    const answer = await fixture.call('projectVectors', { collection: 'c', sample: 5000, queryVector: [0, 0, 3, 1] });
    expect(answer).toMatchObject({ total: 2100, sampled: 2000, dimensions: 4 });
    expect(answer.points.every(({ x, y }) => Math.abs(x) <= 1 && Math.abs(y) <= 1)).toBe(true);
    expect(Math.max(...answer.points.map(({ x }) => Math.abs(x)))).toBe(1);
  });

  it('draws nothing, one point, or equal ones, where there is no more', async () => {
    const fixture = await open();
    expect(await fixture.call('projectVectors', { collection: 'none', query: 'x' })).toEqual({
      points: [],
      query: null,
      total: 0,
      sampled: 0,
      dimensions: 32,
    });
    await fixture.store({ 'c|a|en': 'cats' });
    const point = (key: string) => ({ id: `c|${key}|en#0`, key, docId: `c|${key}|en`, chunkIndex: 0, x: 0, y: 0 });
    expect(await fixture.call('projectVectors', { collection: 'c', query: 'x' })).toEqual({
      points: [point('a')],
      query: null,
      total: 1,
      sampled: 1,
      dimensions: 32,
    });
    await fixture.store({ 'c|b|en': 'cats' });
    expect((await fixture.call('projectVectors', { collection: 'c' })).points).toEqual([point('a'), point('b')]);
    await fixture.store({ 'd|a|en': 'cats', 'd|b|en': 'dogs' });
    expect((await fixture.call('projectVectors', { collection: 'd' })).points.map(({ x, y }) => [Math.abs(x), y]))
      .toEqual([[1, 0], [1, 0]]);
  });

  it('draws the vectors of the present model, or else of the most frequent one, and counts all', async () => {
    const fixture = await open();
    await fixture.store(documents());
    const later = await fixture.crashed({ meaning: new Meaning('other', 16) });
    fixtures.push(later);
    expect(await later.call('projectVectors', { collection: 'c', query: 'cats' })).toMatchObject({
      total: 6,
      sampled: 6,
      dimensions: 32,
      query: null,
    });
    await later.store({ 'c|new|en': 'dogs' });
    expect(await later.call('projectVectors', { collection: 'c' })).toMatchObject({
      total: 7,
      sampled: 1,
      dimensions: 16,
    });
    await expect(later.call('projectVectors', { collection: 'c', queryVector: [1, 2] })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: "queryVector must have 16 numbers, as the collection's vectors, got 2",
    });
    await expect(later.call('projectVectors', { collection: 'c', queryVector: [1e30] })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('draws the map without the query when that cannot be embedded', async () => {
    const fixture = await open();
    await fixture.store(documents());
    fixture.base.meaning.failure = () => new EmbeddingError('connection refused', { retryable: true });
    expect(await fixture.call('projectVectors', { collection: 'c', query: 'cats' })).toMatchObject({
      sampled: 6,
      query: null,
    });
    const without = await fixture.crashed({ embedding: { provider: 'none' } });
    fixtures.push(without);
    expect(await without.call('projectVectors', { collection: 'c', query: 'cats' })).toMatchObject({
      sampled: 6,
      query: null,
    });
  });

  it('hides what has expired', async () => {
    const fixture = await open();
    await fixture.store({ 'c|a|en': 'cats' }, { ttl: 60 });
    await fixture.store({ 'c|b|en': 'dogs' });
    fixture.base.advance(61);
    const { points, total } = await fixture.call('projectVectors', { collection: 'c' });
    expect([total, ...points.map(({ docId }) => docId)]).toEqual([1, 'c|b|en']);
  });
});
