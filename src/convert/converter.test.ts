import { afterEach, describe, expect, it } from 'vitest';
import type { Converter, ConverterSettings } from './contract.ts';
import { createConverter, type PoolOptions } from './converter.ts';
import { docx } from './test-fixture.ts';

const SETTINGS: ConverterSettings = { workers: 2, timeoutMs: 20_000, memoryMb: 256, maxOutput: 1_000_000 };
const open: Converter[] = [];

function start(settings: Partial<ConverterSettings> = {}, options?: PoolOptions): Converter {
  const converter = createConverter({ ...SETTINGS, ...settings }, options);
  open.push(converter);
  return converter;
}

/** A worker whose source is here: the name of the file selects what it does. */
const module = new URL(`data:text/javascript,${
  encodeURIComponent(`
  import { parentPort, threadId } from 'node:worker_threads';
  const kept = [];
  const done = (name) => parentPort.postMessage({ conversion: { contentMd: name, format: 'txt', converted: false, meta: {}, repaired: 0, warnings: [] } });
  parentPort.on('message', ({ name }) => {
    if (name === 'hang') for (;;);
    if (name === 'exit') process.exit(3);
    if (name === 'much') kept.push(new Uint8Array(40 * 2 ** 20).fill(1));
    if (name === 'much' || name === 'little') return done(String(threadId));
    if (name === 'throw') setImmediate(() => { throw new Error('x'); });
    else if (name === 'heap') { const held = []; for (;;) held.push([name + held.length]); }
    else if (name === 'buffers') { const held = []; const fill = () => { held.push(new Uint8Array(8 * 2 ** 20).fill(1)); setTimeout(fill, 1); }; fill(); }
    else if (name !== 'wait') done(name);
  });`)
}`);

const file = (name: string, text = 'x') => ({ name, bytes: new TextEncoder().encode(text) });

afterEach(async () => {
  await Promise.all(open.splice(0).map((converter) => converter.close()));
});

describe('the pool of workers', () => {
  it('converts files, more than it has workers', async () => {
    const converter = start();
    const names = Array.from({ length: 6 }, (_, i) => `${i}.md`);
    const done = await Promise.all(names.map((name) => converter.convert(file(name, `# ${name}`))));
    expect(done.map(({ contentMd }) => contentMd)).toEqual(names.map((name) => `# ${name}`));
  });

  it('takes bytes that lie in a buffer with others, and leaves those alone', async () => {
    const shared = Buffer.from('before# Tafter');
    expect((await start().convert({ name: 'a.md', bytes: shared.subarray(6, 9) })).contentMd).toBe('# T');
    expect(shared.toString()).toBe('before# Tafter');
  });

  it('returns what is wrong with a file as its fault', async () => {
    const converter = start();
    await expect(converter.convert(file('a.docx', '\0\0'))).rejects.toMatchObject({
      name: 'ConversionError',
      fault: 'damaged',
    });
    await expect(converter.convert({ name: 'a.docx', bytes: await docx('<w:p>') })).rejects.toMatchObject({
      fault: 'damaged',
      message: expect.stringContaining('word/document.xml') as string,
    });
  });

  it.each([['hangs', 'hang', 'timeout'], ['takes all memory of the heap', 'heap', 'out_of_memory'], [
    'takes all memory in buffers',
    'buffers',
    'out_of_memory',
  ], ['ends it', 'exit', 'crashed'], ['throws in it', 'throw', 'crashed']])('fails a file alone that %s',
    async (_, name, fault) => {
      const converter = start({ workers: 1, timeoutMs: name === 'hang' ? 300 : 20_000, memoryMb: 64 }, { module });
      const [bad, good] = await Promise.allSettled([converter.convert(file(name)), converter.convert(file('good'))]);
      expect(bad).toMatchObject({ status: 'rejected', reason: { name: 'ConversionError', fault } });
      expect(good).toMatchObject({ status: 'fulfilled', value: { contentMd: 'good' } });
    });

  it('gives up a file that is waiting or under way when its signal says so', async () => {
    const converter = start({ workers: 1 }, { module });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const both = [converter.convert(file('wait'), { signal: running.signal }),
      converter.convert(file('wait'), { signal: waiting.signal })];
    const results = Promise.allSettled(both);
    waiting.abort();
    running.abort();
    expect(await results).toMatchObject([{ reason: { fault: 'aborted' } }, { reason: { fault: 'aborted' } }]);
    expect((await converter.convert(file('good'))).contentMd).toBe('good');
    await expect(converter.convert(file('good'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      fault: 'aborted',
    });
  });

  it('gives up all files when it is closed, and is closed twice without harm', async () => {
    const converter = start({ workers: 1 }, { module });
    const results = Promise.allSettled([converter.convert(file('wait')), converter.convert(file('wait'))]);
    await converter.close();
    await converter.close();
    expect(await results).toMatchObject([{ reason: { fault: 'aborted' } }, { reason: { fault: 'aborted' } }]);
    await expect(converter.convert(file('good'))).rejects.toMatchObject({ fault: 'aborted' });
  });

  it('ends workers without files, and starts others', async () => {
    const converter = start({ workers: 1 }, { module, idleMs: 1 });
    for (const name of ['a', 'b', 'c']) {
      expect((await converter.convert(file(name))).contentMd).toBe(name);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it('end after a file that leaves half of their memory in use, which would count against the next', async () => {
    const converter = start({ workers: 1, memoryMb: 64 }, { module });
    const threadOf = async (name: string) => (await converter.convert(file(name))).contentMd;
    const first = await threadOf('little');
    expect(await threadOf('little')).toBe(first);
    expect(await threadOf('much')).toBe(first);
    expect(await threadOf('little')).not.toBe(first);
  });

  it('outlast promises that are rejected and that nobody awaits, which libraries leave behind of damaged files', async () => {
    const leaving = new URL(`data:text/javascript,${
      encodeURIComponent(`
      import ${JSON.stringify(new URL('worker.ts', import.meta.url).href)};
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => void Promise.reject(new Error('x')));`)
    }`);
    const converter = start({ workers: 1 }, { module: leaving });
    for (const name of ['a.md', 'b.md']) expect((await converter.convert(file(name, name))).contentMd).toBe(name);
  });
});
