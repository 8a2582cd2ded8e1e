import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusteredVectors, seededRandom } from '../hnsw/test-fixture.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { makeOrthogonal, partsOf, trainCodebook } from './pq.ts';
import { type Clustering, type Matrix, Trainer } from './trainer.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

function matrixOf(trainer: Trainer, vectors: readonly Float32Array[]): Matrix {
  const points = trainer.matrix(vectors.length, vectors[0]!.length);
  const width = trainer.kernel.rowBytes(points.dims) / 4;
  vectors.forEach((vector, i) => trainer.numbers(points).set(vector, i * width));
  return points;
}

function rowsOf(trainer: Trainer, matrix: Matrix): Float32Array[] {
  const numbers = trainer.numbers(matrix);
  const width = trainer.kernel.rowBytes(matrix.dims) / 4;
  return Array.from({ length: matrix.rows }, (_, i) => numbers.slice(i * width, i * width + matrix.dims));
}

const distance = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, x, i) => sum + (x - b[i]!) ** 2, 0);

describe.each(['release', 'debug'] as const)('k-means (%s build)', (build) => {
  const withTrainer = async (vectors: readonly Float32Array[],
    use: (trainer: Trainer, points: Matrix) => Promise<void>) =>
  {
    const trainer = new Trainer(pool, vectors[0]!.length, build);
    await use(trainer, matrixOf(trainer, vectors));
    trainer.close();
  };

  const check = (trainer: Trainer, points: Matrix, clustering: Clustering) => {
    const [vectors, centroids] = [rowsOf(trainer, points), rowsOf(trainer, clustering.centroids)];
    const assigned = trainer.integers(clustering.assigned, points.rows);
    let sum = 0;
    vectors.forEach((vector, i) => {
      const nearest = Math.min(...centroids.map((centroid) => distance(vector, centroid)));
      const own = distance(vector, centroids[assigned[i]!]!);
      expect(own).toBeLessThanOrEqual(nearest + 1e-3 * (1 + nearest)); // up to rounding errors
      sum += own;
    });
    expect(clustering.sum).toBeCloseTo(sum, -Math.floor(Math.log10(sum + 1)) + 3);
  };

  it('assigns every point to its nearest centroid, for all numbers of points, centroids and dimensions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 40 }), fc.nat(1000), async (n, k, dims, seed) => {
        await withTrainer(clusteredVectors(n, dims, seed), async (trainer, points) => {
          const clustering = trainer.clustering(points, Math.min(k, n));
          await trainer.seed(points, clustering, seed);
          await trainer.assign(points, clustering);
          check(trainer, points, clustering);
        });
      }),
      { numRuns: 15 },
    );
  });

  it('moves centroids to the means of their points, and never to a larger sum', async () => {
    await withTrainer(clusteredVectors(1500, 13, 3), async (trainer, points) => {
      const clustering = trainer.clustering(points, 24);
      await trainer.seed(points, clustering, 9);
      await trainer.assign(points, clustering);
      for (let round = 0; round < 6; round++) {
        const before = clustering.sum;
        const assigned = trainer.integers(clustering.assigned, points.rows).slice();
        await trainer.move(points, clustering);
        const vectors = rowsOf(trainer, points);
        rowsOf(trainer, clustering.centroids).forEach((centroid, c) => {
          const own = vectors.filter((_, i) => assigned[i] === c);
          if (own.length > 0)
            centroid.forEach((x, d) =>
              expect(x).toBeCloseTo(own.reduce((sum, vector) => sum + vector[d]!, 0) / own.length, 4)
            );
        });
        await trainer.assign(points, clustering);
        expect(clustering.sum).toBeLessThanOrEqual(before * (1 + 1e-6));
      }
      check(trainer, points, clustering);
    });
  });

  it('finds clusters that are there', async () => {
    const random = seededRandom(5);
    const vectors = Array.from({ length: 400 },
      (_, i) => Float32Array.from({ length: 6 }, (_, d) => (i % 8 === d ? 50 : 0) + (i % 8 === 7 ? 20 : 0) + random()));
    await withTrainer(vectors, async (trainer, points) => {
      const clustering = trainer.clustering(points, 8);
      await trainer.seed(points, clustering, 1);
      await trainer.refine(points, clustering, 20);
      const assigned = trainer.integers(clustering.assigned, 400);
      const clusters = Array.from({ length: 8 }, (_, c) => new Set(assigned.filter((_, i) => i % 8 === c)));
      expect(new Set(clusters.flatMap((set) => [...set])).size).toBe(8);
      expect(clusters.every(({ size }) => size === 1)).toBe(true);
      expect(clustering.sum).toBeLessThan(400 * 6 * 0.2);
    });
  });

  it('moves centroids without points to points that are far from theirs', async () => {
    await withTrainer([...Array.from({ length: 50 }, () => Float32Array.of(1, 1)), Float32Array.of(9, 9),
      Float32Array.of(0, 9)], async (trainer, points) => {
      const clustering = trainer.clustering(points, 3);
      trainer.numbers(clustering.centroids).fill(1);
      await trainer.refine(points, clustering, 5);
      expect(clustering.sum).toBe(0);
    });
  });
});

