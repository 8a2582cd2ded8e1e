import { type Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ErrorCode, ERRORS, ServiceError } from '../../../errors/index.ts';
import { RUN_ERRORS } from '../../../errors/registry.ts';
import { Reply } from '../../../operations/index.ts';
import { encode } from '../../../testkit/grpc-client.ts';
import { type FixtureOptions, GrpcFixture } from '../../../testkit/grpc-fixture.ts';

let fixture: GrpcFixture;
const start = async (options: FixtureOptions | FixtureOptions['answer'] = {}): Promise<void> => {
  fixture = await GrpcFixture.start(typeof options === 'function' ? { answer: options } : options);
};
afterEach(() => fixture.stop());

const failure = (promise: Promise<unknown>) =>
  promise.then(() => undefined, (error: unknown) => error as { code: number; details: string; metadata: Metadata });

describe('a call', () => {
  it('passes on the caller, and only what the request has set', async () => {
    await start(() => new Reply([], { 'X-Total-Count': '0' }));
    await fixture.client.call('Search', { collection: 'c', filterMeta: { tags: { values: ['x'] } }, asc: false }, {
      metadata: { 'x-request-id': 'my-request-1', authorization: 'Bearer token', 'x-unknown': '1' },
    });
    const [{ operation, input, caller }] = fixture.invocations as [(typeof fixture.invocations)[number]];
    expect([operation, input]).toEqual(['searchDocuments', {
      collection: 'c',
      filterMeta: { tags: ['x'] },
      asc: false,
    }]);
    expect(caller).toMatchObject({
      protocol: 'grpc',
      requestId: 'my-request-1',
      ip: '127.0.0.1',
      credential: { scheme: 'bearer', value: 'token' },
    });
    expect(caller.userAgent).toContain('grpc');
  });

  it('prefers an API key over a token, and makes an id where the given one is not fit for a log', async () => {
    await start();
    await fixture.client.call('Stats', {}, {
      metadata: { 'x-api-key': 'svc_live_1', authorization: 'Bearer token', 'x-request-id': 'no good' },
    });
    expect(fixture.invocations[0]!.caller.credential).toEqual({
      scheme: 'api-key',
      value: 'svc_live_1',
      overrides: true,
    });
    expect(fixture.invocations[0]!.caller.requestId).toMatch(/^[0-9a-f]{16}$/);
  });

  it('returns the id and the headers of the operation before the response', async () => {
    await start(() =>
      new Reply([{ id: 'c|a|en', key: 'a', lang: 'en' }], { 'X-Total-Count': '12', 'X-Context-Truncated': 'true' })
    );
    const { response, head } = await fixture.client.exchange('Search', encode('Search', { collection: 'c' }), {
      metadata: { 'x-request-id': 'request-12' },
    });
    expect(response).toMatchObject({ documents: [{ key: 'a' }], totalCount: '12', contextTruncated: true });
    expect([head.get('x-request-id'), head.get('x-total-count')]).toEqual([['request-12'], ['12']]);
  });

  it('converts where a message and an operation differ', async () => {
    await start(({ operation }) => {
      if (operation === 'listCurationRules') return { id: 'cur_1', collection: 'c' };
      if (operation === 'listWebhooks')
        return new Reply([{ id: 'wh_1', url: 'https://a.example/', events: [] }], {
          'X-Total-Count': '3',
          'X-Truncated': 'true',
          'X-Next-Offset': '1',
        });
      if (operation === 'listPermissions') return new Reply([], { 'X-Total-Count': '0' });
      return operation === 'createEmbeddingConfig' ? { id: 'cfg_1', configs: [{}] } : { valid: true };
    });
    expect(await fixture.client.call('ListCuration', { id: 'cur_1' })).toMatchObject({
      rules: [{ id: 'cur_1' }],
      total: '1',
    });
    expect(await fixture.client.call('ListWebhooks', {})).toMatchObject({
      webhooks: [{ id: 'wh_1' }],
      totalCount: '3',
      truncated: true,
      nextOffset: '1',
    });
    expect(await fixture.client.call('ListPermissions', { username: 'a' })).toEqual({
      permissions: [],
      totalCount: '0',
    });
    expect(await fixture.client.call('CreateEmbeddingConfig', { name: 'x' })).toMatchObject({ id: 'cfg_1' });
    await fixture.client.call('Validate', { collection: 'c' });
    expect(fixture.invocations.at(-1)!.input).toEqual({ collection: 'c', meta: {} });
  });

  it('says null by the names in `clear`', async () => {
    await start();
    await fixture.client.call('SetCollectionConfig', {
      collection: 'c',
      retrieval: { oversample: 2 },
      clear: ['custom_meta', 'retrieval.top_k', 'storageConfig'],
    });
    expect(fixture.input).toEqual({
      collection: 'c',
      retrieval: { oversample: 2, topK: null },
      customMeta: null,
      storageConfig: null,
    });
    for (const clear of ['collection', 'retrieval.', 'wordpress.url', '__proto__', 'type']) {
      expect(await failure(fixture.client.call('SetCollectionConfig', { collection: 'c', clear: [clear] })))
        .toMatchObject({ code: status.INVALID_ARGUMENT });
    }
    expect(fixture.invocations).toHaveLength(1);
  });

  it('may have an empty answer', async () => {
    await start(() => undefined);
    expect(await fixture.client.call('DeleteEmbeddingConfig', { id: 'cfg_1' })).toEqual({});
  });

  it('is logged when that is configured, without its content', async () => {
    await start({ accessLog: true });
    await fixture.client.call('Get', { collection: 'secret' }, { metadata: { 'x-request-id': 'request-13' } });
    expect(fixture.logged).toEqual([['info',
      expect.objectContaining({ requestId: 'request-13', method: '/quire.docs.v1.DocumentDB/Get', code: 0 }),
      'request']]);
    expect(JSON.stringify(fixture.logged)).not.toContain('secret');
  });
});

