import { status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { decode, encode, GrpcClient } from '../src/testkit/grpc-client.ts';
import { ADMIN, PASSWORD, startWithAuth, tokenOf } from './support/access-server.ts';

let server: DocsServer;
let client: GrpcClient;
beforeAll(async () => {
  server = await startDocsServer();
  client = new GrpcClient(server.listeners.grpc!.url);
});
afterAll(async () => {
  client.close();
  await server.stop();
});

/** What the HTTP interface says of the same thing. */
async function overHttp(path: string, body: object): Promise<Response> {
  return fetch(`${server.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const failure = (promise: Promise<unknown>) => promise.then(() => undefined, (error: unknown) => error);

describe('documents over gRPC', () => {
  const name = { collection: 'grpc', key: 'Hello', lang: 'en' };

  it('are stored as HTTP reads them', async () => {
    const added = await client.call('Add', {
      ...name,
      contentMd: '# Hello 🧭',
      meta: { tags: { values: ['x', 'y'] }, 'ключ': { values: [''] } },
      ttl: '3600',
    });
    const read = (await (await overHttp('get', name)).json()) as Record<string, unknown>;
    expect(read).toMatchObject({
      id: 'grpc|hello|en',
      contentMd: '# Hello 🧭',
      meta: { tags: ['x', 'y'], 'ключ': [''] },
    });
    expect(added).toMatchObject({
      id: read['id'],
      contentMd: read['contentMd'],
      addedAt: String(read['addedAt']),
      expiresAt: String(read['expiresAt']),
    });
  });

  it('keep what an update does not set, and lose what it sets to nothing (decisions, section 4.12)', async () => {
    await client.call('Add', { ...name, contentMd: 'body', meta: { tags: { values: ['x'] } }, ttl: '3600' });
    const kept = await client.call('Update', { ...name, contentMd: 'new' });
    expect(kept).toMatchObject({ contentMd: 'new', meta: { tags: { values: ['x'] } }, expiresAt: expect.any(String) });
    const cleared = await client.call('Update', { ...name, meta: {}, ttl: '0', contentMd: '' });
    expect(cleared).toMatchObject({ contentMd: '', meta: {} });
    expect(cleared).not.toHaveProperty('expiresAt');
  });

  it('say which fields are missing, and leave what is stored alone when a number is not set', async () => {
    expect(await failure(client.call('Truncate', { collection: 'grpc' }))).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: 'missing fields: keepRevs',
    });
    expect(await failure(client.call('Add', { collection: 'grpc' }))).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: 'missing fields: key, lang, contentMd',
    });
    expect(await failure(client.call('SetTTL', { ...name, ttl: '-1' }))).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('ttl must be at least 0'),
    });
  });

  it('refuse two values for the number of allowed edits', async () => {
    for (const rpc of ['FTS', 'HybridSearch']) {
      expect(await failure(client.call(rpc, { collection: 'grpc', query: 'x', fuzzy: 1, fuzzyAuto: true })))
        .toMatchObject({ code: status.INVALID_ARGUMENT, details: 'fuzzy and fuzzy_auto cannot both be set' });
    }
  });

  it('leave a switch of a collection alone that is not set, also where it is true', async () => {
    await client.call('SetCollectionConfig', {
      collection: 'config',
      trackHot: true,
      retrieval: { topK: 7, hybridAlpha: 0, hybridAlphaSet: true },
      customMeta: { a: { b: [1, null] } },
    });
    await client.call('SetCollectionConfig', { collection: 'config', description: 'changed', trackAccess: false });
    const read = async () =>
      ((await client.call('GetCollectionConfig', { collection: 'config' })) as { config: Record<string, unknown> })
        .config;
    expect(await read()).toMatchObject({
      trackHot: true,
      description: 'changed',
      retrieval: { topK: 7, hybridAlpha: 0 },
      customMeta: { a: { b: [1, null] } },
    });
    await client.call('SetCollectionConfig', {
      collection: 'config',
      trackHot: false,
      clear: ['retrieval.top_k', 'custom_meta'],
    });
    expect(await read()).toMatchObject({ trackHot: false, retrieval: { hybridAlpha: 0 }, customMeta: {} });
  });

  it('are found with the number of all matches', async () => {
    const documents = Array.from({ length: 7 }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: 'searched text' }));
    expect(
      await client.call('AddBatch', { collection: 'found', documents: [...documents, { key: 'a|b', lang: 'en' }] }),
    ).toMatchObject({ added: '7', failed: '1', errors: [expect.stringMatching(/^7 a\|b: /)] });
    expect(await client.call('Search', { collection: 'found', limit: 2 })).toMatchObject({
      documents: [{ key: 'k0' }, { key: 'k1' }],
      totalCount: '7',
      contextTruncated: false,
    });
    expect(await client.call('Search', { collection: 'found', limit: 0 })).toMatchObject({
      documents: [],
      totalCount: '7',
    });
    expect(await client.call('FTS', { collection: 'found', query: 'searched', limit: 1 })).toMatchObject({
      total: '1',
      totalMatches: '7',
    });
  });

  it('are added by a stream of any length', async () => {
    const { call, answer } = client.send('AddBatchStream');
    for (let i = 0; i < 1700; i++)
      call.write(encode('AddBatchStream', {
        collection: i === 0 ? 'stream' : '',
        document: { key: i % 100 === 7 ? 'a|b' : `k${i}`, lang: 'en', contentMd: `text ${i}` },
      }));
    call.end();
    const { errors, ...counts } = (await answer) as { errors: string[] };
    expect(counts).toMatchObject({ added: '1683', failed: '17' });
    expect(errors.map((line) => Number(line.split(' ')[0]))).toEqual(Array.from({ length: 17 }, (_, i) => 100 * i + 7));
    expect(await client.call('Checksum', { collection: 'stream' })).toMatchObject({ documentCount: '1683' });
  });

  it('are exported as HTTP exports them', async () => {
    const pieces: Buffer[] = [];
    for await (const bytes of client.stream('Export', { collection: 'stream', format: 'ndjson' }) as AsyncIterable<
      Buffer
    >) pieces.push(Buffer.from(decode<{ data: string }>('Export', bytes).data, 'base64'));
    const expected = Buffer.from(
      await (await overHttp('export', { collection: 'stream', format: 'ndjson' })).arrayBuffer(),
    );
    expect(Buffer.concat(pieces).equals(expected)).toBe(true);
    const wrong = client.stream('Export', { collection: 'stream', format: 'pdf' });
    expect((await once(wrong.resume(), 'error'))[0]).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('format must be one of ndjson, zip'),
    });
  });

  it('are watched, whatever protocol writes them', async () => {
    const call = client.stream('Watch', { collection: 'WATCHED', includeDocument: true });
    call.on('error', () => undefined);
    await once(call, 'metadata');
    await overHttp('add', { collection: 'watched', key: 'a', lang: 'en', contentMd: 'over HTTP' });
    await client.call('Delete', { collection: 'watched', key: 'a', lang: 'en' }).catch(() => undefined);
    const told: Record<string, unknown>[] = [];
    for await (const bytes of call as AsyncIterable<Buffer>) {
      told.push(decode('Watch', bytes));
      if (told.length === 2) break;
    }
    expect(told.map(({ event, docId }) => [event, docId])).toEqual([['doc.added', 'watched|a|en'], ['doc.deleted',
      'watched|a|en']]);
    const resumed = client.stream('Watch', { collection: 'watched', fromSeq: told[0]!['seq'] as string });
    resumed.on('error', () => undefined);
    expect(decode('Watch', (await once(resumed, 'data'))[0] as Buffer)).toMatchObject({
      event: 'doc.deleted',
      seq: told[1]!['seq'],
    });
    resumed.cancel();
  });

  it('are watched by a client that is too slow until it is 4096 events behind, and lose nothing when it comes again', async () => {
    const call = client.stream('Watch', { collection: 'slow' });
    const failed = once(call, 'error');
    await once(call, 'metadata');
    // Only the first event is requested: without a request, the library would receive everything. So events fill the
    // connection, and then the queue.
    call.read();
    const key = (i: number) => `${'k'.repeat(200)}${String(i).padStart(5, '0')}`;
    for (let from = 0; from < 8000; from += 2000) {
      await client.call('AddBatch', {
        collection: 'slow',
        documents: Array.from({ length: 2000 }, (_, i) => ({ key: key(from + i), lang: 'en', contentMd: '' })),
      });
    }
    const told: string[] = [];
    let seq = '0';
    const take = (bytes: Buffer): void => {
      const event = decode<{ key: string; seq: string }>('Watch', bytes);
      told.push(event.key);
      seq = event.seq;
    };
    // The library reports the error before it returns the messages that preceded it.
    const ended = new Promise((resolve) => call.on('end', resolve));
    call.on('data', take);
    expect((await failed)[0]).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: expect.stringContaining('more than 4096 events behind'),
    });
    await ended;
    expect(told.length).toBeLessThan(8000);
    const again = client.stream('Watch', { collection: 'slow', fromSeq: seq });
    again.on('error', () => undefined);
    for await (const bytes of again as AsyncIterable<Buffer>) {
      take(bytes);
      if (told.length === 8000) break;
    }
    expect(told).toEqual(Array.from({ length: 8000 }, (_, i) => key(i)));
  });

  it('are listed with the methods that serve them', async () => {
    const { grpc } = (await client.call('ListEndpoints', {})) as { grpc: { name: string; description: string }[] };
    expect(grpc).toContainEqual({ name: 'quire.docs.v1.DocumentDB/Add', description: 'Create or update one document' });
  });

  it('fail with nothing logged as long as only clients are to blame', () => {
    expect(server.errors).toEqual([]);
  });
});

describe('the access mode of gRPC', () => {
  const modes = async (env: Record<string, string>,
    use: (client: GrpcClient, url: string) => Promise<void>): Promise<void> =>
  {
    const other = await startDocsServer({ env });
    const itsClient = new GrpcClient(other.listeners.grpc!.url);
    await use(itsClient, other.url).finally(() => itsClient.close());
    await other.stop();
  };
  const document = { collection: 'c', key: 'a', lang: 'en', contentMd: '' };

  it('is its own: read refuses writes that HTTP takes', async () => {
    await modes({ SVC_GRPC_MODE: 'read' }, async (reader, url) => {
      expect(await failure(reader.call('Add', document))).toMatchObject({
        code: status.PERMISSION_DENIED,
        details: 'read-only mode',
      });
      const { call, answer } = reader.send('AddBatchStream');
      call.end(encode('AddBatchStream', { collection: 'c', document: { key: 'a', lang: 'en', contentMd: '' } }));
      expect(await failure(answer)).toMatchObject({ code: status.PERMISSION_DENIED });
      expect((await fetch(`${url}/v1/add`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(document),
      })).status).toBe(200);
      expect(await reader.call('Get', { collection: 'c', key: 'a', lang: 'en' })).toMatchObject({ id: 'c|a|en' });
    });
  });

  it('write refuses to read, and to watch', async () => {
    await modes({ SVC_GRPC_MODE: 'write' }, async (writer) => {
      await writer.call('Add', document);
      expect(await failure(writer.call('Get', { collection: 'c', key: 'a', lang: 'en' }))).toMatchObject({
        code: status.PERMISSION_DENIED,
        details: 'write-only mode',
      });
      for (const collection of ['c', ''])
        expect((await once(writer.stream('Watch', { collection }).resume(), 'error'))[0]).toMatchObject({
          code: status.PERMISSION_DENIED,
        });
    });
  });
});

describe('gRPC with authentication', () => {
  it('asks for a credential and the permission, for streams as for calls', async () => {
    const guarded = await startWithAuth();
    const anyone = new GrpcClient(guarded.listeners.grpc!.url);
    const admin = { metadata: { authorization: `Bearer ${await tokenOf(guarded.url, ADMIN)}` } };
    const reader = { username: 'reader', password: PASSWORD };
    await anyone.call('Register', reader, admin);
    await anyone.call('SetPermission', { username: 'reader', collection: 'open', read: true }, admin);
    const { token } = (await anyone.call('Login', reader)) as { token: string };
    const user = { metadata: { authorization: `Bearer ${token}` } };
    const document = { collection: 'open', key: 'a', lang: 'en', contentMd: '' };
    expect(await failure(anyone.call('Add', document))).toMatchObject({ code: status.UNAUTHENTICATED });
    expect(await failure(anyone.call('Add', document, user))).toMatchObject({ code: status.PERMISSION_DENIED });
    await anyone.call('Add', document, admin);
    expect(await anyone.call('Get', { collection: 'open', key: 'a', lang: 'en' }, user)).toMatchObject({
      id: 'open|a|en',
    });

    const watched = async (collection: string, details: object): Promise<unknown> => {
      const call = anyone.stream('Watch', { collection, fromSeq: '0' }, details);
      const outcome = await once(call, 'data').then(() => 'told', (error: { code: number }) => error.code);
      call.on('error', () => undefined).cancel();
      return outcome;
    };
    expect([await watched('open', user), await watched('open', {}), await watched('closed', user),
      await watched('', user), await watched('', admin)]).toEqual(['told', status.UNAUTHENTICATED,
        status.PERMISSION_DENIED, status.PERMISSION_DENIED, 'told']);
    const { call, answer } = anyone.send('AddBatchStream', user);
    call.end(encode('AddBatchStream', { collection: 'open', document: { key: 'b', lang: 'en', contentMd: '' } }));
    expect(await failure(answer)).toMatchObject({ code: status.PERMISSION_DENIED });
    anyone.close();
    await guarded.stop();
  });
});

describe('the settings of gRPC', () => {
  it('switch it off, and bound its messages', async () => {
    const off = await startDocsServer({ env: { SVC_GRPC_ENABLED: 'false' } });
    expect(off.listeners.grpc).toBeUndefined();
    await off.stop();
    const small = await startDocsServer({ env: { SVC_GRPC_MAX_MESSAGE_BYTES: '4096' } });
    const itsClient = new GrpcClient(small.listeners.grpc!.url);
    const contentMd = 'x'.repeat(10_000);
    expect(await failure(itsClient.call('Add', { collection: 'c', key: 'a', lang: 'en', contentMd }))).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    await fetch(`${small.url}/v1/add`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ collection: 'c', key: 'a', lang: 'en', contentMd }),
    });
    expect(await failure(itsClient.call('Get', { collection: 'c', key: 'a', lang: 'en' }))).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: expect.stringContaining('more than the 4096 of a message'),
    });
    itsClient.close();
    await small.stop();
  });

  it('may name a unix socket', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-socket-'));
    const path = join(folder, 'grpc.sock');
    const local = await startDocsServer({ env: { SVC_GRPC_ADDR: `unix:${path}` } });
    const itsClient = new GrpcClient(local.listeners.grpc!.url);
    expect(await itsClient.call('Health', {})).toMatchObject({ status: 'healthy' });
    itsClient.close();
    await local.stop();
    await rm(folder, { recursive: true });
  });
});
