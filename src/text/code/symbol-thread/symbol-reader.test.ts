import { describe, expect, it } from 'vitest';
import { extractSymbols } from '../symbols/index.ts';
import { SymbolReader, symbolsOf, SymbolsUnread } from './symbol-reader.ts';

const OPTIONS = { maxSymbols: 512 };
const small = 'function small() {}';
const large = Array.from({ length: 4000 }, (_, i) => `function f${i}() {}`).join('\n');

/**
 * A thread that does what its source says: `spin` for ever, `end`, or fill the memory; otherwise it only returns the
 * source.
 */
const THREAD = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ source }) => {
    if (source === 'spin') for (;;);
    if (source === 'end') process.exit();
    if (source === 'fill') for (const all = []; ; ) all.push(Array.from({ length: 1e5 }, Math.random));
    parentPort.postMessage({ defines: [source] });
  });`;
const thread = new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`);

const request = (source: string) => ({ language: 'javascript', source, path: 'a.js', maxSymbols: 512 });

describe('the thread that reads sources', () => {
  it('finds what is found without it', async () => {
    const reader = new SymbolReader();
    const all = [small, large, small, 'broken {{{'].map((source) => reader.read(request(source)));
    expect(await Promise.all(all)).toEqual(
      [small, large, small, 'broken {{{'].map((source) => extractSymbols('javascript', source, request(source))),
    );
  });

  it.each(['spin', 'end'])('abandons a source that makes it %s, and continues with the others', async (trouble) => {
    const reader = new SymbolReader({ thread, limit: 1500 });
    const all = ['a', trouble, 'b', trouble, 'c'].map((source) => reader.read(request(source)));
    const settled = await Promise.allSettled(all);
    expect(
      settled.map((
        each,
      ) => (each.status === 'fulfilled' ? each.value.defines[0] : each.reason instanceof SymbolsUnread)),
    ).toEqual(['a', true, 'b', true, 'c']);
  });

  it('abandons a source that takes all memory, before the process does', async () => {
    const reader = new SymbolReader({ thread, limit: 60_000, heap: 24 });
    await expect(reader.read(request('fill'))).rejects.toMatchObject({
      name: 'SymbolsUnread',
      cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' },
    });
    expect((await reader.read(request('a'))).defines).toEqual(['a']);
  });

  it('stops trying when it cannot start', async () => {
    const reader = new SymbolReader({ thread: new URL('file:///nowhere/thread.js') });
    await expect(reader.read(request('a'))).rejects.toBeInstanceOf(SymbolsUnread);
    await expect(reader.read(request('b'))).rejects.toBeInstanceOf(SymbolsUnread);
  });
});

describe('the symbols of a document', () => {
  const asked: string[] = [];
  const reader = {
    read: async (source: { language: string; source: string; path: string; maxSymbols: number }) => {
      asked.push(source.source);
      return extractSymbols(source.language, source.source, source);
    },
  };
  const definesOf = async (contentMd: string, key = 'a.js') => {
    asked.length = 0;
    return [(await symbolsOf({ key, meta: {}, contentMd }, { ...OPTIONS, inlineMs: 10_000 }, reader)).defines.length,
      asked.length];
  };

  it('are read at once where that is fast, else in the thread', async () => {
    expect(await definesOf(large)).toEqual([512, 1]);
    expect(await definesOf(large, 'a.go')).toEqual([0, 0]);
    expect(await definesOf('')).toEqual([0, 0]);
  });

  it('are the same either way', async () => {
    const { locations, ...symbols } = await symbolsOf({ key: 'a.js', meta: {}, contentMd: large }, OPTIONS);
    const { locations: expected, ...others } = extractSymbols('javascript', large, { path: 'a.js', ...OPTIONS });
    expect([symbols, locations]).toEqual([others, expected]);
  });
});
