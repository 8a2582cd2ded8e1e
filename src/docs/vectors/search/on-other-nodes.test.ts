import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Loopback } from '../../../testkit/parts/loopback.ts';
import type { FieldIndexes } from '../../vector-fields/view/field-indexes.ts';
import { answerFromFields, FieldsStandIn } from '../../vector-fields/view/fields-stand-in.ts';
import type { FieldsView } from '../../vector-fields/view/fields-view.ts';
import { joinFieldIndexes } from '../../vector-fields/view/joined-fields.ts';
import { type FixtureOptions, VectorFixture } from '../test-fixture.ts';
import type { CollectionVectors } from '../view/collection-vectors.ts';
import { joinCollectionVectors } from '../view/joined-vectors.ts';
import type { VectorView } from '../view/vector-view.ts';
import { answerFromVectors, VectorsStandIn } from '../view/vectors-stand-in.ts';

let fixture: VectorFixture;
async function open(options: FixtureOptions = {}): Promise<void> {
  await fixture?.close();
  fixture = await VectorFixture.open(options);
}
beforeEach(() => open());
afterEach(async () => {
  vi.restoreAllMocks();
  await fixture.close();
});

/** Answers a request with the indexes of this process, and then as if they were on another node. */
async function both(request: () => Promise<object>): Promise<{ rounds: number; answer: object }> {
  const [vectors, fields] = [fixture.vectors.view as VectorView, fixture.fields.view as FieldsView];
  const error = ({ message }: Error): object => ({ error: message });
  const answer = await request().catch(error);
  const [ownVectors, ownFields] = [vectors.indexOf('c') as CollectionVectors | undefined,
    fields.indexOf('c') as FieldIndexes | undefined];
  const loopback = new Loopback();
  if (ownVectors !== undefined) {
    const standIn = new VectorsStandIn(loopback.add((method, args) => answerFromVectors(ownVectors, method, args)));
    vi.spyOn(vectors, 'indexOf').mockReturnValue(joinCollectionVectors([standIn]));
  }
  if (ownFields !== undefined) {
    const standIn = new FieldsStandIn(loopback.add((method, args) => answerFromFields(ownFields, method, args)));
    vi.spyOn(fields, 'indexOf').mockReturnValue(joinFieldIndexes([standIn]));
  }
  const away = await loopback.request(request).catch(error);
  vi.restoreAllMocks();
  expect(withoutDuration(away)).toEqual(withoutDuration(answer));
  return { rounds: loopback.rounds, answer };
}

function withoutDuration(answer: object): object {
  return JSON.parse(JSON.stringify(answer, (name, value: unknown) => (name === 'durationMs' ? 0 : value))) as object;
}

const search = (input: object) => fixture.call('searchVectors', { collection: 'c', ...input });

const LONG =
  'Red apples grow on very old trees.\n\nBlue whales swim in cold deep seas.\n\nGreen tea is served with honey.\n';

describe('vectors on other nodes', () => {
  it.each([
    ['documents', {}, 2],
    ['documents above a score', { threshold: 0.2, limit: 2 }, 2],
    ['passages', { retrievalMode: 'chunk' }, 2],
    ['passages with their neighbours', { retrievalMode: 'window', windowSize: 1 }, 3],
    ['different documents', { mmr: true, mmrLambda: 0.3 }, 3],
    ['different passages with their neighbours', { retrievalMode: 'window', windowSize: 1, mmr: true }, 4],
    ['documents that a boost moves', { boost: { 'kind:k5': 2, 'kind:k0': 0.5 } }, 2],
  ])('find the same %s in few rounds', async (_, more, most) => {
    for (let i = 0; i < 6; i++)
      await fixture.add(`k${i}`, i % 2 === 0 ? LONG : `red apples and ${'tea '.repeat(i)}`, {
        meta: { kind: [`k${i}`] },
      });
    const { rounds } = await both(() => fixture.find('red apples', { ...more, includeContent: true }));
    expect(rounds).toBeGreaterThan(0);
    expect(rounds).toBeLessThanOrEqual(most);
  });

  it.each(['int8', 'int4'])('are rescored by full vectors of the tables where memory has %s', async (quantization) => {
    await fixture.call('setCollectionConfig', { collection: 'c', quantization, diskOnlyVectors: true });
    for (let i = 0; i < 12; i++) await fixture.add(`k${i}`, `red apples and ${'tea '.repeat(i)} with ${i}`);
    expect((await both(() => fixture.find('red apples with tea', { limit: 4 }))).rounds).toBeLessThanOrEqual(2);
  });

  it('are compared with a stored document, and counted, in few rounds', async () => {
    for (const key of ['a', 'b', 'd']) await fixture.add(key, `red apples ${key}`);
    expect((await both(() => fixture.call('findSimilar', { collection: 'c', key: 'a' }))).rounds).toBeLessThanOrEqual(
      2,
    );
    expect((await both(() => search({ queryVector: Array<number>(32).fill(1) }))).rounds).toBeLessThanOrEqual(2);
    const { answer } = await both(() => search({ queryVector: [1, 2] }));
    expect(answer).toEqual({ error: "queryVector must have 32 numbers, as the collection's vectors, got 2" });
  });

  it('are found by supplied fields, and counted', async () => {
    await fixture.call('setCollectionConfig', {
      collection: 'c',
      vectors: { d: { dimensions: 2 }, t: { dimensions: 2, kind: 'multi' }, s: { kind: 'sparse' } },
    });
    for (let i = 0; i < 5; i++) {
      await fixture.add(`k${i}`, 'text', {
        vectors: { d: [1, i], t: [[1, i], [i, 1]], s: { indices: [1, i + 2], values: [1, i + 1] } },
      });
    }
    const sparse = { indices: [1, 4], values: [1, 2] };
    for (const [input, most] of [
      [{ vectorField: 'd', queryVector: [1, 1] }, 2],
      [{ vectorField: 'd', queryVector: [1, 1], retrievalMode: 'window', windowSize: 1, mmr: true }, 4],
      [{ vectorField: 't', queryVectors: [[1, 1], [0, 1], [2, 1]] }, 2],
      [{ vectorField: 's', querySparse: sparse }, 2],
      [{ vectorFields: [{ field: 'd', vector: [1, 3], weight: 2 }, { field: 's', sparse }] }, 2],
    ] as const) {
      const { rounds } = await both(() => search(input));
      expect(rounds).toBeGreaterThan(0);
      expect(rounds).toBeLessThanOrEqual(most);
    }
    // Neither is the index built in the background nor anything embedded between the two calls.
    await fixture.caughtUp();
    await fixture.fields.view.settled();
    expect((await both(() => fixture.call('getVectorStats', {}))).rounds).toBe(1);
  });
});
