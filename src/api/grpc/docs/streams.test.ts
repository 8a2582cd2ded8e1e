import { type Metadata, status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../../errors/index.ts';
import { decode, encode } from '../../../testkit/grpc-client.ts';
import { type FixtureOptions, GrpcFixture } from '../../../testkit/grpc-fixture.ts';
import type { WatchedEvent } from './adapter.ts';

let fixture: GrpcFixture;
afterEach(() => fixture.stop());
const start = async (options: FixtureOptions): Promise<void> => {
  fixture = await GrpcFixture.start(options);
};

/** All messages of a stream. Rejects with its status if it fails. */
async function all(rpc: string, call: AsyncIterable<Buffer>): Promise<Record<string, unknown>[]> {
  const messages: Record<string, unknown>[] = [];
  for await (const bytes of call) messages.push(decode(rpc, bytes));
  return messages;
}

const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 5000, interval: 5 });

describe('Export', () => {
  const file = (content: AsyncIterable<Uint8Array> | string) => ({
    contentType: 'application/x-ndjson',
    fileName: 'c.ndjson',
    content,
  });

  it('sends the file in pieces of at most 64 KiB, with its names in the first', async () => {
    const content = Buffer.alloc(200_000, 'abc');
    async function* source() {
      yield content.subarray(0, 150_000);
      yield content.subarray(150_000);
    }
    await start({ answer: () => file(source()) });
    const pieces = await all('Export', fixture.client.stream('Export', { collection: 'c', format: 'ndjson' }));
    expect(fixture.input).toEqual({ collection: 'c', format: 'ndjson' });
    expect(pieces.map(({ contentType, fileName }) => [contentType, fileName])).toEqual([['application/x-ndjson',
      'c.ndjson'], ...pieces.slice(1).map(() => ['', ''])]);
    const bytes = pieces.map(({ data }) => Buffer.from(data as string, 'base64'));
    expect(Math.max(...bytes.map(({ length }) => length))).toBe(65_536);
    expect(Buffer.concat(bytes).equals(content)).toBe(true);
  });

  it('names a file that is empty', async () => {
    await start({ answer: () => file('') });
    expect(await all('Export', fixture.client.stream('Export', {}))).toEqual([{
      contentType: 'application/x-ndjson',
      fileName: 'c.ndjson',
      data: '',
    }]);
  });

  it('makes no more of the file than a slow client reads, and stops when the client goes', async () => {
    let made = 0;
    let ended = false;
    async function* endless() {
      try {
        for (;;) {
          made += 1;
          yield Buffer.alloc(65_536);
        }
      } finally {
        ended = true;
      }
    }
    await start({ answer: () => file(endless()) });
    const call = fixture.client.stream('Export', {});
    call.on('error', () => undefined);
    // Nothing is read beyond the first message.
    await once(call, 'readable');
    await until(() => made > 2);
    let before = -1;
    await until(() => {
      const still = before === made;
      before = made;
      return still;
    });
    expect(made).toBeLessThan(100);
    call.cancel();
    await until(() => ended);
  });

  it('fails half-way with the status of the error, after what was sent', async () => {
    async function* source() {
      yield Buffer.from('first');
      throw new ServiceError('unavailable', 'the disk is gone');
    }
    await start({ answer: () => file(source()) });
    const received: unknown[] = [];
    const call = fixture.client.stream('Export', {});
    call.on('data', (bytes: Buffer) => received.push(decode('Export', bytes)));
    const [error] = await once(call, 'error');
    expect(error).toMatchObject({ code: status.UNAVAILABLE, details: 'the disk is gone' });
    expect(received).toHaveLength(1);
  });
});

