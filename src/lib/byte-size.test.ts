import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatByteSize, parseByteSize } from './byte-size.ts';

describe('parseByteSize', () => {
  it.each([['0', 0], ['1024', 1024], ['16KiB', 16_384], ['16 kib', 16_384], ['10GiB', 10_737_418_240], ['256MB',
    256_000_000], ['1.5KiB', 1536], ['5B', 5]])('reads %s', (text, expected) => {
      expect(parseByteSize(text)).toBe(expected);
    });

  it.each(['', '-1', 'KiB', '1.5', '1K', '1i', '1KiB2', '0x10', '9999999TiB'])('refuses %j', (text) => {
    expect(parseByteSize(text)).toBeUndefined();
  });
});

describe('formatByteSize', () => {
  it.each([[0, '0'], [33_554_432, '32MiB'], [1500, '1500'], [1024, '1KiB']])('writes %d as %s', (value, text) => {
    expect(formatByteSize(value)).toBe(text);
  });

  it('is read back to the same value', () => {
    fc.assert(fc.property(fc.maxSafeNat(), (value) => parseByteSize(formatByteSize(value)) === value));
  });
});
