import { describe, expect, it } from 'vitest';
import { sparseVector, SparseVectorError } from './index.ts';

describe('a sparse vector', () => {
  it('is in the order of dimensions, without values of 0', () => {
    expect(sparseVector([9, 4_294_967_295, 0, 5], [1, -2, 0.5, 0])).toEqual({
      indices: Uint32Array.of(0, 9, 4_294_967_295),
      values: Float32Array.of(0.5, 1, -2),
    });
    expect(sparseVector([1, 2], [1e-60, 3]).indices).toEqual(Uint32Array.of(2));
  });

  it.each([
    ['another number of values', [1, 2], [1], 'one value for each index, got 2 and 1'],
    ['an index twice', [3, 1, 3], [1, 1, 1], 'each index once, got 3 twice'],
    ['a negative index', [-1], [1], 'indices from 0 to 4294967295, got -1'],
    ['an index of 33 bits', [2 ** 32], [1], 'got 4294967296'],
    ['a fraction', [1, 1.5], [1, 1], 'got 1.5'],
    ['no number', [1], [NaN], 'values from -1e15 to 1e15, got NaN at index 1'],
    ['an infinite value', [1], [-Infinity], 'got -Infinity at index 1'],
    ['a value whose products are infinite', [8], [1e30], 'got 1e+30 at index 8'],
  ])('is refused with %s', (_, indices, values, message) => {
    expect(() => sparseVector(indices, values)).toThrow(SparseVectorError);
    expect(() => sparseVector(indices, values)).toThrow(message);
  });

  it('is refused with too many values', () => {
    const many = new Float32Array(65_537).fill(1);
    expect(() => sparseVector(many.map((_, i) => i), many)).toThrow('at most 65536 values, got 65537');
  });
});
