import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddingError } from './provider.ts';
import { usableVectors, VectorSize } from './usable-vector.ts';

const check = (answer: unknown, count: number, size = new VectorSize(2, 2)) =>
  usableVectors(answer, count, size, 'test');

describe('usableVectors', () => {
  it('returns good numbers as 32-bit floats', () => {
    const component = fc.float({ noNaN: true, noDefaultInfinity: true, min: Math.fround(1e-6), max: Math.fround(1e6) });
    fc.assert(fc.property(fc.array(fc.tuple(component, component), { minLength: 1, maxLength: 5 }), (vectors) => {
      expect(check(vectors, vectors.length).map((vector) => [...vector])).toEqual(vectors);
    }));
  });

  it.each([['no list', { a: 1 }, /an answer without embeddings/], ['too few', [[1, 2]], /1 embeddings for 2 texts/], [
    'too many',
    [[1, 2], [1, 2], [1, 2]],
    /3 embeddings for 2 texts/,
  ], ['a string for a vector', [[1, 2], 'x'], /something else than a list of numbers as embedding 2/], [
    'strings for numbers',
    [['1', '2'], [1, 2]],
    /something else than a list of numbers as embedding 1/,
  ], ['an empty vector', [[1, 2], []], /text 2: it is empty/], ['a component that is not a number', [[1, Number.NaN], [
    1,
    2,
  ]], /text 1: a component is not finite/], ['a component beyond 32-bit floats', [[1, 1e300], [1, 2]],
    /text 1: a component is not finite/], ['a length whose square overflows in 32-bit floats', [[1e30, 0], [1, 2]],
    /text 1: its components are too large/], ['a length of zero', [[0, -0], [1, 2]], /text 1: all components are zero/],
    ['a length whose square vanishes in 32-bit floats', [[1e-30, 0], [1, 2]], /text 1: all components are zero/], [
    'another size',
    [[1, 2, 3], [1, 2, 3]],
    /vectors of 3 dimensions, expected 2/,
  ], ['different sizes', [[1, 2], [1, 2, 3]], /different sizes, 2 and 3/]])('refuses %s permanently',
    (_what, answer, message) => {
      const attempt = () => check(answer, 2);
      expect(attempt).toThrow(message);
      expect(attempt).toThrow(expect.objectContaining({ name: 'EmbeddingError', retryable: false }));
      expect(attempt).toThrow(EmbeddingError);
    });

  it('lets the first good response decide an unknown size, and no broken one', () => {
    const size = new VectorSize(undefined, 768);
    expect(size.value).toBe(768);
    expect(() => check([[1, 2], [1, 2, 3]], 2, size)).toThrow(/different sizes/);
    expect(() => check([[0, 0, 0, 0]], 1, size)).toThrow(/zero/);
    expect(size.value).toBe(768);
    check([[1, 2, 3]], 1, size);
    expect(size.value).toBe(3);
    expect(() => check([[1, 2]], 1, size)).toThrow(/2 dimensions, expected 3/);
  });
});
