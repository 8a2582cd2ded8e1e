import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { type DocsServer, startDocsServer } from '../testkit/docs-server.ts';
import { encode, GrpcClient } from '../testkit/grpc-client.ts';
import { type Answer, HttpClient } from '../testkit/http-client.ts';
import { connectHandshake, mcpUrl } from '../testkit/mcp-clients.ts';
import { TextConverter } from '../testkit/text-converter.ts';
import { startDocumentService } from './docs-service.ts';
import { loadSettings } from './settings/index.ts';

let server: DocsServer;
let client: HttpClient;
beforeEach(async () => {
  server = await startDocsServer({ converter: new TextConverter() });
  client = new HttpClient(server.url);
});
afterEach(async () => {
  client.close();
  await server.stop();
});

/** Parts of a form, as they are written. */
type Part = readonly [name: string, value: string | Buffer, filename?: string];

const BOUNDARY = 'a-boundary';

function formOf(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(([name, value, filename]) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${
        filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: text/plain`
      }\r\n\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
const send = (parts: readonly Part[], more: Record<string, string> = {}): Promise<Answer> =>
  client.send('POST', '/v1/upload', { headers: { ...headers, ...more }, body: formOf(parts) });
const where: readonly Part[] = [['collection', 'docs'], ['lang', 'en']];
const spooled = async (): Promise<
  string[]
> => (existsSync(`${server.database}.uploads`) ? readdir(`${server.database}.uploads`) : []);

describe('a form that uploads files', () => {
  it('is read whatever the order of its parts, with text, numbers and JSON as they are meant', async () => {
    const answer = await send([['file', '# Ünï', 'Ünï côde.md'], ['meta', '{"tags": ["a", "b"]}'], ['ttl', '60'], [
      'profile',
      'fast',
    ], ...where]);
    expect([answer.status, answer.json()]).toEqual([200,
      expect.objectContaining({ key: 'ünï-côde', profile: 'fast' })]);
    const stored = (await client.post('/v1/get', { collection: 'docs', key: 'ünï-côde', lang: 'en' })).json<
      { meta: object; expiresAt: number; addedAt: number }
    >();
    expect([stored.meta, stored.expiresAt - stored.addedAt]).toEqual([{
      tags: ['a', 'b'],
      upload_format: ['md'],
      upload_filename: ['Ünï côde.md'],
      upload_converted: ['false'],
    }, 60]);
  });

  it('makes a batch of several parts, in their order, by either name', async () => {
    const large = 'x'.repeat(300_000);
    const answer = await send([['files[]', large, 'b.md'], ...where, ['file', 'a', 'a.md'], ['files[]', 'no',
      'c.exe']]);
    expect(answer.json()).toMatchObject({
      added: 2,
      failed: 1,
      errors: ['2 c.exe: has an unsupported extension'],
      results: [{ key: 'b', document: { contentMd: large } }, { key: 'a' }],
    });
    expect((await send([...where, ['files[]', 'a', 'a.md']])).json()).toMatchObject({ updated: 1 });
    expect(await spooled()).toEqual([]);
  });

  it.each([['without a field', [['collection', 'docs'], ['file', 'x', 'a.md']], 400, 'missing fields: lang'], [
    'without a file',
    where,
    400,
    'missing fields: file',
  ], ['with metadata that are no JSON', [...where, ['meta', '{'], ['file', 'x', 'a.md']], 400, 'meta must be JSON'], [
    'with a number that is none',
    [...where, ['ttl', 'soon'], ['file', 'x', 'a.md']],
    400,
    'ttl must be an integer, got a string',
  ], ['with a file that is a text', [...where, ['file', 'x']], 400, 'file must be a file; its part needs a file name'],
    ['with a field twice', [...where, ['lang', 'de'], ['file', 'x', 'a.md']], 400, 'lang is given more than once'], [
    'with a field of another operation',
    [...where, ['key2', 'x'], ['file', 'x', 'a.md']],
    400,
    'unknown field "key2"',
  ], ['with a file of another field', [...where, ['upload', 'x', 'a.md'], ['file', 'x', 'a.md']], 400,
    'unknown field "upload"'], ['with a long field', [...where, ['meta', 'x'.repeat(1_100_000)], ['file', 'x', 'a.md']],
    413, 'meta must be at most 1048576 bytes'], ['with many fields', [
    ...Array.from({ length: 101 }, (_, i): Part => [`f${i}`, 'x']),
    ...where,
  ], 413, 'at most 100 fields'], ['with a file beyond maxSize, named before', [['maxSize', '100000'], ...where, [
    'file',
    'x'.repeat(100_001),
    'a.md',
  ]], 413, 'file a.md is larger than 100000 bytes'], ['with a file beyond maxSize, named after', [...where, ['file',
    'x'.repeat(100_001), 'a.md'], ['maxSize', '100000']], 413, 'file a.md is larger than 100000 bytes'], [
    'with a file beyond the default',
    [...where, ['file', Buffer.alloc(10_485_761, 'x'), 'a.md']],
    413,
    'file a.md is larger than 10485760 bytes',
  ]] as readonly [string, readonly Part[], number, string][])('is refused %s', async (_, parts, status, message) => {
    const answer = await send(parts);
    expect([answer.status, answer.json<{ error: string }>().error]).toEqual([status, expect.stringContaining(message)]);
    expect(await spooled()).toEqual([]);
  });

  it('keeps names that are keys of every object apart', async () => {
    expect((await send([...where, ['__proto__', '{"lang": "de"}'], ['file', 'x', 'a.md']])).json()).toMatchObject({
      error: 'unknown field "__proto__"',
    });
    expect((await send([...where, ['__proto__', 'x', 'a.md'], ['file', 'x', 'a.md']])).json()).toMatchObject({
      error: 'unknown field "__proto__"',
    });
    expect((await send([...where, ['meta', '{"__proto__": ["x"]}'], ['file', 'x', 'a.md']])).text).toContain(
      '"__proto__":["x"]',
    );
  });

  it('has to be a form, whole', async () => {
    const refused = async (type: string | undefined, body: Buffer | string) => {
      const answer = await client.send('POST', '/v1/upload', {
        headers: type === undefined ? {} : { 'Content-Type': type },
        body,
      });
      return [answer.status, answer.json<{ code: string }>().code];
    };
    expect(await refused('application/json', '{}')).toEqual([415, 'unsupported_media_type']);
    expect(await refused(undefined, 'x')).toEqual([415, 'unsupported_media_type']);
    expect(await refused('multipart/form-data', 'x')).toEqual([400, 'invalid_argument']);
    expect(
      await refused(headers['Content-Type'],
        formOf([...where, ['file', 'x'.repeat(200_000), 'a.md']]).subarray(0, 100_000)),
    ).toEqual([400, 'invalid_argument']);
    expect(await refused(headers['Content-Type'], '')).toEqual([400, 'invalid_argument']);
    expect(await spooled()).toEqual([]);
  });

  it('is refused to pages of other sites', async () => {
    const answer = await send([...where, ['file', 'x', 'a.md']], {
      Origin: 'https://example.org',
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'no-cors',
    });
    expect(answer.status).toBe(403);
  });

  it('leaves nothing behind when its client hangs up in the middle of a file', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const body = formOf([...where, ['file', 'x'.repeat(1_000_000), 'a.md']]);
    socket.write(
      `POST /v1/upload HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: ${
        headers['Content-Type']
      }\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 500_000));
    await vi.waitFor(async () => expect(await spooled()).toHaveLength(1), { timeout: 5000, interval: 5 });
    socket.destroy();
    await vi.waitFor(async () => expect(await spooled()).toEqual([]), { timeout: 5000, interval: 5 });
    expect((await client.get('/health')).status).toBe(200);
    expect(server.errors).toEqual([]);
  });
});

