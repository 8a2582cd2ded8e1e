import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { VectorIndexClosedError, WorkerPool } from '../../../search/vector/index.ts';
import { Loopback } from '../../../testkit/parts/loopback.ts';
import { inPresentIndex } from '../../search/index.ts';
import { searchWithLeads } from '../search/search-by-vector.ts';
import { CollectionVectors, type ReadableVectors } from './collection-vectors.ts';
import { joinCollectionVectors } from './joined-vectors.ts';
import { answerFromVectors, VectorsStandIn } from './vectors-stand-in.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

const SPACES = ['', 'other'];
const MODELS = [{ model: 'm', variant: '', dimensions: 4 }, { model: 'm', variant: 'v', dimensions: 4 }, {
  model: 'n',
  variant: '',
  dimensions: 6,
}];
const ORDS = Array.from({ length: 50 }, (_, i) => i);
/** Also passages that no document has, and means. */
const PASSAGES = ORDS.flatMap((ord) => [0, 1, 2, 3, undefined].map((chunk) => ({ ord, chunk })));
const change = fc.record({
  ord: fc.constantFrom(...ORDS),
  space: fc.constantFrom(...SPACES),
  model: fc.constantFrom(...MODELS),
  stored: fc.constantFrom('float32' as const, 'int8' as const),
  numbers: fc.array(fc.array(fc.integer({ min: -2, max: 3 }), { minLength: 6, maxLength: 6 }), {
    minLength: 1,
    maxLength: 3,
  }),
  isRemoved: fc.constantFrom(false, false, true),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

const create = (): CollectionVectors => CollectionVectors.create({ pool }, () => {});

function apply(index: CollectionVectors, { ord, space, model, stored, numbers, isRemoved }: Change): void {
  const vectors = numbers.map((each) => Float32Array.from(each.slice(0, model.dimensions)));
  if (isRemoved) index.remove(ord, space);
  else index.put({ ord, space, model, stored, vectors });
}

async function read(index: ReadableVectors, space: string): Promise<unknown> {
  const found = index.of(space);
  if (found === undefined) return undefined;
  const search = async (vector: Float32Array, perDocument: boolean): Promise<unknown> =>
    (perDocument
      ? searchWithLeads(found, { vector, k: 5, perDocument }, 0.4)
      : found.search({ vector, k: 5, threshold: 0.1 })).catch((error: unknown) => error);
  return {
    documents: found.documents,
    models: found.models().toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    counts: found.models().map(({ documents }) => documents),
    ords: [undefined, ...MODELS].map((model) => [...found.ordsOf(model)]),
    documentModels: found.documentModels(ORDS),
    chunks: found.chunkCounts(ORDS),
    vectors: found.passageVectors(PASSAGES),
    searches: await Promise.all([4, 6, 5].flatMap((dimensions) => {
      const vector = Float32Array.from({ length: dimensions }, (_, i) => (i % 3) - 0.5);
      return [search(vector, false), search(vector, true)];
    })),
  };
}

/** Joins partitions, of which those with an odd number, or all, are on another node. */
function join(parts: readonly CollectionVectors[], away: 'none' | 'some' | 'all', loopback: Loopback): ReadableVectors {
  return joinCollectionVectors(
    parts.map((part, i) =>
      away === 'none' || (away === 'some' && i % 2 === 0)
        ? part
        : new VectorsStandIn(loopback.add((method, args) => answerFromVectors(part, method, args)))
    ),
  );
}
const awayParts = fc.constantFrom('none' as const, 'some' as const, 'all' as const);

describe('the embeddings of several partitions as one', () => {
  it('are read as those of one index with all documents', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 6 }), awayParts,
        fc.array(fc.array(change, { minLength: 1, maxLength: 80, size: 'max' }), { minLength: 1, maxLength: 3 }),
        async (count, away, rounds) => {
          const loopback = new Loopback();
          const whole = create();
          const parts = Array.from({ length: count }, create);
          const joined = join(parts, away, loopback);
          for (const changes of rounds) {
            for (const each of changes) for (const index of [whole, parts[each.ord % count]!]) apply(index, each);
            expect(await loopback.request(() => joined.documents)).toBe(whole.documents);
            for (const space of [...SPACES, 'none']) {
              expect(await loopback.request(() => read(joined, space))).toEqual(await read(whole, space));
            }
          }
          for (const index of [whole, ...parts]) index.close();
        }),
      { numRuns: 60 },
    );
  });

  const document = (ord: number) => ({
    ord,
    space: '',
    model: MODELS[0]!,
    stored: 'float32' as const,
    vectors: [Float32Array.of(1, ord, 0, 0)],
  });

  it('are searched again without those of a partition that lost its last ones during the search', async () => {
    const parts = [create(), create(), create()];
    const joined = joinCollectionVectors(parts);
    for (const [ord, part] of parts.entries()) part.put(document(ord));
    let rounds = 0;
    const found = await inPresentIndex(() => joined.of(''), (index) => {
      if (++rounds === 1) parts[2]!.remove(2);
      return index.search({ vector: Float32Array.of(1, 0, 0, 0), k: 5 });
    });
    expect([rounds, found!.hits.map(({ ord }) => ord)]).toEqual([2, [0, 1]]);
    parts[0]!.close();
    await expect(inPresentIndex(() => joined.of(''), (index) => index.search({ vector: new Float32Array(4), k: 1 })))
      .rejects.toThrow(VectorIndexClosedError);
  });

  it('are searched without those that a partition on another node lost since it was asked what it has', async () => {
    const parts = [create(), create(), create()];
    for (const [ord, part] of parts.entries()) part.put(document(ord));
    const loopback = new Loopback();
    const joined = joinCollectionVectors(parts.map((part, i) =>
      new VectorsStandIn(loopback.add((method, args) => {
        if (method !== 'candidates') return answerFromVectors(part, method, args);
        if (i === 0) part.remove(0);
        const answer = answerFromVectors(part, method, args);
        if (i === 1) part.remove(1);
        return answer;
      }))
    ));
    const search = () =>
      loopback.request(() =>
        inPresentIndex(() => joined.of(''), (index) => index.search({ vector: Float32Array.of(1, 0, 0, 0), k: 5 }))
      );
    expect((await search())!.hits.map(({ ord }) => ord)).toEqual([2]);
    parts[2]!.close();
    await expect(search()).rejects.toThrow(VectorIndexClosedError);
  });

  it('are searched in the index that replaced that of a partition on another node during the search', async () => {
    const [former, newer] = [create(), create()];
    for (const index of [former, newer]) index.put(document(1));
    former.close();
    const loopback = new Loopback();
    const standIn = new VectorsStandIn(loopback.add((method, args) => {
      const isFirst = loopback.asked.filter((each) => each === 'candidates').length === 1;
      return answerFromVectors(method === 'candidates' && isFirst ? former : newer, method, args);
    }));
    const joined = joinCollectionVectors([standIn]);
    const found = await loopback.request(() =>
      inPresentIndex(() => joined.of(''), (index) => index.search({ vector: Float32Array.of(1, 0, 0, 0), k: 5 }))
    );
    expect(found!.hits.map(({ ord }) => ord)).toEqual([1]);
    newer.close();
  });

  it('refuse a method that there is not', async () => {
    await expect(answerFromVectors(create(), 'put', ['', 1])).rejects.toThrow(RangeError);
  });
});