describe('AddBatchStream', () => {
  const counted: FixtureOptions['answer'] = ({ input }) => ({
    added: (input['documents'] as unknown[] | undefined)?.length,
    updated: 0,
    failed: 0,
    errors: [],
  });

  it('writes the documents in batches as they come, in order', async () => {
    await start({ answer: counted });
    const { call, answer } = fixture.client.send('AddBatchStream');
    for (let i = 0; i < 1201; i++)
      call.write(encode('AddBatchStream', { collection: i === 0 ? 'c' : '', document: { key: `k${i}` } }));
    call.end();
    expect(await answer).toMatchObject({ added: '1201', updated: '0', failed: '0', errors: [] });
    const batches = fixture.invocations.map((
      { operation, input },
    ) => [operation, input['collection'], (input['documents'] as object[]).length]);
    expect(batches).toEqual([['addDocuments', 'c', 500], ['addDocuments', 'c', 500], ['addDocuments', 'c', 201]]);
    expect(fixture.invocations.flatMap(({ input }) => input['documents'])).toEqual(
      Array.from({ length: 1201 }, (_, i) => ({ key: `k${i}` })),
    );
  });

  it('begins a batch where the collection changes, and where it would grow too large', async () => {
    await start({ answer: counted, server: { maxMessageBytes: 8_000_000 } });
    const { call, answer } = fixture.client.send('AddBatchStream');
    const items: { collection?: string; contentMd?: string }[] = [{ collection: 'a' }, { collection: 'b' }, {}, {
      contentMd: 'x'.repeat(3_000_000),
    }, { contentMd: 'x'.repeat(3_000_000) }];
    for (const { collection = '', contentMd = '' } of items)
      call.write(encode('AddBatchStream', { collection, document: { contentMd } }));
    call.end();
    await answer;
    expect(fixture.invocations.map(({ input }) => [input['collection'], (input['documents'] as object[]).length]))
      .toEqual([['a', 1], ['b', 3], ['b', 1]]);
  });

  it('counts failures by their place in the stream, and keeps the first 1000', async () => {
    await start({
      answer: ({ input }) => {
        const count = (input['documents'] as unknown[]).length;
        return {
          added: 0,
          updated: 0,
          failed: count,
          errors: Array.from({ length: count }, (_, i) => `${i} key: why`),
          embeddingDropped: 1,
          sanitized: 2,
        };
      },
    });
    const { call, answer } = fixture.client.send<{ errors: string[] }>('AddBatchStream');
    for (let i = 0; i < 1300; i++) call.write(encode('AddBatchStream', { collection: 'c', document: {} }));
    call.end();
    const { errors, ...counts } = await answer;
    expect(counts).toMatchObject({ failed: '1300', embeddingDropped: '3', sanitized: '6' });
    expect(errors).toEqual(Array.from({ length: 1000 }, (_, i) => `${i} key: why`));
  });

  it('reads no further while a batch is being written', async () => {
    const gate = Promise.withResolvers<void>();
    await start({
      answer: async (invocation) => {
        await gate.promise;
        return counted!(invocation);
      },
    });
    const { call, answer } = fixture.client.send('AddBatchStream');
    const message = encode('AddBatchStream', { collection: 'c', document: { contentMd: 'x'.repeat(100_000) } });
    let sent = 0;
    for (let i = 0; i < 300; i++) call.write(message, () => (sent += 1));
    call.end();
    await until(() => fixture.invocations.length === 1);
    let before = -1;
    await until(() => {
      const still = before === sent;
      before = sent;
      return still;
    });
    // A batch of 4 MiB, the buffers of the streams, and the connection's window.
    expect(sent).toBeLessThan(150);
    gate.resolve();
    expect(await answer).toMatchObject({ added: '300' });
  });

  it('ends with the error of a batch, and says what was written before', async () => {
    await start({
      answer: (invocation) => {
        if (fixture.invocations.length > 1)
          throw new ServiceError('busy', 'too much work', {
            headers: { 'Retry-After': '1' },
          });
        return counted!(invocation);
      },
    });
    const { call, answer } = fixture.client.send('AddBatchStream');
    for (let i = 0; i < 600; i++) call.write(encode('AddBatchStream', { collection: 'c', document: {} }));
    call.end();
    const error = await answer.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: status.UNAVAILABLE,
      details: 'too much work; 500 documents were written before',
    });
    expect(String((error as { metadata: Metadata }).metadata.get('grpc-status-details-bin')[0])).toContain('500');
  });

  it('gives up a batch that is being written when the client cancels, and writes nothing more', async () => {
    await start({
      answer: ({ caller: { signal } }) =>
        new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error))),
    });
    const { call, answer } = fixture.client.send('AddBatchStream');
    for (let i = 0; i < 1300; i++) call.write(encode('AddBatchStream', { collection: 'c', document: {} }));
    await until(() => fixture.invocations.length === 1);
    call.cancel();
    expect(await answer.catch((thrown: unknown) => thrown)).toMatchObject({ code: status.CANCELLED });
    const { signal } = fixture.invocations[0]!.caller;
    await until(() => signal!.aborted);
    expect(fixture.invocations).toHaveLength(1);
    expect(fixture.logged).toEqual([]);
  });

  it('may be empty, and refuses what is no item', async () => {
    await start({ answer: counted });
    const empty = fixture.client.send('AddBatchStream');
    empty.call.end();
    expect(await empty.answer).toMatchObject({ added: '0', errors: [] });
    const wrong = fixture.client.send('AddBatchStream');
    wrong.call.write(Buffer.from([0x08, 0x01]));
    expect(await wrong.answer.catch((thrown: unknown) => thrown)).toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});

