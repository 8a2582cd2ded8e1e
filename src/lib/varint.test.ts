import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeVarint, encodeVarint } from './varint.ts';

describe('varint', () => {
  it('reads back what it wrote, anywhere in a buffer', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 4 }),
        (value, before, after) => {
          const bytes = encodeVarint(value);
          const decoded = decodeVarint(Uint8Array.from([...before, ...bytes, ...after]), before.length);
          expect(decoded).toEqual({ value, end: before.length + bytes.length });
        }),
    );
  });

  it('takes one byte below 128 and eight at most', () => {
    expect([...encodeVarint(127)]).toEqual([127]);
    expect([...encodeVarint(300)]).toEqual([0xac, 0x02]);
    expect(encodeVarint(Number.MAX_SAFE_INTEGER)).toHaveLength(8);
  });

  it('returns undefined for bytes that end early or a value that is too large', () => {
    expect(decodeVarint(new Uint8Array(0))).toBeUndefined();
    expect(decodeVarint(Uint8Array.of(0x80, 0x80))).toBeUndefined();
    expect(decodeVarint(new Uint8Array(12).fill(0xff))).toBeUndefined();
  });

  it.each([-1, 0.5, NaN, 2 ** 53])('refuses %d', (value) => {
    expect(() => encodeVarint(value)).toThrow('non-negative integer');
  });
});
