import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvertedKernel } from './inverted.ts';

/** Mostly small numbers and a few large ones, like gaps. */
const run = fc.array(
  fc.oneof({ weight: 9, arbitrary: fc.nat(9) }, fc.nat(300), fc.integer({ min: 0, max: 0xffff_ffff })),
  { minLength: 1, maxLength: 128, size: 'max' },
);

describe.each(['release', 'debug'] as const)('packed runs, %s build', (build) => {
  const kernel = new InvertedKernel(build);
  const values = kernel.call.reserve(0, 4096);
  const packed = kernel.call.reserve(1, 4096);

  const roundTrip = (numbers: readonly number[]): { numbers: number[]; bytes: number } => {
    new Uint32Array(kernel.memory.buffer, values, numbers.length).set(numbers);
    const end = kernel.call.pack(values, numbers.length, packed);
    kernel.bytes.fill(0xee, values, values + 1024);
    expect(kernel.call.unpack(packed, numbers.length, values, 0)).toBe(end);
    return { numbers: [...kernel.numbers(values, numbers.length)], bytes: end - packed };
  };

  it('come back as they were, of every length', () => {
    fc.assert(fc.property(run, (numbers) => {
      expect(roundTrip(numbers).numbers).toEqual(numbers);
    }), { numRuns: build === 'debug' ? 200 : 500 });
  });

  it('come back at every width, without and with exceptions', () => {
    for (let bits = 0; bits <= 32; bits++) {
      const largest = bits === 0 ? 0 : 0xffff_ffff >>> (32 - bits);
      for (const count of [1, 3, 4, 5, 127, 128]) {
        const even = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? largest : largest >>> 1));
        expect(roundTrip(even).numbers).toEqual(even);
        const odd = even.with(count >> 1, 0xffff_fffe);
        expect(roundTrip(odd).numbers).toEqual(odd);
      }
    }
  });

  it('take few bytes, and a rare large number costs little more', () => {
    const small = Array.from({ length: 128 }, (_, i) => i % 8);
    expect(roundTrip(small).bytes).toBe(2 + (128 * 3) / 8);
    expect(roundTrip(small.with(77, 1_000_000)).bytes).toBe(2 + (128 * 3) / 8 + 1 + 3);
  });
});
