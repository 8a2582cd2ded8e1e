import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { type ZipEntry, zipStream } from './zip-stream.ts';

async function* from(entries: readonly ZipEntry[]): AsyncGenerator<ZipEntry> {
  yield* entries;
}

const zip = async (entries: readonly ZipEntry[]): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(zipStream(from(entries))));

const entry = (name: string, text: string, modified = Date.UTC(2026, 0, 2, 3, 4, 6)): ZipEntry => ({
  name,
  content: Buffer.from(text),
  modified,
});

/**
 * The reader collects entries in a plain object, in which `__proto__` does not become a key, and drops a byte order
 * mark.
 */
const isReadable = (name: string): boolean => name.isWellFormed() && name !== '__proto__' && !name.startsWith('\ufeff');

describe('zipStream', () => {
  it('holds an entry named __proto__, as the list of the file shows', async () => {
    const names: string[] = [];
    unzipSync(await zip([entry('__proto__', 'text')]), { filter: ({ name }) => names.push(name) > 0 });
    expect(names).toEqual(['__proto__']);
  });

  it('is read by another implementation', async () => {
    const entries = fc.uniqueArray(fc.record({
      name: fc.string({ minLength: 1, unit: 'binary' }).filter(isReadable),
      content: fc.uint8Array({ maxLength: 2000 }),
    }), { selector: ({ name }) => name, maxLength: 8 });
    await fc.assert(fc.asyncProperty(entries, async (list) => {
      const file = await zip(list.map(({ name, content }) => ({ name, content: Buffer.from(content), modified: 0 })));
      const read = new Map(Object.entries(unzipSync(file)));
      expect([...read].map(([name, bytes]) => [name, [...bytes]]).sort()).toEqual(
        list.map(({ name, content }) => [name, [...content]]).sort(),
      );
    }), { numRuns: 50 });
  });

  it('holds contents that are compressed in the thread pool', async () => {
    const text = 'large '.repeat(50_000);
    expect(Buffer.from(unzipSync(await zip([entry('a', text), entry('b', 'small')]))['a']!).toString()).toBe(text);
  });

  it('is a valid file without entries', async () => {
    expect(unzipSync(await zip([]))).toEqual({});
  });

  it('counts more than 65,535 entries (ZIP64)', async () => {
    const file = await zip(Array.from({ length: 65_600 }, (_, i) => entry(String(i), '')));
    expect(Object.keys(unzipSync(file))).toHaveLength(65_600);
    expect(file.readUInt16LE(file.length - 12)).toBe(0xffff);
  });

  it('reports the time of each entry, and stays in the range of the format', async () => {
    const dates = async (modified: number) => {
      const file = await zip([entry('a', '', modified)]);
      return [file.readUInt16LE(12), file.readUInt16LE(10)];
    };
    expect(await dates(Date.UTC(2026, 0, 2, 3, 4, 6))).toEqual([(46 << 9) | (1 << 5) | 2, (3 << 11) | (4 << 5) | 3]);
    expect(await dates(0)).toEqual([(1 << 5) | 1, 0]);
    expect(await dates(Date.UTC(3000, 0))).toEqual([(127 << 9) | (12 << 5) | 31, 0]);
  });

  it('asks for an entry only when the one before was taken, and ends its source when it is left', async () => {
    let asked = 0;
    let ended = false;
    async function* endless(): AsyncGenerator<ZipEntry> {
      try {
        for (;;) yield entry(String(asked++), 'x');
      } finally {
        ended = true;
      }
    }
    for await (const _ of zipStream(endless())) if (asked === 3) break;
    expect(asked).toBe(3);
    expect(ended).toBe(true);
  });

  it('fails when its source fails', async () => {
    async function* failing(): AsyncGenerator<ZipEntry> {
      yield entry('a', 'x');
      throw new Error('torn');
    }
    await expect(Array.fromAsync(zipStream(failing()))).rejects.toThrow('torn');
  });
});
