import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectTwin } from './projection-twin.ts';
import { type Plane, type Point, ProjectionKernel } from './projection.ts';

const project = (vectors: readonly (readonly number[])[], build: 'release' | 'debug' = 'release'): Promise<Plane> =>
  new ProjectionKernel(vectors.map((vector) => Float32Array.from(vector)), async () => undefined, build).project();

/** A rotated cloud with one long, one medium and many short axes, so that its components are clearly distinct. */
function cloud(dims: number, count: number, seed: number): number[][] {
  let state = seed + 1;
  const random = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff) / 0x7fff_ffff - 0.5;
  const [long, middle] = [0, 1].map(() => Array.from({ length: dims }, random));
  return Array.from({ length: count }, () => {
    const [a, b] = [random() * 20, random() * 8];
    return Array.from({ length: dims }, (_, i) => 3 + a * long![i]! + b * middle![i]! + random() * 0.1);
  });
}

function expectClose(points: readonly Point[], expected: readonly Point[], digits: number): void {
  expect(points).toHaveLength(expected.length);
  for (const [i, { x, y }] of points.entries()) {
    expect(x).toBeCloseTo(expected[i]!.x, digits);
    expect(y).toBeCloseTo(expected[i]!.y, digits);
  }
}

describe.each(['release', 'debug'] as const)('the kernel of projection (%s build)', (build) => {
  it('places vectors, and others on the same axes, where its twin does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 3, max: 40 }), fc.integer({ min: 3, max: 60 }), fc.nat(10_000),
        async (dims, count, seed) => {
          const vectors = cloud(dims, count, seed).map((vector) => vector.map(Math.fround));
          const [plane, twin] = [await project(vectors, build), projectTwin(vectors)];
          expectClose(plane.points, twin.points, 3);
          const other = vectors[0]!.map((x, i) => Math.fround(x * 1.5 - i * 0.1));
          expectClose([plane.place(Float32Array.from(other))!], [twin.place(other)!], 2);
        }),
      { numRuns: build === 'debug' ? 24 : 60 },
    );
  });

  it('stays within bounds, and reaches them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }).chain((dims) =>
        fc.array(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: dims, maxLength: dims }), {
          minLength: 1,
          maxLength: 12,
        })
      ), async (vectors) => {
        const { points } = await project(vectors, build);
        const values = points.flatMap(({ x, y }) => [x, y]);
        expect(values.every((value) =>
          Math.abs(value) <= 1
        )).toBe(true);
        expect([0, 1]).toContain(Math.max(...values.map(Math.abs)));
      }),
      { numRuns: build === 'debug' ? 60 : 150 },
    );
  });
});

describe('the kernel of projection', () => {
  it('finds the axes of an ellipse, the longer one first, each towards its largest number', async () => {
    const { points, place } = await project([[0, 4, 0], [0, -4, 0], [2, 0, 0], [-2, 0, 0]]);
    expectClose(points, [{ x: 1, y: 0 }, { x: -1, y: 0 }, { x: 0, y: 0.5 }, { x: 0, y: -0.5 }], 6);
    expectClose([place(Float32Array.of(1, 8, 5))!], [{ x: 2, y: 0.25 }], 6);
  });

  it('has no second axis where all vectors lie on a line', async () => {
    const direction = [0.3, -0.7, 0.11, 0.9, 0.05];
    const { points } = await project([1, 2, 5, -3].map((step) => direction.map((x, i) => i + x * step)));
    const middle = (1 + 2 + 5 - 3) / 4;
    expectClose(points, [1, 2, 5, -3].map((step) => ({ x: (step - middle) / (middle + 3), y: 0 })), 4);
    expect(points.every(({ y }) => y === 0)).toBe(true);
  });

  it('has no axis without differences', async () => {
    expect((await project([])).points).toEqual([]);
    for (const vectors of [[[1, 2]], [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]], [[0], [0]]]) {
      const { points, place } = await project(vectors);
      expect(points).toEqual(vectors.map(() => ({ x: 0, y: 0 })));
      expect(place(Float32Array.from(vectors[0]!))).toBeUndefined();
    }
  });

  it('takes two vectors apart', async () => {
    expect((await project([[1, 0], [0, 1]])).points.map(({ x, y }) => [Math.round(x * 1e6) / 1e6, y])).toEqual([[1, 0],
      [-1, 0]]);
  });

  it('rests between slices', async () => {
    let rests = 0;
    const vectors = Array.from({ length: 300 },
      (_, i) => Float32Array.from({ length: 8192 }, (__, j) => Math.sin(i * j)));
    await new ProjectionKernel(vectors, async () => void rests++).project();
    expect(rests).toBeGreaterThan(100);
  });
});