describe('an error', () => {
  it('of every code has its status, message and code', async () => {
    await start(({ input: { key } }) => {
      throw new ServiceError(key as ErrorCode, `what is wrong: ${String(key)}`);
    });
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      fixture.logged.length = 0;
      const error =
        (await failure(fixture.client.call('Get', { key: code }, { metadata: { 'x-request-id': 'request-14' } })))!;
      expect(error).toMatchObject({ code: status[ERRORS[code].grpc], details: `what is wrong: ${code}` });
      expect([error.metadata.get('quire-code'), error.metadata.get('x-request-id')]).toEqual([[code], ['request-14']]);
      expect(fixture.logged).toHaveLength(ERRORS[code].http >= 500 && code !== 'not_implemented' ? 1 : 0);
    }
  });

  it('has the status that was decided for its HTTP status', () => {
    const decided: Readonly<Record<number, string>> = {
      400: 'INVALID_ARGUMENT',
      401: 'UNAUTHENTICATED',
      403: 'PERMISSION_DENIED',
      404: 'NOT_FOUND',
      409: 'ALREADY_EXISTS',
      412: 'ABORTED',
      413: 'RESOURCE_EXHAUSTED',
      429: 'RESOURCE_EXHAUSTED',
      500: 'INTERNAL',
      501: 'UNIMPLEMENTED',
      503: 'UNAVAILABLE',
    };
    // The calls between nodes have a status of their own (decisions, section 4.11).
    const ofReplication = { not_leader: 'FAILED_PRECONDITION', snapshot_required: 'FAILED_PRECONDITION' };
    expect(ERRORS).toMatchObject(
      Object.fromEntries(Object.entries(ofReplication).map(([code, grpc]) => [code, { grpc }])),
    );
    const own = Object.entries(ERRORS).filter(([code]) => !(code in RUN_ERRORS) && !(code in ofReplication));
    for (const [code, { http, grpc }] of own) if (http in decided) expect([code, grpc]).toEqual([code, decided[http]]);
  });

  it('has details: the code, the violations with their fields, when to come again, and what HTTP adds', async () => {
    await start(() => {
      throw new ServiceError('missing_fields', 'missing fields: key, lang; limit must be at least 0, got -1', {
        errors: ['missing fields: key, lang', 'limit must be at least 0, got -1'],
        body: { deleted: false },
        headers: { 'Retry-After': '3' },
      });
    });
    const error = (await failure(fixture.client.call('Get', {})))!;
    const details = String(error.metadata.get('grpc-status-details-bin')[0]);
    for (const part of ['google.rpc.ErrorInfo', 'missing_fields', 'quire.docs.v1', 'deleted', 'google.rpc.BadRequest',
      'key', 'lang', 'limit must be at least 0, got -1', 'google.rpc.RetryInfo']) expect(details).toContain(part);
    expect(error.metadata.get('retry-after')).toEqual(['3']);
  });

  it('that is unexpected reveals nothing, and is logged with its cause', async () => {
    const bug = new Error('password is hunter2');
    await start(() => {
      throw bug;
    });
    expect(await failure(fixture.client.call('Get', {}))).toMatchObject({
      code: status.INTERNAL,
      details: 'internal error',
    });
    expect(fixture.logged).toEqual([['error',
      expect.objectContaining({ err: bug, operation: '/quire.docs.v1.DocumentDB/Get' }), 'request failed']]);
  });

  it('may hold any text, of any length', async () => {
    const texts = ['50% of \u{1f4a9}\ud800 are\nlines', 'é'.repeat(100_000)];
    await start(({ input }) => {
      throw new ServiceError('not_found', texts[Number(input['key'])]!, {
        errors: Array.from({ length: 100 }, () => texts[1]!),
      });
    });
    expect(await failure(fixture.client.call('Get', { key: '0' }))).toMatchObject({
      code: status.NOT_FOUND,
      details: '50% of \u{1f4a9}\ufffd are\nlines',
    });
    const long = (await failure(fixture.client.call('Get', { key: '1' })))!;
    expect([long.code, long.details.length]).toEqual([status.NOT_FOUND, 1024]);
  });

  it('of a response that does not fit its message is a fault of the server', async () => {
    await start(() => ({ key: 5 }));
    expect(await failure(fixture.client.call('Get', {}))).toMatchObject({
      code: status.INTERNAL,
      details: 'internal error',
    });
    expect(fixture.logged).toHaveLength(1);
  });
});

