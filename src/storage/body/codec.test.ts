import fc from 'fast-check';
import { crc32, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isSealed } from '../encryption/record.ts';
import { BodyCodec } from './body-codec.ts';
import { decodeBody, decodeBodyAsync, encodeBody, writeRecord } from './codec.ts';

const prose = (bytes: number) =>
  Buffer.from('a quire is four sheets, folded; '.repeat(bytes / 32 + 1)).subarray(0, bytes);
/** Bytes that no compressor can shorten, the same in every run. */
const noise = (bytes: number) => {
  let state = 42;
  return Uint8Array.from({ length: bytes }, () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
};

describe('the compression record (decisions section 2.4)', () => {
  it.each([[0, 0], [1023, 0], [1024, 1], [10_239, 1], [10_240, 2], [200_000, 2]])('a body of %d bytes has flag %d',
    async (bytes, flag) => {
      const stored = await encodeBody(prose(bytes));
      expect(stored[0]).toBe(flag);
      expect(Buffer.from(decodeBody(stored)).equals(prose(bytes))).toBe(true);
      expect(Buffer.from(await decodeBodyAsync(stored)).equals(prose(bytes))).toBe(true);
    });

  it('stays raw when compression saves less than 5 %, or is switched off', async () => {
    expect((await encodeBody(noise(20_000)))[0]).toBe(0);
    expect((await encodeBody(prose(20_000), { enabled: false, smallThreshold: 1024, mediumThreshold: 10_240 }))[0])
      .toBe(0);
  });

  it('begins with flag and length', async () => {
    expect([...(await encodeBody(Buffer.from('hi')))]).toEqual([0, 2, 104, 105]);
    expect([...(await encodeBody(prose(5000))).subarray(0, 3)]).toEqual([1, 0x88, 0x27]);
  });

  it('returns every body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.integer({ min: 1, max: 40 }), async (bytes, times) => {
        const body = Buffer.concat(Array.from({ length: times }, () => bytes));
        const stored = await encodeBody(body, { enabled: true, smallThreshold: 16, mediumThreshold: 4096 });
        expect(Buffer.from(decodeBody(stored)).equals(body)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('never returns a wrong body for a damaged record', async () => {
    const body = prose(6000);
    const stored = await encodeBody(body);
    fc.assert(fc.property(fc.nat(stored.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Uint8Array.from(stored);
      damaged[at]! ^= change;
      try {
        expect(Buffer.from(decodeBody(damaged)).equals(body)).toBe(true); // a bit without a meaning
      } catch (error) {
        expect(error).toMatchObject({ code: 'internal', message: expect.stringContaining('a stored body is corrupt') });
      }
    }));
    for (let length = 0; length < stored.length; length++)
      expect(() => decodeBody(stored.subarray(0, length))).toThrow('a stored body is corrupt');
  });

  it('stops a bomb at the length that the record claims', async () => {
    const bomb = zstdCompressSync(new Uint8Array(50_000_000));
    const claimsLittle = writeRecord({ flag: 1, rawLength: 10, payload: bomb });
    expect(() => decodeBody(claimsLittle)).toThrow('corrupt');
    const claimsMuch = writeRecord({ flag: 1, rawLength: 2 ** 45, payload: bomb });
    expect(() => decodeBody(claimsMuch)).toThrow(`it claims ${2 ** 45} bytes`);
    await expect(decodeBodyAsync(writeRecord({ flag: 1, rawLength: 100_000, payload: bomb }))).rejects.toThrow(
      'corrupt',
    );
  });

  it('refuses reserved flags and an encrypted record', () => {
    expect(() => decodeBody(Uint8Array.of(3, 0))).toThrow('unknown flag 3');
    const sealed = Buffer.from('SVCENC\x02\x01', 'latin1');
    expect([isSealed(sealed), isSealed(Uint8Array.of(0, 0))]).toEqual([true, false]);
    expect(() => decodeBody(sealed)).toThrow(expect.objectContaining({
      code: 'internal',
      message: expect.stringContaining('the body is encrypted and no key is configured'),
    }));
  });
});

describe('BodyCodec', () => {
  it('speaks text', async () => {
    const codec = new BodyCodec();
    const text = '# Grüße 🧭\n'.repeat(5000);
    const stored = await codec.encode(text);
    expect(stored.length).toBeLessThan(text.length / 10);
    expect([codec.decode(stored), await codec.decodeAsync(stored)]).toEqual([text, text]);
  });

  it.each(['# Grüße 🧭\n', '# Grüße 🧭\n'.repeat(300), '# Grüße 🧭\n'.repeat(5000)])('speaks text and bytes (%#)',
    async (text) => {
      const codec = new BodyCodec();
      const stored = await codec.encode(text);
      expect([await codec.decodeAsync(stored), codec.decode(stored)]).toEqual([text, text]);
      expect((await codec.bytesAsync(stored)).equals(Buffer.from(text))).toBe(true);
    });

  it('encodes many bodies as it does each, here and in its thread', async () => {
    const codec = new BodyCodec();
    const lengths = [0, 1, 1023, 1024, 1500, 8191, 8192, 20_000];
    const texts = Array.from({ length: 40 },
      (_, i) => `${i} Grüße 🧭 `.repeat(lengths[i % lengths.length]! / 8).slice(0, lengths[i % lengths.length]));
    const encoded = await codec.encodeAll(texts);
    for (const [i, text] of texts.entries()) {
      const utf8 = Buffer.from(text);
      expect(encoded[i]).toMatchObject({ text, crc: crc32(utf8), bytes: utf8.length });
      expect(Buffer.compare(encoded[i]!.stored, await codec.encode(text))).toBe(0);
    }
    expect(await codec.encodeAll([])).toEqual([]);
  });

  it('encodes here when the thread fails', async () => {
    const codec = new BodyCodec(undefined, { encode: () => Promise.reject(new Error('lost')) });
    const texts = Array.from({ length: 30 }, (_, i) => `${i} `.repeat(700));
    expect((await codec.encodeAll(texts)).map(({ stored }) => codec.decode(stored))).toEqual(texts);
  });
});
