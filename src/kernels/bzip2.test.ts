import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bzip2, crcOf } from '../testkit/wiki/bzip2-encoder.ts';
import { Bzip2Decoder, Bzip2Error } from './bzip2.ts';

const from64 = (text: string): Uint8Array => Buffer.from(text, 'base64');

/** Made with the program bzip2 1.0.8. */
const EMPTY = from64('QlpoORdyRThQkAAAAAA=');
const HELLO = from64('QlpoOTFBWSZTWctS5WcAAAVRAAAQQAQCRKAAISQxCGAvGETHFReLuSKcKEhlqXKzgA==');
const RUNS = from64(
  'QlpoOTFBWSZTWcruoo0AADL/////////////////////////////////////////////sADmzEBMCYAJgAANACYAAAAAAAaAmAAAAAAAmAAAAAAAEwAEwAAAAAAAkwAEwABMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACpCmmCYAJpkZMABMEwJpkyaZMAAAjBPIQwAAAAmJiYAAAAAACYAAAAmmCDCYAEwB/wLJ+GRlCgsMDfyHB4gIiQmKCosLjH6GRobHB0eHyAhIiMkJSYnKCkqKwBYWlxeYGJkZmn7NTY3ODk6Ozw9Pj9AQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpbXF1eX2BhYgLJ2igChIQcDIF8BAkLqEhwCwYUF3u+HAIDCAghZmAAABAYIAGf4/L5tDS1Nze4OLk5ujq7O7w8vT2+Pr8/wEDBQcJCw0PERMVFxkbHR8hIyUnKSstLzEzNTc5Oz0/QUNFR0lLTU9RU1VXWVtdX2FjZWdpa21vcXN1d3l7fX+Bg4WHiYuNj5GTlZeZm52foaLToaGjpaepq62vsbO1t7m7vb/Bw8XHycvNz9HT1dfZ293f4ePl5+nr7SkmABQX3lfj5+vsXckU4UJDK7qKN',
);
const LETTERS = from64(
  'QlpoMTFBWSZTWZgAB7wAATORgEAAPP56IEAB/cKoUKaZGJiYhTTIxMTEE1STVI8m0MoFKRJHqMQ/VPFXgOB91ZV2Gw4HA+quVftVuq6qv+Oh6qvA7HA+DwPYyq+1XA/B8Hoeh7quBxVdjsYPA5qvo+VXQ8VWoXY4hZVcIsqvo1VZC0NQsHY6qxU0GlTA8h2GSmg1Cyq5HmqwZgaGkWDqq/BkpoNKmB+B3VkpoNVTI7gwcjyMRaqtBYOhsYFoaCwdjyMC0NBYPlVoZC0NQsqvo2MhaqtBYP8PowLQ0Fg5quR8qtVTdW6plW5TA6DoP6rgbC2NosqthYNwsGqryPY6HELY2Fg3Cyq2Fg/hdyRThQkJgAB7wA==',
);

const runs = Buffer.concat([Buffer.from(`aaabbbbccccc${'d'.repeat(259)}${'e'.repeat(260)}${'f'.repeat(2000)}`),
  Uint8Array.from({ length: 256 }, (_, i) => i)]);
const letters = Buffer.from(
  Array.from({ length: 3000 }, (_, i) =>
    String.fromCharCode(97 + ((i * i * 7 + Math.floor(i / 3)) % 26)) + (i % 5 === 0 ? ' ' : '')).join(''),
);