describe('an orthogonal factor', () => {
  const trainer = new Trainer(pool, 4, 'release');
  afterAll(() => trainer.close());

  const factorOf = async (dims: number, entry: (i: number, j: number) => number): Promise<number[][]> => {
    const [at, work] = [trainer.allocate(trainer.kernel.squareBytes(dims)),
      trainer.allocate(trainer.kernel.squareBytes(dims) * 4)];
    const width = trainer.kernel.squareStride(dims) / 4;
    const numbers = trainer.floats(at, width * dims).fill(0);
    for (let i = 0; i < dims; i++) for (let j = 0; j < dims; j++) numbers[i * width + j] = entry(i, j);
    await makeOrthogonal(trainer, at, dims, work);
    const result = trainer.floats(at, width * dims);
    return Array.from({ length: dims }, (_, i) => Array.from(result.subarray(i * width, i * width + dims)));
  };
  const deviation = (q: number[][]) =>
    Math.max(
      ...q.flatMap((a, i) =>
        q.map((b, j) => Math.abs(a.reduce((sum, x, d) => sum + x * b[d]!, 0) - (i === j ? 1 : 0)))
      ),
    );

  it.each([1, 2, 7, 33, 64])('of %i dimensions is orthogonal to 1e-4', async (dims) => {
    const random = seededRandom(dims);
    const noise = Array.from({ length: dims * dims }, () => random() - 0.5);
    expect(deviation(await factorOf(dims, (i, j) => noise[i * dims + j]! * 0.4 + (i === j ? Math.exp(-i / 5) : 0))))
      .toBeLessThan(1e-4);
  });

  it('is orthogonal even where the points do not vary, and the rotation itself when there is one', async () => {
    expect(deviation(await factorOf(20, (i, j) => (i < 8 && j < 8 ? Number(i === j) + 0.3 * Math.sin(i * 3 + j) : 0))))
      .toBeLessThan(1e-4);
    const angle = 0.7;
    const turn = [[Math.cos(angle), -Math.sin(angle)], [Math.sin(angle), Math.cos(angle)]];
    const found = await factorOf(2, (i, j) => 12 * turn[i]![j]!);
    // A hundredth of the identity is added, which changes the rotation by about as much.
    found.forEach((row, i) => row.forEach((x, j) => expect(x).toBeCloseTo(turn[i]![j]!, 1)));
  });
});

describe('product quantization', () => {
  it.each([[768, 96], [128, 16], [50, 5], [784, 98], [7, 1], [13, 1], [1, 1], [1536, 192]])(
    'divides %i dimensions into %i parts',
    (dims, parts) => {
      expect(partsOf(dims)).toBe(parts);
    },
  );

  /** Dimensions that depend on dimensions of other parts, which a rotation can exploit. */
  const correlated = () => {
    const random = seededRandom(21);
    const normal = () => random() + random() + random() - 1.5;
    const mixing = Array.from({ length: 24 }, () => Array.from({ length: 10 }, normal));
    return Array.from({ length: 3000 }, () => {
      const hidden = Array.from({ length: 10 }, (_, i) => normal() * 2 ** -i * 8);
      return Float32Array.from(mixing, (row) => row.reduce((sum, x, i) => sum + x * hidden[i]!, 0) + 0.05 * normal());
    });
  };

  const errors = { pq: 0, opq: 0 };
  let rotation: Float32Array | undefined;
  let width = 0;
  beforeAll(async () => {
    for (const rotated of [false, true]) {
      const trainer = new Trainer(pool, 24, 'release');
      const book = await trainCodebook(trainer, matrixOf(trainer, correlated()), 3, rotated, 1);
      errors[rotated ? 'opq' : 'pq'] = book.error;
      rotation = book.rotation;
      width = trainer.kernel.squareStride(24) / 4;
      trainer.close();
    }
  });

  it('errs less with a rotation that was learned', () => {
    const vectors = correlated();
    const mean = vectors.reduce((sum, v) => sum + distance(v, new Float32Array(24)), 0) / vectors.length;
    expect(errors.pq).toBeLessThan(mean / 10);
    expect(errors.opq).toBeLessThanOrEqual(errors.pq);
  });

  it('learns a rotation that is orthogonal to 1e-4', () => {
    for (let i = 0; i < 24; i++) {
      for (let j = 0; j <= i; j++) {
        const [a, b] = [rotation!.subarray(i * width, i * width + 24), rotation!.subarray(j * width, j * width + 24)];
        expect(Math.abs(a.reduce((sum, x, d) => sum + x * b[d]!, 0) - Number(i === j))).toBeLessThan(1e-4);
      }
    }
  });
});
