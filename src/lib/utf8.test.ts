import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, decodeUtf8Escaping, repairText } from './utf8.ts';

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
