import { afterEach, describe, expect, it } from 'vitest';
import { askThread, ThreadClient, type ThreadOptions, workerFile } from './thread-client.ts';

/**
 * A thread that returns what it receives with its number, and does what a text says: `end`, `throw`, or `spin` for
 * ever.
 */
const THREAD = new URL(`data:text/javascript,${
  encodeURIComponent(`
  import { parentPort, threadId, workerData } from 'node:worker_threads';
  parentPort.on('message', (text) => {
    if (text === 'end') process.exit(1);
    if (text === 'throw') throw new Error('broken');
    if (text === 'spin') for (;;);
    if (text !== 'quiet') parentPort.postMessage({ text, threadId, workerData });
  });
`)
}`);

interface Reply {
  readonly text: string;
  readonly threadId: number;
  readonly workerData: unknown;
}

describe('a thread client', () => {
  const opened: ThreadClient<unknown, Reply>[] = [];
  const open = (options: Partial<ThreadOptions> = {}) => {
    const client = new ThreadClient<unknown, Reply>(THREAD, { name: 'the thread', ...options });
    opened.push(client);
    return client;
  };
  afterEach(() => Promise.all(opened.splice(0).map((client) => client.end())));
  const textsOf = (replies: readonly PromiseSettledResult<Reply>[]) =>
    replies.map((each) => (each.status === 'fulfilled' ? each.value.text : String(each.reason)));

  it('gets the replies of one thread, in order', async () => {
    const client = open({ data: () => 7 });
    expect(client.isIdle).toBe(true);
    const asked = ['a', 'b', 'c'].map((text) => client.request(text));
    expect(client.isIdle).toBe(false);
    await client.drained();
    const replies = await Promise.all(asked);
    expect([replies.map(({ text }) => text), new Set(replies.map(({ threadId }) => threadId)).size,
      replies[0]!.workerData]).toEqual([['a', 'b', 'c'], 1, 7]);
    expect(client.isIdle).toBe(true);
  });

  it('fails the requests of a thread that ends, and starts another one', async () => {
    const client = open();
    const first = await client.request('a');
    expect(textsOf(await Promise.allSettled([client.request('end'), client.request('b')]))).toEqual(
      Array(2).fill('Error: the thread has ended'),
    );
    const next = await client.request('c');
    expect(next.threadId).not.toBe(first.threadId);
    await expect(client.request('throw')).rejects.toMatchObject({ cause: { message: 'broken' } });
  });

  it('fails for good if it does not restart', async () => {
    const client = open({ restarts: false, failure: (message) => new RangeError(message) });
    await client.request('a');
    await expect(client.request('end')).rejects.toThrow(RangeError);
    await expect(client.request('b')).rejects.toThrow('the thread has ended');
    const unused = open({ restarts: false });
    await unused.end();
    await expect(unused.request('a')).rejects.toThrow('the thread has ended');
  });

  it('ends a thread that is too slow for one request, and only that fails', async () => {
    const client = open({ limitMs: 3000 });
    expect(textsOf(await Promise.allSettled(['a', 'spin', 'b'].map((text) => client.request(text))))).toEqual(['a',
      'Error: the thread did not reply within 3000 ms', 'b']);
  });

  it('rejects what cannot be sent, and goes on', async () => {
    const client = open();
    await expect(client.request(() => undefined)).rejects.toMatchObject({ name: 'DataCloneError' });
    expect((await client.request('a')).text).toBe('a');
  });

  it('moves what is to be transferred, and sends messages without a reply', async () => {
    const client = open();
    client.tell('a');
    client.start();
    client.tell('quiet');
    const bytes = new Uint8Array(8);
    const { text } = await client.request(bytes, [bytes.buffer]);
    expect([bytes.length, text]).toEqual([0, new Uint8Array(8)]);
  });

  it('ends a thread that is idle, and starts another one', async () => {
    const client = open({ idleMs: 20 });
    const { threadId } = await client.request('a');
    await expect.poll(async () => (await client.request('b')).threadId !== threadId, { interval: 60 }).toBe(true);
  });

  it('says what its thread uses, and when it has ended', async () => {
    let ends = 0;
    const client = open({ silent: true, onEnd: () => void ends++ });
    expect(await client.usedBytes()).toBe(0);
    await client.request('a');
    expect(await client.usedBytes()).toBeGreaterThan(2 ** 20);
    await client.end(new Error('enough'));
    expect([ends, await client.usedBytes()]).toEqual([1, 0]);
  });

  it('may be ended before its start, and twice', async () => {
    const client = open();
    await client.end();
    await Promise.all([client.end(), client.end()]);
    expect((await client.request('a')).text).toBe('a');
  });
});

it('asks a thread once', async () => {
  expect((await askThread<string, Reply>(THREAD, 'a', { name: 'the thread', keepsAlive: false })).text).toBe('a');
  await expect(askThread(THREAD, 'end', { name: 'the thread' })).rejects.toThrow('the thread has ended');
});

describe('workerFile', () => {
  it('takes over the ending of its caller', () => {
    expect(workerFile('file:///app/src/a/client.ts', 'thread').href).toBe('file:///app/src/a/thread.ts');
    expect(workerFile('file:///app/dist/a/client.js', 'thread').href).toBe('file:///app/dist/a/thread.js');
  });
});
