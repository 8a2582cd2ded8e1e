import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { Loopback } from '../../testkit/parts/loopback.ts';
import { openValue, type OrClosed, orClosed, VectorIndexClosedError } from '../vector/index.ts';
import { answerSparse, JoinedSparseIndex, SparseIndex, SparseStandIn, type SparseStats,
  sparseVector } from './index.ts';

/** Few dimensions and values, so that many documents have equal scores. */
const vectors = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.constantFrom(-1, -0.5, 0.25, 1, 2)), {
  maxLength: 6,
  selector: ([dimension]) => dimension,
}).map((pairs) => sparseVector(pairs.map(([dimension]) => dimension), pairs.map(([, value]) => value)));
const ord = fc.integer({ min: 0, max: 200 });
const changes = fc.array(fc.record({ ord, vector: fc.option(vectors) }), { minLength: 1, maxLength: 300, size: 'max' });
const queries = fc.record({
  vector: vectors,
  k: fc.constantFrom(0, 1, 3, 10, 1000),
  eligible: fc.option(fc.array(ord, { maxLength: 100, size: 'max' }).map((ords) => OrdSet.of(ords)), {
    nil: undefined,
  }),
  threshold: fc.option(fc.double({ min: -5, max: 5, noNaN: true }), { nil: undefined }),
});

/** Joins indexes, of which the parts with an odd number, or all, are in another process. */
function join(parts: readonly SparseIndex[], away: 'none' | 'some' | 'all', loopback: Loopback): JoinedSparseIndex {
  return new JoinedSparseIndex(parts.map((part, i) => {
    if (away === 'none' || (away === 'some' && i % 2 === 0)) return part;
    const link = loopback.add((method, args) =>
      orClosed(() => (method === 'stats' ? part.stats() : answerSparse(part, method, args)))
    );
    return new SparseStandIn({
      summary: () => openValue(link.known<OrClosed<SparseStats>>('stats')),
      known: <T>(method: string, ...args: readonly unknown[]) => openValue(link.known<OrClosed<T>>(method, ...args)),
    });
  }));
}
const awayParts = fc.constantFrom('none' as const, 'some' as const, 'all' as const);

describe('several indexes of sparse vectors as one', () => {
  it('find what one index with all documents finds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 8 }), awayParts, changes, fc.array(queries, { minLength: 1 }),
        async (count, away, steps, asked) => {
          const loopback = new Loopback();
          const whole = SparseIndex.create();
          const parts = Array.from({ length: count }, () => SparseIndex.create());
          const joined = join(parts, away, loopback);
          for (const { ord: at, vector } of steps) {
            for (const index of [whole, parts[Math.imul(at, 7) % count]!]) {
              if (vector === null) index.remove(at);
              else index.put(at, vector);
            }
          }
          for (const query of asked) {
            expect(await loopback.request(() => joined.search(query))).toEqual(await whole.search(query));
            expect(loopback.rounds).toBeLessThanOrEqual(1);
          }
          const [ords, stats] = await loopback.request(() => [OrdSet.of(joined.ords()), joined.stats()] as const);
          expect(ords.ordinals()).toEqual(OrdSet.of(whole.ords()).ordinals());
          expect(stats.documents).toBe(whole.stats().documents);
        }),
      { numRuns: 90 },
    );
  });

  it('reject when one of them was closed, and with the reason of an aborted signal', async () => {
    const parts = [SparseIndex.create(), SparseIndex.create()];
    const joined = new JoinedSparseIndex(parts);
    const query = { vector: sparseVector([1], [1]), k: 3 };
    for (const [at, part] of parts.entries()) part.put(at, query.vector);
    await expect(joined.search(query, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    parts[1]!.close();
    await expect(joined.search(query)).rejects.toThrow(VectorIndexClosedError);
    const loopback = new Loopback();
    const some = join(parts, 'some', loopback);
    await expect(loopback.request(() => some.search(query))).rejects.toThrow(VectorIndexClosedError);
  });
});
