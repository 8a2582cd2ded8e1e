import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFloats, decodeUtf8, decodeUtf8Escaping, decodeVarint, encodeFloats, encodeVarint,
  repairText } from './bytes.ts';

describe('decodeUtf8', () => {
  it('decodes valid bytes and drops a byte order mark', () => {
    expect(decodeUtf8(Buffer.from('\ufeffäx😀'))).toBe('äx😀');
  });

  it('is undefined for bytes that are not UTF-8', () => {
    expect(decodeUtf8(Buffer.from([0x61, 0xff]))).toBeUndefined();
  });
});

describe('decodeUtf8Escaping', () => {
  it('agrees with the plain decoder on valid text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(decodeUtf8Escaping(Buffer.from(text))).toBe(Buffer.from(text).toString());
    }));
  });

  it('keeps every byte: repaired text equals what the platform decodes, up to the count of replacements', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const squeeze = (text: string) => text.replace(/\ufffd+/g, '\ufffd');
      const ours = squeeze(repairText(decodeUtf8Escaping(Buffer.from(bytes))));
      expect(ours).toBe(squeeze(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)));
    }));
  });

  it('marks invalid bytes so that the text is not well-formed', () => {
    expect(decodeUtf8Escaping(Buffer.from([0x61, 0xff, 0x62])).isWellFormed()).toBe(false);
  });
});

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

describe('decodeFloats', () => {
  it('decodes what it encodes', () => {
    fc.assert(fc.property(fc.float32Array(), (numbers) => {
      expect(decodeFloats(encodeFloats(numbers))).toEqual(Float32Array.from(numbers));
    }));
  });

  it.each(['AAAA', 'AAAAAA', 'AAAAAA==!', 'AA AAAA==', 'no base64', '!!!!'])('refuses %j', (text) => {
    expect(decodeFloats(text)?.length ?? 0).toBe(text === 'AAAAAA' ? 1 : 0);
  });

  it('accepts padding and none', () => {
    expect(decodeFloats('AACAPw==')).toEqual(Float32Array.of(1));
    expect(decodeFloats('AACAPw')).toEqual(Float32Array.of(1));
    expect(decodeFloats('')).toEqual(new Float32Array(0));
  });
});
