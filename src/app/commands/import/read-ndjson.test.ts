import fc from 'fast-check';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBytes, readLines } from './read-ndjson.ts';

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const collect = async (chunks: AsyncIterable<Buffer>, maxBytes?: number) => {
  const lines: Array<[number, string]> = [];
  for await (const { number, bytes } of readLines(chunks, 'f', maxBytes)) lines.push([number, bytes.toString()]);
  return lines;
};

describe('readLines', () => {
  it('splits as String.split does, however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\u2028', ' '))),
        fc.integer({ min: 1, max: 9 }), async (parts, size) => {
        const text = parts.join('');
        const expected = text.split('\n').map((line, index): [number, string] => [index + 1, line]).filter(([, line]) =>
          /[^ \t\r]/.test(line)
        );
        expect(await collect(chunksOf(text, size))).toEqual(expected);
      }),
    );
  });

  it('refuses a line without end', async () => {
    await expect(collect(chunksOf('a\nbbbbbbbbbb', 2), 5)).rejects.toThrow('line 2 of f is longer than 5 bytes');
  });
});

describe('readBytes', () => {
  const read = async (stream: Readable, signal = new AbortController().signal): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of readBytes(stream, { name: 'f', signal })) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const byByte = (bytes: Buffer): Readable => Readable.from([...bytes].map((byte) => Buffer.from([byte])));

  it('recognises gzip by its first bytes, also one at a time', async () => {
    expect(await read(byByte(gzipSync('hello')))).toBe('hello');
    expect(await read(byByte(Buffer.from('plain')))).toBe('plain');
    expect(await read(Readable.from([Buffer.from('x')]))).toBe('x');
    expect(await read(Readable.from([]))).toBe('');
  });

  it('counts what is read before it is decompressed', async () => {
    const packed = gzipSync('a'.repeat(10_000));
    let counted = 0;
    for await (const _ of readBytes(Readable.from([packed]), {
      name: 'f',
      signal: new AbortController().signal,
      onRead: (bytes) => (counted += bytes),
    })) continue;
    expect(counted).toBe(packed.length);
  });

  it('ends without an error when it is aborted while it waits for input', async () => {
    const controller = new AbortController();
    const input = new PassThrough();
    input.write('abc');
    const reading = read(input, controller.signal);
    setImmediate(() => controller.abort());
    expect(await reading).toBe('abc');
    expect(input.destroyed).toBe(true);
  });

  it('names what it cannot read', async () => {
    const broken = new Readable({ read: () => broken.destroy(new Error('disk gone')) });
    await expect(read(broken)).rejects.toThrow('cannot read f: disk gone');
    await expect(read(Readable.from([Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9])]))).rejects.toThrow(
      'cannot read f: ',
    );
  });
});
