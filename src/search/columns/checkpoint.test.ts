import { describe, expect, it } from 'vitest';
import { parseFilter } from '../filter/index.ts';
import { type ColumnDocument, ColumnsCheckpointError, ColumnsFullError, ColumnStore } from './index.ts';

function made(ord: number, color = 'red'): ColumnDocument {
  return {
    ord,
    key: `Guide/${ord}`,
    lang: 'en',
    addedAt: ord,
    updatedAt: ord,
    meta: { color: [color], size: [String(ord % 100)], own: [`own value ${ord}`] },
  };
}

function filled(count: number): ColumnStore {
  const store = ColumnStore.create();
  for (let ord = 0; ord < count; ord++) store.put(made(ord));
  return store;
}

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source));
}

/** The bytes in pieces of an odd size, as a stream may deliver them. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 9973) yield bytes.subarray(at, at + 9973);
}

const total = (store: ColumnStore, text: string): number =>
  store.count(store.select({ filter: parseFilter(text), now: 0 }));
const bySize = [{ column: { kind: 'meta' as const, key: 'size' }, descending: true }];

describe('a checkpoint of columns', () => {
  it('is the columns, with their orders, and can be added to', async () => {
    const store = filled(500);
    store.remove(7);
    while (!store.prepare({ keys: bySize }));
    const loaded = await ColumnStore.load(inPieces(await bytesOf(store.save())));
    expect(loaded.prepare({ keys: bySize })).toBe(true);
    expect([total(loaded, 'color = red'), total(loaded, 'size >= 50'), loaded.keys()]).toEqual([499, 250, ['color',
      'own', 'size']]);
    loaded.put(made(7, 'blue'));
    expect([total(loaded, 'color = red'), total(loaded, 'color = blue'), total(store, 'color = blue')]).toEqual([499, 1,
      0]);
  });

  it('shows one moment, whatever is asked and written while it is read', async () => {
    const store = filled(20_000);
    const source = store.save()[Symbol.asyncIterator]();
    const parts = [(await source.next()).value as Uint8Array,
      Uint8Array.from((await source.next()).value as Uint8Array)];
    expect([total(store, 'own STARTS WITH "own value 1"'),
      store.facet(undefined, { field: 'size', orderBy: 'count', limit: 3 }).length]).toEqual([11_111, 3]);
    expect(store.days(undefined, 'addedAt').length).toBe(1);
    for (let ord = 0; ord < 15_000; ord++) store.put(made(ord, 'blue'));
    for (let next = await source.next(); next.done !== true; next = await source.next())
      parts.push(next.value as Uint8Array);
    const loaded = await ColumnStore.load(inPieces(Buffer.concat(parts)));
    expect([total(loaded, 'color = red'), total(loaded, 'color = blue')]).toEqual([20_000, 0]);
    expect([total(store, 'color = red'), total(store, 'color = blue')]).toEqual([5000, 15_000]);
    for (let ord = 0; ord < 20_000; ord++) loaded.put(made(ord, 'green'));
    expect([total(loaded, 'color = green'), loaded.sort(undefined, { keys: bySize, offset: 100, count: 1 })[0]!.place])
      .toEqual([20_000, [99]]);
  });

  it('is copied step by step when the columns are to change', async () => {
    const store = filled(20_000);
    const bytes = store.save();
    while (store.settle());
    for (let ord = 0; ord < 20_000; ord++) store.remove(ord);
    expect(total(await ColumnStore.load(bytes), 'color = red')).toBe(20_000);
  });

  it('is refused when it is damaged, cut off, or something else', async () => {
    const bytes = await bytesOf(filled(300).save());
    const changed = (change: (copy: Buffer) => Buffer | undefined): AsyncIterable<Uint8Array> => {
      const copy = Buffer.from(bytes);
      return inPieces(change(copy) ?? copy);
    };
    for (const at of [3, 9, 20, 60, 5000, bytes.length - 1])
      await expect(ColumnStore.load(changed((copy) => void (copy[at]! ^= 1)))).rejects.toThrow(ColumnsCheckpointError);
    for (const length of [0, 5, 30, 40_000, bytes.length - 2])
      await expect(ColumnStore.load(changed((copy) => copy.subarray(0, length)))).rejects.toThrow(
        ColumnsCheckpointError,
      );
  });
});

describe('columns without room', () => {
  it('refuse documents, and go on answering', () => {
    const store = ColumnStore.create({ maxBytes: 1 << 20 });
    let refused: unknown;
    let count = 0;
    for (; refused === undefined; count++) {
      try {
        store.put(made(count));
      } catch (error) {
        refused = error;
      }
    }
    expect(refused).toBeInstanceOf(ColumnsFullError);
    expect((refused as Error).message).toContain('1 MiB');
    expect(total(store, 'color = red')).toBe(count - 1);
  });
});
