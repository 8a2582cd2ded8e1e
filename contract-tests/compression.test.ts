import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { type Answer, HttpClient } from '../src/testkit/http-client.ts';
import { startRunsServer } from '../src/testkit/runs-server.ts';
import { AccessServer } from './support/access-server.ts';

let server: DocsServer;
let client: HttpClient;

const BODY = 'whales swim in every ocean. '.repeat(100);

beforeAll(async () => {
  server = await startDocsServer();
  client = new HttpClient(server.url);
  await client.post('/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: BODY });
});
afterAll(async () => {
  client.close();
  await server.stop();
});

const post = (to: HttpClient, path: string, body: object, accepted: string): Promise<Answer> =>
  to.send('POST', path, {
    headers: { 'Content-Type': 'application/json', 'Accept-Encoding': accepted },
    body: JSON.stringify(body),
  });

describe('responses are compressed', () => {
  it('of operations, as JSON and as files', async () => {
    const document = await post(client, '/v1/get', { collection: 'blog', key: 'a', lang: 'en' }, 'gzip, zstd');
    expect(document.headers['content-encoding']).toBe('zstd');
    expect(JSON.parse(zstdDecompressSync(document.bytes).toString())).toMatchObject({ contentMd: BODY });
    const file = await post(client, '/v1/export', { collection: 'blog', format: 'ndjson' }, 'gzip');
    expect(file.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(file.bytes).toString())).toMatchObject({ contentMd: BODY });
    const archive = await post(client, '/v1/export', { collection: 'blog', format: 'zip' }, 'gzip');
    expect([archive.status, archive.headers['content-encoding']]).toEqual([200, undefined]);
  });

  it('of GraphQL, and of the description', async () => {
    const graphql = await post(client, '/graphql', {
      query: '{ document(collection: "blog", key: "a", lang: "en") { contentMd } }',
    }, 'gzip');
    expect(JSON.parse(gunzipSync(graphql.bytes).toString())).toEqual({ data: { document: { contentMd: BODY } } });
    const description = await client.send('GET', '/openapi.json', { headers: { 'Accept-Encoding': 'gzip' } });
    expect(JSON.parse(gunzipSync(description.bytes).toString())).toMatchObject({ openapi: '3.1.0' });
  });

  it('of the run queue', async () => {
    const runs = await startRunsServer('');
    const visitor = new HttpClient(runs.url);
    const { headers, bytes } = await visitor.send('GET', '/openapi.json', { headers: { 'Accept-Encoding': 'gzip' } });
    visitor.close();
    await runs.remove();
    expect([headers['content-encoding'], gunzipSync(bytes).length > bytes.length]).toEqual(['gzip', true]);
  });

  it('unless they are refused that', async () => {
    const plain = await startDocsServer({ env: { SVC_HTTP_COMPRESSION: 'false' } });
    const visitor = new HttpClient(plain.url);
    const { headers } = await visitor.send('GET', '/openapi.json', { headers: { 'Accept-Encoding': 'gzip' } });
    visitor.close();
    await plain.stop();
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
  });

  it('unless they hold a key', async () => {
    const access = await AccessServer.start();
    const answer = await access.send('POST', '/v1/auth/api-key', { ...access.admin, 'Accept-Encoding': 'gzip' }, {
      description: 'x'.repeat(1024),
    });
    await access.stop();
    expect([answer.status, answer.headers['content-encoding'], answer.json()]).toEqual([200, undefined,
      expect.objectContaining({ key: expect.any(String) })]);
  });
});
