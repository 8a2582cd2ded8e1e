import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meanTwin, similarityTwin, similarTwin } from './similarity-twin.ts';
import { SimilarityKernel, type SimilarityMetric, type SimilarityResult, similarityRoom } from './similarity.ts';

const METRICS: readonly SimilarityMetric[] = ['cosine', 'dot_product', 'euclidean'];
const metrics = fc.constantFrom(...METRICS);

/** Lengths with every tail, and numbers such that many vectors are near, equal, opposite or zero. */
const corpora = fc.tuple(fc.integer({ min: 1, max: 37 }), fc.integer({ min: 0, max: 60 })).chain(([dims, count]) =>
  fc.array(fc.array(fc.integer({ min: -3, max: 3 }), { minLength: dims, maxLength: dims }), {
    minLength: count,
    maxLength: count,
    size: 'max',
  })
);

function found(rows: readonly (readonly number[])[], metric: SimilarityMetric, threshold: number,
  build: 'release' | 'debug'): SimilarityResult
{
  const kernel = new SimilarityKernel(rows[0]?.length ?? 4, metric, build);
  for (const row of rows) kernel.add(Float32Array.from(row));
  return kernel.compare(threshold);
}

/** With a tolerance, because sums of scores are rounded in another order. */
function expectEqual(result: SimilarityResult, expected: SimilarityResult): void {
  expect(result.pairs).toBe(expected.pairs);
  expect(result.groups.map(({ rows }) => rows)).toEqual(expected.groups.map(({ rows }) => rows));
  for (const [i, { score, best }] of result.groups.entries()) {
    for (const [j, one] of [score, ...best].entries()) {
      const twin = [expected.groups[i]!.score, ...expected.groups[i]!.best][j]!;
      expect(Math.abs(one - twin)).toBeLessThanOrEqual(1e-5 * Math.max(1, Math.abs(twin)));
    }
  }
}

/** Whether no pair is so near the threshold that the rounding of a unit vector, or of a mean, decides. */
function isClear(rows: readonly (readonly number[])[], metric: SimilarityMetric, threshold: number): boolean {
  return rows.every((a, i) =>
    rows.slice(i + 1).every((b) => {
      const score = similarityTwin(a, b, metric);
      return score === 1 || Math.abs(score - threshold) > 1e-4;
    })
  );
}

describe.each(['release', 'debug'] as const)('the kernel of similarity (%s build)', (build) => {
  it('finds the pairs and groups that comparing all of them one by one finds', () => {
    fc.assert(fc.property(corpora, metrics, fc.double({ min: 0, max: 1, noNaN: true }), (rows, metric, threshold) => {
      fc.pre(isClear(rows, metric, threshold));
      expectEqual(found(rows, metric, threshold, build), similarTwin(rows, metric, threshold));
    }), { numRuns: build === 'debug' ? 80 : 200 });
  });

  it('loses none of them to what codes leave out, however near the threshold', () => {
    const shapes = fc.record({
      dims: fc.integer({ min: 1, max: 90 }),
      count: fc.integer({ min: 2, max: 40 }),
      seed: fc.integer({ min: 1, max: 1000 }),
      spread: fc.constantFrom(0.03, 0.2, 1),
      outlier: fc.constantFrom(0, 30),
      size: fc.constantFrom(1e-3, 1, 40),
    });
    fc.assert(fc.property(shapes, metrics, fc.nat(), ({ dims, count, seed, spread, outlier, size }, metric, choice) => {
      const number = (row: number, i: number) =>
        Math.sin(seed + (row % 5) * 7.1 + i * 3.7) + spread * Math.sin(seed * row * 1.3 + i * i) +
        (i === 0 ? outlier : 0);
      const rows = Array.from({ length: count },
        (_, row) => Array.from({ length: dims }, (__, i) => Math.fround(size * number(row, i))));
      const scores = rows.flatMap((a, i) => rows.slice(i + 1).map((b) => similarityTwin(a, b, metric))).sort((a, b) =>
        a - b
      );
      // Halfway between two scores, so that rounding does not decide.
      const at = choice % scores.length;
      const [below, above] = [scores[at]!, scores[at + 1] ?? scores[at]! + 1];
      fc.pre(below >= 0 && above - below > 1e-5 * Math.max(1, above));
      expectEqual(found(rows, metric, (below + above) / 2, build), similarTwin(rows, metric, (below + above) / 2));
    }), { numRuns: build === 'debug' ? 60 : 150 });
  });

  it.each([0, 1])('keeps to the extremes of the threshold (%d)', (threshold) => {
    const rows = [[1, 2, 3], [0, 0, 0], [2, 4, 6], [1, 2, 3], [-1, -2, -3], [0, 0, 0], [3, -1, 1]];
    for (const metric of METRICS)
      expectEqual(found(rows, metric, threshold, build), similarTwin(rows, metric, threshold));
  });

  it('compares across blocks of rows', () => {
    const dims = 12_288; // four rows are a block
    const rows = Array.from({ length: 23 },
      (_, row) => Array.from({ length: dims }, (__, i) => Math.sin((row % 7) * 31 + i * 0.7)));
    const result = found(rows, 'cosine', 0.999, build);
    expect(result.groups.map((group) => group.rows)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((row) => [row, row + 7, row + 14, row + 21].filter((each) => each < 23)),
    );
    expect(result.groups.every(({ score, best }) => score === 1 && best.every((one) => one === 1))).toBe(true);
    expect(result.pairs).toBe(2 * 6 + 5 * 3);
  });

  it('takes the mean of the vectors of a row', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }).chain((dims) =>
        fc.array(fc.array(fc.array(fc.integer({ min: -8, max: 8 }), { minLength: dims, maxLength: dims }), {
          minLength: 1,
          maxLength: 4,
        }), { minLength: 2, maxLength: 6 })
      ), metrics, (documents, metric) => {
        const means = documents.map((vectors) =>
          meanTwin(vectors)
        );
        fc.pre(isClear(means, metric, 0.5));
        const kernel = new SimilarityKernel(means[0]!.length, metric, build);
        for (const vectors of documents)
          kernel.add(Float32Array.from(vectors.flat()));
        expectEqual(kernel.compare(0.5), similarTwin(means, metric, 0.5));
      }),
      { numRuns: build === 'debug' ? 40 : 100 },
    );
  });

  it('loses no pair of numbers at the ends of their range', () => {
    const rows = [[1e38, 3e38], [3e-45, 0], [1e-45, 0], [0.9e38, 2.7e38]];
    expect(found(rows, 'cosine', 0.99, build).groups.map((group) => group.rows)).toEqual([[0, 3], [1, 2]]);
  });
});

describe('the kernel of similarity', () => {
  it('finds nothing where there is nothing to compare', () => {
    expect(new SimilarityKernel(4, 'cosine').compare(0)).toEqual({ pairs: 0, groups: [] });
    expect(found([[1, 2]], 'cosine', 0, 'release')).toEqual({ pairs: 0, groups: [] });
  });

  it('has room for a hundred thousand documents of any usual model', () => {
    expect(similarityRoom(4096)).toBeGreaterThan(100_000);
    expect(similarityRoom(65_536)).toBeGreaterThan(5000);
  });
});