describe('files of uploads', () => {
  it('that a killed server has left are removed by the next', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-left-'));
    try {
      const database = join(folder, 'quire.db');
      const left = join(`${database}.uploads`, 'request-1');
      await mkdir(left, { recursive: true });
      await writeFile(join(left, '0'), 'left');
      const { settings } = loadSettings({
        env: { SVC_PATH: database, SVC_HTTP_ADDR: '127.0.0.1:0', SVC_GRPC_ENABLED: 'false', SVC_MCP_ENABLED: 'false' },
      });
      const service = await startDocumentService({ settings, log: silentLog });
      expect(existsSync(left)).toBe(false);
      await service.stop();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('Upload over gRPC', () => {
  const call = async (...pieces: object[]): Promise<Record<string, unknown>> => {
    const grpc = new GrpcClient(server.listeners.grpc!.url);
    try {
      const { call: stream, answer } = grpc.send<Record<string, unknown>>('Upload');
      for (const piece of pieces) stream.write(encode('Upload', piece as never));
      stream.end();
      return await answer;
    } finally {
      grpc.close();
    }
  };
  const options = { options: { collection: 'docs', lang: 'en', meta: { tags: { values: ['a'] } } } };
  const data = (text: string) => ({ data: Buffer.from(text).toString('base64') });

  it('stores one file that comes in pieces', async () => {
    const answer = await call(options, { file: { name: 'Note.md' } }, data('# No'), data('te'));
    expect(answer).toMatchObject({
      key: 'note',
      format: 'md',
      document: { contentMd: '# Note', meta: { tags: { values: ['a'] }, upload_filename: { values: ['Note.md'] } } },
    });
  });

  it('stores several, large ones too, and an empty one', async () => {
    const answer = await call(options, { file: { name: 'a.md' } },
      ...Array.from({ length: 5 }, () => data('x'.repeat(60_000))), { file: { name: 'b.md' } }, {
      file: { name: 'c.exe' },
    }, data('x'));
    expect(answer).toMatchObject({
      added: '2',
      failed: '1',
      errors: ['2 c.exe: has an unsupported extension'],
      results: [{ key: 'a' }, { key: 'b' }],
    });
    expect(await spooled()).toEqual([]);
  });

  it.each([['options that come late', [{ file: { name: 'a.md' } }], 'options must come first'], ['data without a file',
    [options, data('x')], 'file must come before its data'], ['options that come twice', [options, options],
    'options must come once'], ['no file', [options], 'missing fields: file'], ['a file that is too large', [{
    options: { ...options.options, maxSize: 3 },
  }, { file: { name: 'a.md' } }, data('xxxx')], 'file a.md is larger than 3 bytes']])('refuses %s',
    async (_, pieces, message) => {
      await expect(call(...pieces)).rejects.toMatchObject({ details: expect.stringContaining(message) });
    });
});

describe('upload_file of MCP', () => {
  it('stores a file that is base64', async () => {
    const { client: mcp } = await connectHandshake(mcpUrl(server));
    const result = await mcp.callTool({
      name: 'upload_file',
      arguments: {
        collection: 'docs',
        lang: 'en',
        filename: 'Note.yaml',
        content: Buffer.from('a: 1').toString('base64'),
        meta: { tags: 'x' },
      },
    });
    await mcp.close();
    expect(result.structuredContent, JSON.stringify(result.content)).toMatchObject({
      key: 'note',
      format: 'yaml',
      converted: true,
    });
  });
});