describe('Watch', () => {
  const event = (seq: number): WatchedEvent => ({
    event: 'doc.added',
    collection: 'c',
    key: `k${seq}`,
    lang: 'en',
    docId: `c|k${seq}|en`,
    timestamp: 5,
    seq,
  });

  it('checks the permission first, then sends the events as they happen', async () => {
    const asked: unknown[] = [];
    await start({
      watch: async (input) => {
        asked.push(input);
        return (async function*() {
          yield event(1);
          yield { ...event(2), document: { key: 'k2', contentMd: 'body' }, detail: { reason: 'ttl' } };
        })();
      },
    });
    const told = await all('Watch',
      fixture.client.stream('Watch', { collection: 'c', events: ['doc.added'], includeDocument: true, fromSeq: '0' }));
    expect(fixture.invocations.map(({ operation, input }) => [operation, input])).toEqual([['streamEvents', {
      collection: 'c',
    }]]);
    expect(asked).toEqual([{ collection: 'c', events: ['doc.added'], includeDocument: true, fromSeq: 0 }]);
    expect(told).toMatchObject([{ seq: '1', docId: 'c|k1|en', timestamp: '5' }, {
      seq: '2',
      document: { contentMd: 'body' },
      detail: { reason: 'ttl' },
    }]);
  });

  it('of all collections is for callers that may see the configurations', async () => {
    await start({
      answer: () => {
        throw new ServiceError('admin_required', 'admin permission required');
      },
    });
    const call = fixture.client.stream('Watch', {});
    expect((await once(call.resume(), 'error'))[0]).toMatchObject({ code: status.PERMISSION_DENIED });
    expect(fixture.invocations[0]).toMatchObject({ operation: 'listEmbeddingConfigs', input: {} });
  });

  it('sends its head as soon as no event escapes, and leaves the source when the client goes', async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    await start({
      watch: async (_, signal) =>
        (async function*() {
          await new Promise<void>((gone) => signal.addEventListener('abort', () => gone()));
          resolve();
          signal.throwIfAborted();
          yield event(1);
        })(),
    });
    const call = fixture.client.stream('Watch', { collection: 'c' });
    call.on('error', () => undefined);
    await once(call, 'metadata');
    call.cancel();
    await aborted;
  });

  it('ends when the permission is withdrawn, and continues after other changes', async () => {
    let allowed = true;
    let tell: (event: WatchedEvent) => void = () => undefined;
    await start({
      answer: () => {
        if (!allowed) throw new ServiceError('forbidden', 'forbidden: no read permission on c');
        return {};
      },
      watch: async (_, signal) =>
        (async function*() {
          for (;;) {
            const gone = new Promise<never>((__, reject) =>
              signal.addEventListener('abort', () => reject(signal.reason as Error))
            );
            yield await Promise.race([new Promise<WatchedEvent>((resolve) => (tell = resolve)), gone]);
          }
        })(),
    });
    const change = () => fixture.changeListeners.forEach((listener) => listener());
    const call = fixture.client.stream('Watch', { collection: 'c' });
    await once(call, 'metadata');
    change();
    await until(() => fixture.invocations.length === 2);
    const received = once(call, 'data');
    tell(event(1));
    await received;
    allowed = false;
    change();
    expect((await once(call, 'error'))[0]).toMatchObject({
      code: status.PERMISSION_DENIED,
      details: 'forbidden: no read permission on c',
    });
    await until(() => fixture.changeListeners.size === 0);
  });

  it('ends with the status of an error, and when the server stops', async () => {
    let fail: (error: Error) => void = () => undefined;
    await start({
      watch: async () =>
        (async function*() {
          yield event(1);
          await new Promise((_, reject) => (fail = reject));
        })(),
    });
    const slow = fixture.client.stream('Watch', { collection: 'c' });
    await once(slow, 'data');
    fail(new ServiceError('rate_limited', 'the watcher is more than 4096 events behind'));
    expect((await once(slow, 'error'))[0]).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    const open = fixture.client.stream('Watch', { collection: 'c' });
    await once(open, 'data');
    const ended = once(open, 'error');
    await fixture.server.stop(60_000);
    expect((await ended)[0]).toMatchObject({ code: status.UNAVAILABLE, details: 'the server is stopping' });
  });
});

describe('Upload', () => {
  it('wants its options first', async () => {
    await start({});
    const { call, answer } = fixture.client.send('Upload');
    call.write(encode('Upload', { data: 'AAAA' }));
    expect(await answer.catch((thrown: unknown) => thrown)).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: 'options must come first',
    });
    expect(fixture.invocations).toEqual([]);
  });

  it.each(['Upload'])('%s returns Unimplemented while its operation is not built, whatever else is sent',
    async (rpc) => {
      await start({
        answer: () => {
          throw new ServiceError('not_implemented', 'it is not implemented');
        },
      });
      const { call, answer } = fixture.client.send(rpc);
      call.write(encode(rpc, { options: { collection: 'c', lang: 'en' } }));
      const piece = encode(rpc, { data: Buffer.alloc(65_536).toString('base64') });
      for (let i = 0; i < 100; i++) call.write(piece);
      expect(await answer.catch((thrown: unknown) => thrown)).toMatchObject({ code: status.UNIMPLEMENTED });
      expect(fixture.invocations).toHaveLength(1);
      expect(await parametersOf(fixture.input)).toMatchObject({ collection: 'c', lang: 'en' });
    });
});

/** The part of an input that is known before its files are read. */
async function parametersOf(input: object): Promise<object> {
  if (typeof input !== 'function') return input;
  let parameters = {};
  await (input as (precheck: (parameters: object) => Promise<void>) => Promise<object>)(async (known) => {
    parameters = known;
    throw new Error('no further');
  }).catch(() => undefined);
  return parameters;
}
