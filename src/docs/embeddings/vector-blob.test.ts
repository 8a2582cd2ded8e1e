import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBlob, toBlob } from './vector-blob.ts';

const vector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 }), {
  minLength: 8,
  maxLength: 40,
}).map((values) => Float32Array.from(values));

describe('the blob of a vector', () => {
  it('has its numbers in full', () => {
    fc.assert(fc.property(vector, (numbers) => {
      const blob = toBlob(numbers);
      expect(fromBlob(blob, numbers.length)).toEqual(numbers);
      // A row of a database may have any address.
      const shifted = new Uint8Array(blob.length + 1);
      shifted.set(blob, 1);
      expect(fromBlob(shifted.subarray(1), numbers.length)).toEqual(numbers);
    }));
  });

  it('has them in a byte each, within half a step, and does not change when it is written again', () => {
    fc.assert(fc.property(vector, (numbers) => {
      const blob = toBlob(numbers, 'int8');
      expect(blob).toHaveLength(numbers.length + 8);
      const read = fromBlob(blob, numbers.length);
      const step = (Math.max(...numbers) - Math.min(...numbers)) / 255;
      for (const [i, value] of numbers.entries())
        expect(Math.abs(read[i]! - value)).toBeLessThanOrEqual(step / 2 + 1e-6);
      expect(toBlob(read, 'int8').subarray(8)).toEqual(blob.subarray(8));
    }));
  });
});
