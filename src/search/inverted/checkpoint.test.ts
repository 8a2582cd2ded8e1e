import { describe, expect, it } from 'vitest';
import { CheckpointError, InvertedIndex } from './index.ts';

const options = { algorithm: { kind: 'bm25' }, limit: 10 } as const;

function filled(documents: number): InvertedIndex {
  const index = new InvertedIndex();
  for (let ord = 0; ord < documents; ord++)
    index.add(ord, [{ field: 0, text: `common word${ord} ${'filler '.repeat(ord % 7)}` }]);
  return index;
}

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

/** The bytes in pieces of an odd size, as a stream may deliver them. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 9973) yield bytes.subarray(at, at + 9973);
}

const find = (index: InvertedIndex, form: string) => {
  const id = index.form(form);
  return id === undefined ? 0 : index.search({ kind: 'term', forms: [{ id }] }, options).total;
};

describe('a checkpoint', () => {
  it('is the index, with its place in the change feed, and can be added to', async () => {
    const index = filled(500);
    index.remove(7);
    const loaded = await InvertedIndex.load(inPieces(await bytesOf(index.save(12_345_678_901_234_567n))));
    expect(loaded.lsn).toBe(12_345_678_901_234_567n);
    expect([find(loaded, 'common'), find(loaded, 'word7'), find(loaded, 'word8')]).toEqual([499, 0, 1]);
    loaded.add(7, [{ field: 0, text: 'common again' }]);
    expect([find(loaded, 'common'), find(loaded, 'again')]).toEqual([500, 1]);
    expect(find(index, 'again')).toBe(0);
  });

  it.each(['release', 'debug'] as const)('has the buffers of its searches when it is loaded, if it is large, %s build',
    async (build) => {
      const index = filled(3000);
      const bytes = await bytesOf(index.save(1n));
      const search = (of: InvertedIndex) =>
        of.search({
          kind: 'or',
          of: ['common', 'filler', 'word8'].map((form) => ({ kind: 'term', forms: [{ id: of.form(form)! }] })),
        }, { ...options, collect: true });
      const memoryOf = (of: InvertedIndex) => of.stats().bytes.memory;
      const small = await InvertedIndex.load(inPieces(bytes), [], { build, rehearsedFrom: 3001 });
      const large = await InvertedIndex.load(inPieces(bytes), [], { build, rehearsedFrom: 3000 });
      expect(memoryOf(large)).toBeGreaterThan(memoryOf(small));
      expect([small, large].map(search)).toEqual([search(index), search(index)]);
    });

  it('shows one moment, whatever is written while it is read', async () => {
    const index = filled(4000);
    const source = index.save(1n)[Symbol.asyncIterator]();
    const parts = [(await source.next()).value as Uint8Array,
      Uint8Array.from((await source.next()).value as Uint8Array)];
    for (let ord = 0; ord < 3000; ord++) index.add(ord, [{ field: 0, text: 'entirely different' }]);
    while (index.compact(1000));
    for (let next = await source.next(); next.done !== true; next = await source.next())
      parts.push(next.value as Uint8Array);
    const loaded = await InvertedIndex.load(inPieces(Buffer.concat(parts)));
    expect([find(loaded, 'common'), find(loaded, 'different'), find(loaded, 'word123')]).toEqual([4000, 0, 1]);
    expect([find(index, 'common'), find(index, 'different')]).toEqual([1000, 3000]);
  });

  it('is copied step by step when the index is to change', async () => {
    const index = filled(20_000);
    const source = index.save(1n)[Symbol.asyncIterator]();
    const parts = [(await source.next()).value as Uint8Array];
    let steps = 1;
    while (index.settle(0, () => 0)) steps++;
    expect(steps).toBeGreaterThan(3);
    for (let ord = 0; ord < 3000; ord++) index.add(ord, [{ field: 0, text: 'entirely different' }]);
    for (let next = await source.next(); next.done !== true; next = await source.next())
      parts.push(next.value as Uint8Array);
    expect(index.settle(0)).toBe(false);
    const loaded = await InvertedIndex.load(inPieces(Buffer.concat(parts)), [], { build: 'debug' });
    expect([find(loaded, 'common'), find(loaded, 'different'), find(index, 'different')]).toEqual([20_000, 0, 3000]);
  });

  it('is not disturbed by searches while it is read', async () => {
    const index = filled(4000);
    const source = index.save(1n)[Symbol.asyncIterator]();
    const parts: Uint8Array[] = [];
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      parts.push(Uint8Array.from(next.value as Uint8Array));
      const words = ['common', `word${parts.length}`].map((form, offset) => ({
        forms: [{ id: index.form(form)! }],
        offset,
      }));
      expect(index.search({ kind: 'and', of: [{ kind: 'phrase', words }, { kind: 'all' }] }, options).total).toBe(1);
    }
    expect(parts.length).toBeGreaterThan(3);
    const loaded = await InvertedIndex.load(inPieces(Buffer.concat(parts)), [], { build: 'debug' });
    for (let ord = 0; ord < 4000; ord += 3) loaded.add(ord, [{ field: 0, text: `common new${ord}` }]);
    while (loaded.compact(1000));
    expect([find(loaded, 'common'), find(loaded, 'new3'), find(loaded, 'word3'), find(loaded, 'word4')]).toEqual([4000,
      1, 0, 1]);
  });

  it('of an empty index is one, too', async () => {
    const loaded = await InvertedIndex.load(new InvertedIndex().save(0n));
    expect(loaded.search({ kind: 'all' }, options)).toEqual({ hits: [], total: 0 });
  });

  it('leaves out buffers and free pages', async () => {
    const index = filled(50);
    const { bytes } = index.stats();
    expect((await bytesOf(index.save(1n))).length).toBeLessThan(bytes.memory / 2);
  });

  it('is refused when it was cut, changed, or is of another version', async () => {
    const whole = await bytesOf(filled(300).save(1n));
    const changed = (at: number, byte: number) => {
      const copy = Buffer.from(whole);
      copy[at] = byte;
      return copy;
    };
    const damaged = [Buffer.alloc(0), whole.subarray(0, 5), whole.subarray(0, whole.length - 1),
      whole.subarray(0, 70_000), changed(0, 0x58), changed(8, 1), changed(14, 0xff), changed(40, 0x40),
      changed(whole.length - 9000, whole.at(-9000)! ^ 1)];
    for (const bytes of damaged) await expect(InvertedIndex.load(inPieces(bytes))).rejects.toThrow(CheckpointError);
    await expect(InvertedIndex.load(inPieces(whole))).resolves.toBeInstanceOf(InvertedIndex);
  });
});