describe('a message', () => {
  it('that is malformed or of another type is refused by name, and nothing is invoked', async () => {
    await start();
    expect(await failure(fixture.client.bytes('Get', Buffer.from([0x08, 0x01])))).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: 'malformed message: collection of quire.docs.v1.GetRequest has wire type 0, expected 2',
    });
    expect(await failure(fixture.client.bytes('Get', Buffer.from('garbage')))).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    expect(fixture.invocations).toEqual([]);
  });

  it('that is too large is refused in both directions', async () => {
    await start({ answer: () => ({ contentMd: 'x'.repeat(5000) }), server: { maxMessageBytes: 4096 } });
    expect(await failure(fixture.client.call('Add', { contentMd: 'x'.repeat(5000) }))).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    expect(fixture.invocations).toEqual([]);
    const error = (await failure(fixture.client.call('Get', {})))!;
    expect(error).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: 'the response has 5003 bytes, more than the 4096 of a message; ask for less at once',
    });
    expect(error.metadata.get('quire-code')).toEqual(['payload_too_large']);
  });

  it('may be compressed by the client', async () => {
    await start({ client: { channel: { 'grpc.default_compression_algorithm': 2 } } });
    await fixture.client.call('Add', { contentMd: 'x'.repeat(5000) });
    expect(fixture.input['contentMd']).toHaveLength(5000);
  });

  it('with bytes that are not UTF-8 is repaired where the operation does that', async () => {
    await start();
    await fixture.client.bytes('AddBatch', Buffer.from([0x12, 0x03, 0x0a, 0x01, 0xff]));
    expect(fixture.input).toEqual({ documents: [{ key: '\udcff' }] });
    expect(await failure(fixture.client.bytes('Add', Buffer.from([0x12, 0x01, 0xff])))).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });
});

describe('work for a call', () => {
  const untilAborted = (aborted: (reason: unknown) => void): FixtureOptions['answer'] => ({ caller: { signal } }) =>
    new Promise((_, reject) =>
      signal!.addEventListener('abort', () => {
        aborted(signal!.reason);
        reject(signal!.reason as Error);
      })
    );

  it('is notified when the deadline passes', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const invoked = Promise.withResolvers<void>();
    await start((invocation) => {
      invoked.resolve();
      return untilAborted(resolve)!(invocation);
    });
    // The deadline passes once the call has arrived, however long that takes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    try {
      const failed = failure(fixture.client.call('FTS', {}, { deadline: Date.now() + 60_000 }));
      await invoked.promise;
      vi.advanceTimersByTime(61_000);
      expect(await failed).toMatchObject({ code: status.DEADLINE_EXCEEDED });
      expect(await promise).toMatchObject({ name: 'CallEnded' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('is notified when the client cancels', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const invoked = Promise.withResolvers<void>();
    await start((invocation) => {
      invoked.resolve();
      return untilAborted(resolve)!(invocation);
    });
    const call = fixture.client.stream('Export', {});
    call.on('error', () => undefined);
    await invoked.promise;
    call.cancel();
    expect(await promise).toMatchObject({ name: 'CallEnded', status: 'CANCELLED' });
    expect(fixture.logged).toEqual([]);
  });
});

describe('an RPC that nothing serves', () => {
  it('returns Unimplemented, and so does one whose operation is not built', async () => {
    await start(() => {
      throw new ServiceError('not_implemented', 'login is not implemented');
    });
    const call = fixture.client.stream('StreamBinlog', {});
    const ended = Promise.withResolvers<unknown>();
    call.on('error', ended.resolve);
    call.resume();
    expect(await ended.promise).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(await failure(fixture.client.call('AcknowledgeLSN', {}))).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(await failure(fixture.client.call('Login', {}))).toMatchObject({
      code: status.UNIMPLEMENTED,
      details: 'login is not implemented',
    });
  });
});
