import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { VectorIndex, WorkerPool } from './index.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

const DIMS = 24;
const vectorOf = (seed: number) => Float32Array.from({ length: DIMS }, (_, i) => Math.sin(seed * 12.9898 + i * 78.233));

describe('compaction', () => {
  it('drops dead rows and their memory, and keeps everything else', async () => {
    const index = new VectorIndex({ pool });
    for (let ord = 0; ord < 600; ord++) index.put(ord, [{ vector: vectorOf(ord) }, { vector: vectorOf(ord + 1000) }]);
    for (let ord = 0; ord < 600; ord++) if (ord % 3 !== 0) index.remove(ord);
    const before = await index.search({ vector: vectorOf(3), k: 400 });
    const { bytes } = index.stats();
    await index.compact();
    expect(await index.search({ vector: vectorOf(3), k: 400 })).toMatchObject({ hits: before.hits });
    expect(index.stats()).toMatchObject({ documents: 200, chunks: 400, sets: [{ dead: 0, segments: 1 }] });
    expect(index.stats().bytes).toBeLessThan(bytes);
    expect(index.vectorsOf(300)).toEqual([vectorOf(300), vectorOf(1300)]);
    await index.compact();
    expect(index.stats()).toMatchObject({ documents: 200, chunks: 400 });
  });

  it('begins by itself when most rows are dead', async () => {
    const index = new VectorIndex({ pool });
    for (let turn = 0; turn < 4; turn++)
      for (let ord = 0; ord < 1500; ord++) index.put(ord, [{ vector: vectorOf(ord + turn) }]);
    while (index.stats().sets[0]!.dead > 2500) await new Promise((resolve) => setImmediate(resolve));
    expect((await index.search({ vector: vectorOf(7 + 3), k: 1 })).hits).toMatchObject([{ ord: 7, score: 1 }]);
    expect(index.stats()).toMatchObject({ documents: 1500, chunks: 1500 });
  });

  it('agrees with whatever is written and searched meanwhile', async () => {
    const change = fc.record({ ord: fc.nat(80), seed: fc.nat(5000), chunks: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 200, size: 'max' }), fc.scheduler(),
        async (changes, scheduler) => {
          const index = new VectorIndex({ pool, segmentBytes: 16 * 1024 * 1024 });
          const expected = new Map<number, number>();
          const apply = async ({ ord, seed, chunks }: (typeof changes)[number]) => {
            index.put(ord, Array.from({ length: chunks }, (_, i) => ({ vector: vectorOf(seed + i) })));
            if (chunks === 0) expected.delete(ord);
            else expected.set(ord, seed);
            const wanted = [...expected][0];
            if (wanted === undefined) return;
            const { hits } = await index.search({ vector: vectorOf(wanted[1]), k: 3, metric: 'euclidean' });
            for (const hit of hits) expect(hit.score).toBeLessThanOrEqual(1);
          };
          for (const each of changes.slice(0, changes.length / 2)) await apply(each);
          const compaction = scheduler.schedule(Promise.resolve()).then(() => index.compact());
          for (const each of changes.slice(changes.length / 2))
            void scheduler.schedule(Promise.resolve()).then(() => apply(each));
          await scheduler.waitAll();
          await compaction;
          await index.compact();
          expect([...index.ords()]).toEqual([...expected.keys()].toSorted((a, b) => a - b));
          for (const [ord, seed] of expected) {
            expect(index.vectorsOf(ord)[0]).toEqual(vectorOf(seed));
            expect((await index.search({
              vector: vectorOf(seed),
              k: 81,
              perDocument: true,
              metric: 'euclidean',
              threshold: 1,
            })).hits.map((hit) => hit.ord)).toContain(ord);
          }
          expect(index.stats().sets.every(({ dead }) => dead === 0)).toBe(true);
          await index.close();
        }),
      { numRuns: 25 },
    );
  });

  it('stops when the index is closed', async () => {
    const index = new VectorIndex({ pool });
    for (let ord = 0; ord < 100; ord++) index.put(ord, [{ vector: vectorOf(ord) }]);
    index.remove(5);
    const compaction = index.compact();
    await index.close();
    await compaction;
  });
});

describe('searches beside writes', () => {
  it('see whole rows only, in workers that scan while rows are added and replaced', async () => {
    const index = new VectorIndex({ pool, inlineBytes: 0, parallelMinRows: 1 });
    const answers: Promise<void>[] = [];
    for (let ord = 0; ord < 3000; ord++) {
      index.put(ord, [{ vector: vectorOf(ord) }]);
      if (ord % 5 === 0) index.put(ord, [{ vector: vectorOf(ord) }, { vector: vectorOf(ord + 0.5) }]);
      if (ord % 30 !== 0) continue;
      answers.push(
        index.search({ vector: vectorOf(ord - (ord % 7)), k: 2, metric: 'euclidean', perDocument: true }).then(
          ({ hits }) => {
            expect(hits[0]).toMatchObject({ ord: ord - (ord % 7), chunk: 0, score: 1 });
            for (const { score } of hits.slice(1)) expect(score).toBeLessThan(1);
          },
        ),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(answers);
  });
});
