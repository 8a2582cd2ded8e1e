import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeVectors, encodeVectors, rowsOf, type SuppliedVectors } from './supplied-vectors.ts';

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const place = fc.record({ start: u32, end: u32, startLine: u32, endLine: u32 });
const field = fc.record({
  shape: fc.constantFrom('one', 'passages', 'tokens'),
  dimensions: fc.integer({ min: 1, max: 9 }),
  count: fc.integer({ min: 1, max: 5 }),
  crc: u32,
  bytes: u32,
}).chain(({ shape, dimensions, count: wanted, crc, bytes }) => {
  const count = shape === 'one' ? 1 : wanted;
  const places = shape === 'tokens' ? 1 : count;
  return fc.record({
    shape: fc.constant(shape),
    dimensions: fc.constant(dimensions),
    crc: fc.constant(crc),
    bytes: fc.constant(bytes),
    places: fc.array(place, { minLength: places, maxLength: places }),
    numbers: fc.float32Array({ minLength: count * dimensions, maxLength: count * dimensions, noNaN: true }),
  });
}) as fc.Arbitrary<SuppliedVectors>;
const fields = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/), field, {
  minKeys: 1,
  maxKeys: 5,
  noNullPrototype: true,
}).map((each) => new Map(Object.entries(each)));

describe('the stored form of supplied vectors', () => {
  it('returns what was encoded, wherever its bytes are in memory', () => {
    fc.assert(fc.property(fields, fc.integer({ min: 0, max: 3 }), (given, shift) => {
      const stored = encodeVectors(given)!;
      const shifted = new Uint8Array(stored.length + shift).subarray(shift);
      shifted.set(stored);
      expect(decodeVectors(shifted)).toEqual(new Map([...given].sort(([a], [b]) => (a < b ? -1 : 1))));
      const [name] = given.keys();
      expect([...decodeVectors(shifted, name)]).toEqual([[name, given.get(name!)]]);
    }));
  });

  it('is the same for the same fields in another order', () => {
    fc.assert(fc.property(fields, (given) => {
      expect(encodeVectors(new Map([...given].reverse()))).toEqual(encodeVectors(given));
    }));
  });

  it('is refused where it breaks off, is too long or of another version', () => {
    fc.assert(fc.property(fields, fc.nat(), (given, cut) => {
      const stored = encodeVectors(given)!;
      expect(() => decodeVectors(stored.subarray(0, cut % stored.length))).toThrow('corrupt');
      expect(() => decodeVectors(Uint8Array.of(...stored, 0))).toThrow('too long');
      expect(() => decodeVectors(Uint8Array.of(9, ...stored.subarray(1)))).toThrow('version');
    }));
  });

  it('is nothing without fields', () => {
    expect(encodeVectors(new Map())).toBeUndefined();
  });

  it('has one row for each vector', () => {
    fc.assert(fc.property(field, (given) => {
      const rows = rowsOf(given);
      expect(rows.every(({ length }) => length === given.dimensions)).toBe(true);
      expect(Float32Array.from(rows.flatMap((row) => [...row]))).toEqual(given.numbers);
    }));
  });
});
