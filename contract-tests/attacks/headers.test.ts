import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { HttpClient } from '../../src/testkit/http-client.ts';
import { encode } from '../fuzz/wire-request.ts';

let server: DocsServer;
let client: HttpClient;

beforeAll(async () => {
  server = await startDocsServer();
  client = new HttpClient(server.url);
});
afterAll(async () => {
  client.close();
  await server.stop();
});

const SPLITTERS = ['a\r\nX-Injected: 1', 'a\nSet-Cookie: a=b', 'a\rX-Injected: 1', 'a\r\n\r\n<script>',
  'a%0d%0aX-Injected:%201', 'a\u560d\u560aX-Injected: 1', 'a\u0000b', 'a"; filename="b', "a'; filename*=UTF-8''b",
  'ä'.repeat(100), '\ud800', '../../etc/passwd'];

/** The head of a response, byte for byte; fetch and Node's client would reject invalid headers. */
async function headOf(request: string): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined);
  socket.write(request);
  await once(socket, 'close');
  return text.split('\r\n\r\n', 1)[0]!;
}

const post = (path: string, body: string, headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${
    Buffer.byteLength(body)
  }\r\n${headers}\r\n${body}`;

function expectWhole(head: string): void {
  expect(head).toMatch(/^HTTP\/1\.1 \d{3} /);
  const names = head.split('\r\n').slice(1).map((line) =>
    /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):/.exec(line)?.[1]?.toLowerCase()
  );
  expect(names, head).not.toContain(undefined);
  expect(names).not.toContain('x-injected');
  expect(names).not.toContain('set-cookie');
  expect(head).not.toMatch(/[\0\r](?!\n)|(?<!\r)\n/);
}

describe('a header of a response', () => {
  it.each(SPLITTERS)('is not split by the name of a file that is made of a collection: %j', async (collection) => {
    const added = await client.post('/v1/add', { collection, key: 'k', lang: 'en', contentMd: 'x' });
    for (const format of ['ndjson', 'zip']) {
      const head = await headOf(post('/v1/export', JSON.stringify({ collection, format })));
      expectWhole(head);
      expect(head).not.toMatch(/^HTTP\/1\.1 5/);
      if (added.status !== 200) continue;
      const disposition = /^content-disposition: (.*)$/im.exec(head)?.[1];
      // One name for old clients and one for all others, and nothing that was injected through a quote.
      if (disposition !== undefined)
        expect(disposition).toMatch(/^attachment; filename="[\w.-]+"; filename\*=UTF-8''[\w.!~%-]+$/);
    }
  });

  it.each(SPLITTERS.filter((text) => !/[\r\n\0]/.test(text)))(
    'is not split by the id that a client gives its request: %j',
    async (id) => {
      const head = await headOf(post('/v1/get', '{}', `X-Request-Id: ${id}\r\n`));
      expectWhole(head);
      expect(/^x-request-id: (.*)$/im.exec(head)![1]).toMatch(/^[\w.-]{8,64}$/);
    },
  );

  it.each(SPLITTERS)('is not split by what a request is about: %j', async (text) => {
    for (const path of [`/v1/${encode(text)}`, `/v1/fts?collection=${encode(text)}&q=${encode(text)}`,
      `/v1/backup?to=${encode(text)}`, `/${encode(text)}?${encode(text)}`])
    {
      expectWhole(await headOf(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`));
      expectWhole(await headOf(`PATCH ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`));
    }
  });

  it.each(['http://evil.example', 'null', 'http://a\'"<b>', 'http://a/%0d%0aX-Injected:1'])(
    'is not split by an origin: %j',
    async (origin) => {
      for (const method of ['OPTIONS', 'GET'])
        expectWhole(
          await headOf(
            `${method} /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: ` +
              `${origin}\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: ${origin}\r\n\r\n`,
          ),
        );
    },
  );

  it('is not led elsewhere by the host of a request', async () => {
    const head = await headOf(
      'GET /docs HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n',
    );
    expectWhole(head);
    expect(head).not.toContain('evil.example');
  });
});
