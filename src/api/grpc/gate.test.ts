import { type Metadata, status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { silentLog } from '../../lib/log.ts';
import { directClients } from '../../lib/slow-bodies.ts';
import { createAddressReader, parseNetwork } from '../../lib/trusted-proxies.ts';
import type { RateLimit, Sender } from '../../operations/index.ts';
import { encode } from '../../testkit/grpc-client.ts';
import { type FixtureOptions, GrpcFixture } from '../../testkit/grpc-fixture.ts';
import { createGate, type GateOptions } from './gate.ts';
import { UNLIMITED_RPCS, usualWaits } from './index.ts';

let fixture: GrpcFixture;
afterEach(() => fixture.stop());

async function start(gate: Partial<GateOptions>, options: FixtureOptions = {}): Promise<void> {
  const whole: GateOptions = {
    log: silentLog,
    accessLog: false,
    readAddress: createAddressReader([]),
    unlimited: UNLIMITED_RPCS,
    waits: usualWaits(),
    ...gate,
  };
  fixture = await GrpcFixture.start({ ...options, server: { ...options.server, gate: createGate(whole) } });
}

/**
 * A call of a raw HTTP/2 client, which sends only the part of its message that a test chooses. Returns the trailing
 * metadata.
 */
async function rawCall(rpc: string, send: (stream: ReturnType<ReturnType<typeof connectHttp2>['request']>) => void,
  headers: Record<string, string> = {}): Promise<Record<string, unknown>>
{
  const session = connectHttp2(`http://${fixture.server.url}`);
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: `/quire.docs.v1.DocumentDB/${rpc}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => undefined);
  send(stream);
  const answer = new Promise<Record<string, unknown>>((resolve) => {
    stream.on('response', (headers) => void (headers['grpc-status'] !== undefined && resolve(headers)));
    stream.on('trailers', resolve);
  });
  const trailers = await answer;
  session.destroy();
  return trailers;
}

describe('a call whose message does not come', () => {
  const waits = { ...usualWaits(), messageMs: 60, checkMs: 10 };

  it.each([['at all', () => undefined], ['as a whole',
    (stream: { write(bytes: Buffer): void }) => stream.write(Buffer.from([0, 0, 0, 0, 100, 1, 2, 3]))], ['to its end',
    (stream: { write(bytes: Buffer): void }) => stream.write(Buffer.from([0, 0, 0, 0, 0]))]])('%s is ended',
      async (_, send) => {
        await start({ waits });
        expect(await rawCall('DeleteEmbeddingConfig', send)).toMatchObject({
          'grpc-status': String(status.DEADLINE_EXCEEDED),
          'quire-code': 'request_timeout',
        });
        expect(fixture.invocations).toEqual([]);
      });

  it('is ended also in a stream of them', async () => {
    await start({ waits });
    const { call, answer } = fixture.client.send('AddBatchStream');
    call.write(encode('AddBatchStream', { collection: 'c', document: {} }));
    expect(await answer.catch((error: unknown) => error)).toMatchObject({ code: status.DEADLINE_EXCEEDED });
  });

  it('is ended in a stream whose messages are fewer bytes than the time allows, in the middle of them', async () => {
    await start({ waits: { ...usualWaits(), rates: [{ afterMs: 50, bytesPerSecond: 10_000_000 }], checkMs: 10 } });
    const { call, answer } = fixture.client.send('AddBatchStream');
    const timer = setInterval(() => call.write(encode('AddBatchStream', { collection: 'c', document: {} })), 5);
    expect(await answer.catch((error: unknown) => error)).toMatchObject({
      code: status.DEADLINE_EXCEEDED,
      details: expect.stringContaining('at least 10000000 bytes a second'),
    });
    clearInterval(timer);
  });

  it('is ended when there are too many of its client, the slowest first', async () => {
    await start({ waits: { ...usualWaits(), slowAfterMs: 20, checkMs: 10 }, slowBodies: directClients(1).slowBodies });
    const [slower, quicker] = [fixture.client.send('Upload'), fixture.client.send('AddBatchStream')];
    const timer = setInterval(() => quicker.call.write(encode('AddBatchStream', { collection: 'c', document: {} })), 5);
    const error = await slower.answer.catch((thrown: unknown) => thrown) as { code: status; metadata: Metadata };
    expect([error.code, error.metadata.get('quire-code'), error.metadata.get('retry-after')]).toEqual([
      status.RESOURCE_EXHAUSTED,
      ['rate_limited'],
      ['5'],
    ]);
    clearInterval(timer);
    quicker.call.end();
    expect(await quicker.answer).toBeInstanceOf(Object);
  });

  it('a long handler or response does not count as a silent call', async () => {
    const gate = Promise.withResolvers<object>();
    await start({ waits }, { answer: () => gate.promise });
    const answer = fixture.client.call('DeleteEmbeddingConfig', {});
    await vi.waitFor(() => expect(fixture.invocations).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 150));
    gate.resolve({});
    expect(await answer).toEqual({});
  });
});

describe('a message that is too large', () => {
  const frame = (compressed: 0 | 1, bytes: Buffer): Buffer => {
    const prefix = Buffer.alloc(5);
    prefix[0] = compressed;
    prefix.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([prefix, bytes]);
  };

  it.each([['as it says itself', {}, Buffer.from([0, 0x7f, 0xff, 0xff, 0xff])], ['once it is unpacked', {
    'grpc-encoding': 'gzip',
  }, frame(1, gzipSync(Buffer.alloc(8_000_000)))]])('%s is refused without being taken in',
    async (_, headers, bytes) => {
      await start({}, { server: { maxMessageBytes: 100_000 } });
      expect(await rawCall('DeleteEmbeddingConfig', (stream) => stream.end(bytes), headers)).toMatchObject({
        'grpc-status': String(status.RESOURCE_EXHAUSTED),
      });
      expect(fixture.invocations).toEqual([]);
    });
});

describe('the limit', () => {
  const refusing: RateLimit = {
    admit: () =>
      Promise.reject(new ServiceError('rate_limited', 'too many requests; try again in 7 s', {
        headers: { 'X-RateLimit-Remaining': '0', 'Retry-After': '7' },
      })),
  };

  it('refuses a call before its message is read, and logs it', async () => {
    const lines: object[] = [];
    await start({ limit: refusing, accessLog: true, log: { ...silentLog, info: (fields) => void lines.push(fields) } });
    // A message of a gigabyte that is never sent.
    const headers = await rawCall('DeleteEmbeddingConfig', (stream) => stream.write(Buffer.from([0, 0x40, 0, 0, 0])));
    expect(headers).toMatchObject({
      'grpc-status': String(status.RESOURCE_EXHAUSTED),
      'retry-after': '7',
      'x-ratelimit-remaining': '0',
    });
    expect(lines).toEqual([{
      method: '/quire.docs.v1.DocumentDB/DeleteEmbeddingConfig',
      code: status.RESOURCE_EXHAUSTED,
      ip: '127.0.0.1',
    }]);
    expect(fixture.invocations).toEqual([]);
  });

  it('counts streams and reflection, too, and lets health through', async () => {
    await start({ limit: refusing });
    const watching = fixture.client.stream('Watch', { collection: 'c' });
    expect((await once(watching.resume(), 'error'))[0]).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    const asIs = (bytes: Buffer): Buffer => bytes;
    const reflection = fixture.client.raw.makeBidiStreamRequest(
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      asIs,
      asIs,
    );
    expect((await once(reflection.resume(), 'error'))[0]).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    expect(await fixture.client.call('Health', {}).catch((error: unknown) => error)).not.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
  });

  it('knows the caller, behind trusted proxies, and reports the quota in the head', async () => {
    const senders: Sender[] = [];
    const limit: RateLimit = {
      admit: async (sender) => {
        senders.push(sender);
        return { 'X-RateLimit-Remaining': '4' };
      },
    };
    await start({ limit, readAddress: createAddressReader([parseNetwork('127.0.0.0/8')!]) });
    const { head } = await fixture.client.exchange<object>('DeleteEmbeddingConfig', encode('DeleteEmbeddingConfig', {}),
      { metadata: { 'x-forwarded-for': '10.9.9.9, 203.0.113.5', authorization: 'Bearer t' } });
    expect((head as Metadata).get('x-ratelimit-remaining')).toEqual(['4']);
    expect(senders).toMatchObject([{
      protocol: 'grpc',
      ip: '203.0.113.5',
      credential: { scheme: 'bearer', value: 't' },
    }]);
  });
});
