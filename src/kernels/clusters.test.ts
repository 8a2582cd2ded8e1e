import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clustersKernel, CODES } from './clusters.ts';
import { SegmentMemory } from './vectors.ts';

/** Small integers, whose products and sums are exact. */
const numbers = (count: number) => fc.array(fc.integer({ min: -9, max: 9 }), { minLength: count, maxLength: count });
const matrices = fc.tuple(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 1, max: 70 })).chain(([rows, inner, columns]) =>
    fc.tuple(fc.constant({ rows, inner, columns }), numbers(rows * inner), numbers(inner * columns))
  );

describe.each(['release', 'debug'] as const)('the kernel of clusters (%s build)', (build) => {
  const memory = new SegmentMemory(4, 'float32', build);
  const kernel = clustersKernel(memory.memory, build);
  const place = (values: ArrayLike<number>) => {
    const at = memory.allocate(Math.max(64, values.length * 4));
    memory.f32(at, values.length).set(values);
    return at;
  };

  it('multiplies matrices, and vectors by matrices, of all sizes', () => {
    fc.assert(fc.property(matrices, ([{ rows, inner, columns }, left, right]) => {
      const wide = (columns + 31) & ~31;
      const [a, b] = [place(left), place(right)];
      const packed = memory.allocate(kernel.packedBytes(inner, columns));
      const out = memory.allocate(rows * wide * 4);
      kernel.packMatrix(b, inner, columns, columns * 4, packed);
      kernel.multiply(a, rows, inner * 4, packed, inner, columns, out, wide * 4);
      const expected = Array.from({ length: rows * wide }, (_, i) => {
        const [row, column] = [Math.floor(i / wide), i % wide];
        return column >= columns
          ? 0
          : Array.from({ length: inner }, (_, k) => left[row * inner + k]! * right[k * columns + column]!).reduce(
            (x, y) => x + y,
            0,
          );
      });
      expect([...memory.f32(out, rows * wide)].map((x) => x + 0)).toEqual(expected.map((x) => x + 0));
      kernel.multiplyVector(a, packed, inner, columns, out);
      expect([...memory.f32(out, wide)].map((x) => x + 0)).toEqual(expected.slice(0, wide).map((x) => x + 0));
    }), { numRuns: build === 'debug' ? 24 : 60 });
  });

  it('finds by codes the rows whose centroids are nearest to a query, in all its parts together', () => {
    const shapes = fc.constantFrom([1, 3], [2, 8], [5, 10], [16, 1], [17, 2], [33, 1]);
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 1100 }), fc.nat(1000), fc.boolean(),
        ([parts, width], count, seed, isFiltered) => {
          const dims = parts! * width!;
          const rows = new SegmentMemory(dims, 'float32', build);
          const own = clustersKernel(rows.memory, build);
          let state = seed;
          const random = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) % 97;
          // Every part of a row is a centroid, so codes are exact and the reference is simple.
          const stride = own.rowBytes(width!) / 4;
          const centroids = new Float32Array(parts! * CODES * stride).map((_,
            i) => (i % stride < width! ? random() : 0)
          );
          const at = rows.allocate(centroids.byteLength);
          rows.f32(at, centroids.length).set(centroids);
          const book = own.createBook(2, dims, parts!, at, 0, 0, 0) >>> 0;
          const vectors = Array.from({ length: count }, () =>
            Float32Array.from({ length: parts! }, random).reduce<number[]>(
              (all, code,
                part) => [...all,
                ...centroids.subarray((part * CODES + code) * stride, (part * CODES + code) * stride + width!)],
              [],
            ));
          const input = rows.allocate(rows.call.queryBytes(dims));
          rows.call.makeRoom(count);
          for (const each of vectors) {
            rows.f32(input, dims).set(each);
            rows.call.addRow(input, 0, 0);
          }
          expect(own.addToBook(book, count, count)).toBe(count);
          const query = Array.from({ length: dims }, random);
          rows.f32(input, dims).set(query);
          const bitmap = rows.allocate(Math.ceil(count / 64) * 8);
          for (let byte = 0; byte < Math.ceil(count / 8); byte++) rows.bytes[bitmap + byte] = random();
          const counts = (row: number) => !isFiltered || ((rows.bytes[bitmap + (row >> 3)]! >> (row & 7)) & 1) === 1;
          const out = rows.allocate(44);
          const found = own.searchBook(book, 2, input, 0, count, 10, isFiltered ? bitmap : 0, out, out + 40);
          const far = (row: number) => vectors[row]!.reduce((sum, x, i) => sum + (x - query[i]!) ** 2, 0);
          const truth = vectors.map((_, row) => row).filter(counts);
          expect(rows.u32(out + 40, 1)[0]).toBe(truth.length);
          expect([...rows.u32(out, found)].map(far).toSorted((a, b) => a - b)).toEqual(
            truth.map(far).toSorted((a, b) => a - b).slice(0, 10),
          );
        }),
      { numRuns: 25 },
    );
  });
});