describe.each(['release', 'debug'] as const)('bzip2, %s build', (build) => {
  const unpack = (packed: Uint8Array, step = packed.length): Buffer => {
    const decoder = new Bzip2Decoder(build);
    const out: Buffer[] = [];
    for (let i = 0; i < packed.length; i += step)
      for (const piece of decoder.unpack(packed.subarray(i, i + step))) out.push(Buffer.from(piece));
    for (const piece of decoder.end()) out.push(Buffer.from(piece));
    return Buffer.concat(out);
  };

  it.each([['nothing', EMPTY, Buffer.alloc(0)], ['a line', HELLO, Buffer.from('hello, hello, hello\n')], [
    'runs of all lengths',
    RUNS,
    runs,
  ], ['letters', LETTERS, letters]] as const)('unpacks %s as the program that made it', (_, packed, plain) => {
    expect(unpack(packed).equals(plain)).toBe(true);
    expect(unpack(packed, 1).equals(plain)).toBe(true);
  });

  it('unpacks streams one after the other, wherever they are cut', () => {
    const packed = Buffer.concat([HELLO, EMPTY, LETTERS, HELLO]);
    const plain = Buffer.concat([unpack(HELLO), letters, unpack(HELLO)]);
    fc.assert(fc.property(fc.integer({ min: 1, max: 100 }), (step) => {
      expect(unpack(packed, step).equals(plain)).toBe(true);
    }), { numRuns: 30 });
  });

  it('unpacks what an encoder of its own packs', () => {
    const bytes = fc.array(
      fc.tuple(fc.oneof(fc.constantFrom(0, 65, 66, 255), fc.nat(255)),
        fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 600 }))),
      { maxLength: 60 },
    );
    fc.assert(fc.property(bytes, fc.integer({ min: 1, max: 1500 }), (given, blockBytes) => {
      const plain = Buffer.concat(given.map(([byte, count]) => Buffer.alloc(count, byte)));
      expect(unpack(bzip2(plain, Math.max(blockBytes, plain.length >> 5))).equals(plain)).toBe(true);
    }), { numRuns: build === 'debug' ? 24 : 60 });
  });

  it('unpacks more than its output holds at once', () => {
    const plain = Buffer.alloc(700_000, 'x');
    expect(unpack(bzip2(plain, plain.length)).equals(plain)).toBe(true);
  });

  it('returns nothing wrong, whatever single bit is, and misses whatever is missing at the end', () => {
    const plain = unpack(HELLO);
    const tryUnpack = (packed: Uint8Array): Buffer | undefined => {
      try {
        return unpack(packed);
      } catch (error) {
        expect(error).toBeInstanceOf(Bzip2Error);
        return undefined;
      }
    };
    for (let bit = 0; bit < HELLO.length * 8; bit++) {
      const wrong = Buffer.from(HELLO);
      wrong[bit >> 3]! ^= 0x80 >> (bit & 7);
      // Some bits have no effect, such as the length of an unused code.
      const found = tryUnpack(wrong);
      if (found !== undefined) expect(found.equals(plain), `bit ${bit}`).toBe(true);
    }
    for (let length = 0; length < HELLO.length; length++)
      expect(tryUnpack(HELLO.subarray(0, length)), `${length} bytes`).toBeUndefined();
  });

  it.each([['is cut off', LETTERS.subarray(0, 200)], ['is cut off', Buffer.concat([HELLO, HELLO.subarray(0, 3)])], [
    'is not bzip2',
    Buffer.from('<mediawiki>'),
  ], ['is not bzip2', Buffer.concat([HELLO, Buffer.from('something else')])], ['is damaged: a checksum does not match',
    Buffer.from(HELLO).fill(0, 10, 11)]])('says that it %s', (reason, packed) => {
      expect(() => unpack(packed)).toThrow(reason);
    });

  it("survives whatever bytes follow a block's sign", () => {
    const start = Buffer.from(HELLO.subarray(0, 14));
    fc.assert(fc.property(fc.uint8Array({ minLength: 1, maxLength: 3000, size: 'max' }), (noise) => {
      expect(() => unpack(Buffer.concat([start, noise]))).toThrow(Bzip2Error);
    }), { numRuns: build === 'debug' ? 120 : 300 });
  });

  it('survives bytes that are changed anywhere', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(LETTERS.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        (changes) => {
          const wrong = Buffer.from(LETTERS);
          for (const [at, byte] of changes) wrong[at] = byte;
          try {
            expect(unpack(wrong).equals(letters)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(Bzip2Error);
          }
        }),
      { numRuns: build === 'debug' ? 120 : 300 },
    );
  });
});

it('the checksum of the encoder is the published one', () => {
  expect(crcOf(Buffer.from('123456789'))).toBe(0xfc891918);
});
