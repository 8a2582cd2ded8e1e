import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { operations } from '../../generated/docs/operations.ts';
import { startRunQueueService } from '../../src/app/runs-service.ts';
import type { Environment } from '../../src/app/settings/index.ts';
import { silentLog } from '../../src/lib/log.ts';
import type { OperationSpec } from '../../src/operations/index.ts';
import { loadRunsConfig } from '../../src/runs/config/index.ts';
import { startDocsServer } from '../../src/testkit/docs-server.ts';
import { type Answer, HttpClient, type RequestParts } from '../../src/testkit/http-client.ts';
import { startWithAuth } from '../support/access-server.ts';
import { exampleCalls } from '../support/examples.ts';

// Requests that a browser lets the page of another site send to a server that requires no credential (decisions D-114
// and D-140).

const EVIL = 'https://evil.example';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const DOCUMENT = JSON.stringify({ collection: 'blog', key: 'a', lang: 'en', contentMd: 'from elsewhere' });

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Send = (method: string, path: string, parts?: RequestParts) => Promise<Answer>;

function clientOf(url: string): Send {
  const client = new HttpClient(url);
  closers.push(() => client.close());
  return (method, path, parts) => client.send(method, path, parts);
}

async function serve(env: Environment = {}): Promise<{ url: string; send: Send; mcp: Send }> {
  const server = await startDocsServer({ env });
  closers.push(() => server.stop());
  return { url: server.url, send: clientOf(server.url), mcp: clientOf(server.listeners.mcp!.url) };
}

async function serveRuns(runtime: string): Promise<Send> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-web-pages-'));
  closers.push(() => rm(folder, { recursive: true }));
  const file = join(folder, 'runs.yaml');
  await writeFile(file,
    `listen: 127.0.0.1:0\ndata_dir: ${join(folder, 'data')}\nlocal: {enabled: false}\nruntime: {${runtime}}\n`);
  const variables = { PATH: process.env['PATH'], RUNS_API_TOKEN: 'a-token-of-many-characters' };
  const service = await startRunQueueService({
    loaded: await loadRunsConfig({ source: file, env: variables }),
    variables,
    log: silentLog,
    validateResponses: true,
  });
  closers.push(() => service.stop());
  return clientOf(service.url);
}

const outcomeOf = (
  answer: Answer,
): [number, string | undefined] => [answer.status, answer.json<{ code?: string }>().code];

const stored = async (send: Send): Promise<number> =>
  (await send('GET', '/v1/doc-meta?collection=blog&key=a&lang=en')).status;

describe('a body that does not say that it is JSON', () => {
  it.each([['has no type, as a page sends a blob', {}], ['is text', { 'Content-Type': 'text/plain' }], [
    'is text that looks like JSON',
    { 'Content-Type': 'text/plain; application/json' },
  ], ['is a form', { 'Content-Type': 'application/x-www-form-urlencoded' }], ['is a form with parts', {
    'Content-Type': 'multipart/form-data; boundary=a',
  }], ['is another kind of JSON', { 'Content-Type': 'application/merge-patch+json' }]])(
    'is refused as 415 and writes nothing: it %s',
    async (_, headers) => {
      const { send } = await serve();
      expect(outcomeOf(await send('POST', '/v1/add', { headers, body: DOCUMENT }))).toEqual([415,
        'unsupported_media_type']);
      expect(await stored(send)).toBe(404);
    },
  );

  it('is refused as 415 and writes nothing: it has no type, and comes in chunks', async () => {
    const { url, send } = await serve();
    const { status } = await fetch(`${url}/v1/add`,
      { method: 'POST', body: new Blob([DOCUMENT]).stream(), duplex: 'half' } as RequestInit);
    expect([status, await stored(send)]).toEqual([415, 404]);
  });

  it('is no matter where there is no body', async () => {
    const { send } = await serve();
    expect((await send('POST', '/v1/backup')).status).toBe(200);
    expect(outcomeOf(await send('POST', '/v1/add'))).toEqual([400, 'missing_fields']);
  });
});

describe('a page of another origin, while nobody named an origin', () => {
  it('is refused by each operation that changes something, and by no other', async () => {
    const { send } = await serve();
    const verdicts = await Promise.all(
      exampleCalls('docs').map(async ({ operationId, method, path, produces, options }) => {
        // Without it, the response would not end.
        const target = path.replaceAll(/\{\w+\}/g, 'a') +
          (produces.includes('text/event-stream') ? '?follow=false' : '');
        const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
        const { status, text } = await send(method.toUpperCase(), target, {
          headers: { Origin: EVIL, ...JSON_TYPE },
          ...body,
        });
        return {
          operationId,
          isRefused: status === 403,
          saysWhy: status !== 403 || text.includes('SVC_CORS_ORIGINS=https://evil.example'),
        };
      }),
    );
    const changing = Object.values<OperationSpec>(operations).filter(({ effect, stores }) =>
      effect === 'write' || stores === true
    );
    expect(verdicts.filter(({ isRefused }) => isRefused).map(({ operationId }) => operationId).sort()).toEqual(
      changing.map(({ id }) => id).sort(),
    );
    expect(verdicts.filter(({ saysWhy }) => !saysWhy)).toEqual([]);
  });

  it('is not even asked in, where its browser asks first', async () => {
    const { send } = await serve();
    const ask = async (method: string, path: string) =>
      (await send('OPTIONS', path, {
        headers: {
          Origin: EVIL,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'content-type',
        },
      })).status;
    expect([await ask('POST', '/v1/add'), await ask('PATCH', '/v1/update'), await ask('POST', '/v1/fts'),
      await ask('GET', '/v1/fts')]).toEqual([403, 403, 204, 204]);
  });

  it('may read in GraphQL and change nothing, also by GET', async () => {
    const { send } = await serve();
    const ask = (query: string) =>
      send('POST', '/graphql', { headers: { Origin: EVIL, ...JSON_TYPE }, body: JSON.stringify({ query }) });
    expect((await ask('{ stats { mode } }')).json()).toMatchObject({ data: { stats: { mode: 'wr' } } });
    const refused =
      (await ask(
        'mutation { addDocument(input: { collection: "blog", key: "a", lang: "en", contentMd: "x" }) { id } }',
      )).json<{ errors: { extensions: { code: string } }[] }>();
    expect(refused.errors.map(({ extensions }) => extensions.code)).toEqual(['forbidden']);
    const byGet = await send('GET',
      `/graphql?query=${encodeURIComponent('mutation { deleteCollection(collection: "blog") }')}`, {
      headers: { Origin: EVIL },
    });
    expect(byGet.status).toBe(405);
    expect(await stored(send)).toBe(404);
  });

  it('is one that sends no origin, too: null', async () => {
    const { send } = await serve();
    expect(outcomeOf(await send('POST', '/v1/add', { headers: { Origin: 'null', ...JSON_TYPE }, body: DOCUMENT })))
      .toEqual([403, 'forbidden']);
  });

  it('is not the one of this machine, of the server itself, or of a program', async () => {
    const { send } = await serve();
    for (const [i, headers] of [{}, { Origin: 'http://localhost:3000' }, { Origin: 'http://127.0.0.1:5173' }, {
      Host: '192.168.1.5:11023',
      Origin: 'http://192.168.1.5:11023',
    }].entries()) {
      const body = JSON.stringify({ collection: 'blog', key: `k${i}`, lang: 'en', contentMd: 'x' });
      expect([headers,
        (await send('POST', '/v1/add', { headers: { ...headers, ...JSON_TYPE } as Record<string, string>, body }))
          .status]).toEqual([headers, 200]);
    }
  });
});

describe('a page whose name was made to point here', () => {
  const PATHS = ['/v1/fts?collection=blog&query=a', '/health', '/metrics', '/docs', '/openapi.json',
    '/graphql?query={__typename}', '/playground', '/nothing'];

  it('is refused by its Host on every path of the port, however it asks', async () => {
    const { send } = await serve();
    for (const path of PATHS) {
      for (const Origin of [undefined, 'http://evil.example:11023']) {
        const answer = await send('GET', path, { headers: { Host: 'evil.example:11023', ...(Origin && { Origin }) } });
        expect([path, answer.status]).toEqual([path, 403]);
        expect(answer.text).toContain('SVC_CORS_ORIGINS=http://evil.example:11023');
      }
    }
    expect((await send('POST', '/v1/add', {
      headers: { Host: 'evil.example:11023', Origin: 'http://evil.example:11023', ...JSON_TYPE },
      body: DOCUMENT,
    })).status).toBe(403);
    expect(await stored(send)).toBe(404);
  });

  it('is refused by MCP alike', async () => {
    const { mcp } = await serve();
    const ask = async (headers: Record<string, string>) =>
      (await mcp('POST', '/mcp', {
        headers: {
          ...JSON_TYPE,
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': '2025-06-18',
          ...headers,
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      })).status;
    expect([await ask({ Host: 'evil.example' }), await ask({ Origin: EVIL })]).toEqual([403, 403]);
    expect(await ask({ Origin: 'http://localhost:6274' })).not.toBe(403);
  });

  it.each(['localhost', '127.0.0.1', '10.1.2.3:11023', '[::1]:11023', '[2001:db8::1]'])('is not %s', async (Host) => {
    const { send } = await serve();
    expect((await send('GET', '/health', { headers: { Host } })).status).toBe(200);
  });
});

describe('what SVC_CORS_ORIGINS names', () => {
  it('may call, and its host is a name of this server; all other pages may not even read', async () => {
    const { send } = await serve({ SVC_CORS_ORIGINS: 'https://app.example,http://quire:11023' });
    const add = await send('POST', '/v1/add', {
      headers: { Origin: 'https://app.example', ...JSON_TYPE },
      body: DOCUMENT,
    });
    expect([add.status, add.headers['access-control-allow-origin']]).toEqual([200, 'https://app.example']);
    expect((await send('GET', '/health', { headers: { Host: 'quire:11023' } })).status).toBe(200);
    expect((await send('GET', '/health', { headers: { Host: 'other:11023' } })).status).toBe(403);
    for (const path of ['/v1/config', '/openapi.json', '/graphql?query={__typename}']) {
      expect([path, (await send('GET', path, { headers: { Origin: EVIL } })).status]).toEqual([path, 403]);
    }
    expect(
      (await send('GET', '/v1/config', { headers: { Origin: 'http://localhost:3000' } }))
        .headers['access-control-allow-origin'],
    ).toBe('http://localhost:3000');
  });

  it('is every origin, and every name, where it is an asterisk by the operator’s own hand', async () => {
    const { send } = await serve({ SVC_CORS_ORIGINS: '*' });
    expect(
      (await send('POST', '/v1/add', { headers: { Origin: EVIL, Host: 'quire', ...JSON_TYPE }, body: DOCUMENT }))
        .status,
    ).toBe(200);
  });
});

describe('a server that asks for a credential', () => {
  it('has no need to ask where a request is from: no page has the credential', async () => {
    const server = await startWithAuth();
    closers.push(() => server.stop());
    const send = clientOf(server.url);
    expect((await send('GET', '/health', { headers: { Host: 'docs.example.org', Origin: EVIL } })).status).toBe(200);
    const answer = await send('POST', '/v1/add', {
      headers: { Host: 'docs.example.org', Origin: EVIL, ...JSON_TYPE },
      body: DOCUMENT,
    });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, '*']);
  });
});

/** What a document on a page of the server itself can make a browser ask for. */
const OWN = { 'Sec-Fetch-Site': 'same-origin' };
const PARTS = ['image', 'script', 'style', 'font', 'audio', 'video', 'track', 'iframe', 'frame', 'object', 'embed',
  'manifest', 'worker', 'xslt', 'json'];
const SHOWN: readonly (readonly [string, Record<string, string>])[] = [
  ...PARTS.map((part) =>
    [`a document with: ${part}`, { ...OWN, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': part }] as const
  ),
  ...PARTS.map((part) =>
    [`a document with, in mode cors: ${part}`, { ...OWN, 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': part }] as const
  ),
  ['a link in a document', {
    ...OWN,
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Dest': 'document',
    'Sec-Fetch-User': '?1',
  }],
  ['a link in a mail', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }],
  ['a page that is fetched in advance', {
    ...OWN,
    'Sec-Fetch-Mode': 'no-cors',
    'Sec-Fetch-Dest': 'empty',
    'Sec-Purpose': 'prefetch',
  }],
  ['a page that is rendered in advance', {
    ...OWN,
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Dest': 'document',
    'Sec-Purpose': 'prefetch;prerender',
  }],
  ['a page that Safari fetches in advance', { Purpose: 'prefetch' }],
  ['a ping, or a script that wants no answer', { ...OWN, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'empty' }],
];

describe('what a browser asks for to show it (decision D-172)', () => {
  it('never changes anything, by whatever operation and protocol', async () => {
    const { send } = await serve();
    const changing = new Set(
      Object.values<OperationSpec>(operations).filter(({ effect, stores }) => effect === 'write' || stores === true)
        .map(({ id }) =>
          id
        ),
    );
    const calls = exampleCalls('docs').filter(({ operationId }) => changing.has(operationId as never));
    for (const headers of [{ ...OWN, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }, {
      ...OWN,
      'Sec-Fetch-Mode': 'no-cors',
      'Sec-Fetch-Dest': 'empty',
    }]) {
      const passed = await Promise.all(calls.map(async ({ operationId, method, path, options }) => {
        const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
        const { status } = await send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'a'), {
          headers: { ...headers, ...JSON_TYPE },
          ...body,
        });
        return status === 403 ? [] : [operationId];
      }));
      expect(passed.flat()).toEqual([]);
    }
    const mutation = JSON.stringify({ query: 'mutation { deleteCollection(collection: "blog") }' });
    const refused = await send('POST', '/graphql', {
      headers: { ...OWN, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'empty', ...JSON_TYPE },
      body: mutation,
    });
    expect(refused.text).toContain('forbidden');
  });

  it('is no part of a page either, so that a document’s images cause no work', async () => {
    const { send } = await serve();
    const image = { ...OWN, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' };
    const reading = Object.values<OperationSpec>(operations).filter(({ method }) => method === 'GET');
    const statuses = await Promise.all(
      reading.map(async ({ path }) => (await send('GET', path.replaceAll(/\{\w+\}/g, 'a'), { headers: image })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([403]));
    expect((await send('GET', '/graphql?query={stats{mode}}', { headers: image })).text).toContain('forbidden');
  });

  it('may be read by the person at the browser', async () => {
    const { send } = await serve();
    const headers = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    expect((await send('GET', '/v1/config', { headers })).status).toBe(200);
    expect((await send('GET', '/graphql?query={stats{mode}}', { headers })).json()).toEqual({
      data: { stats: { mode: 'wr' } },
    });
  });

  it('opens no session of MCP', async () => {
    const { mcp } = await serve();
    for (const [name, headers] of SHOWN)
      expect([name, (await mcp('GET', '/sse', { headers })).status]).toEqual([name, 403]);
  });

  it('is an image of the run queue where that is what an operation returns', async () => {
    const send = await serveRuns('shutdown_grace: 1s');
    const image = { ...OWN, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' };
    expect((await send('GET', '/api/v1/projects/none/badge.svg', { headers: image })).status).toBe(404);
    expect((await send('GET', '/api/v1/runs', { headers: image })).status).toBe(403);
  });
});

describe('a backup by GET', () => {
  const BROWSER = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

  it.each([['an image of another site', { ...BROWSER, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'image' }], [
    'an image of a neighbour',
    { ...BROWSER, 'Sec-Fetch-Site': 'same-site' },
  ], ['a page that may read', { ...BROWSER, 'Sec-Fetch-Site': 'cross-site', Origin: EVIL }], [
    'a browser that does not say for whom, over plain HTTP',
    { ...BROWSER, Host: '192.168.1.5:11023' },
  ]])('is refused to %s, also as HEAD', async (_, headers) => {
    const { send } = await serve();
    const answer = await send('GET', '/v1/backup', { headers });
    expect(outcomeOf(answer)).toEqual([403, 'forbidden']);
    expect((await send('HEAD', '/v1/backup', { headers })).status).toBe(403);
  });

  it('is refused to all that a document makes a browser ask for (decision D-172)', async () => {
    const { send } = await serve();
    for (const [name, headers] of SHOWN) {
      expect([name, ...outcomeOf(await send('GET', '/v1/backup', { headers }))]).toEqual([name, 403, 'forbidden']);
      expect([name, (await send('HEAD', '/v1/backup', { headers })).status]).toEqual([name, 403]);
    }
  });

  it.each([['a program', {}], ['curl', { 'User-Agent': 'curl/8.5.0' }], ['PowerShell', {
    'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.19045; en-US) PowerShell/7.4.6',
  }], ['a page of the server itself', { ...BROWSER, 'Sec-Fetch-Site': 'same-origin' }], [
    'a script of the server’s page',
    { ...BROWSER, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
  ], ['a script that asks its own origin only', {
    ...BROWSER,
    'Sec-Fetch-Site': 'same-origin',
    'Sec-Fetch-Mode': 'same-origin',
    'Sec-Fetch-Dest': 'empty',
  }], ['the person’s own extension', { ...BROWSER, 'Sec-Fetch-Site': 'none' }]])('is made for %s',
    async (_, headers) => {
      const { send } = await serve();
      expect((await send('GET', '/v1/backup?to=a.db', { headers })).json()).toMatchObject({
        backup: 'a.db',
        verified: true,
      });
    });
});

describe('a run queue whose reading is open', () => {
  const RUNS = '/api/v1/runs';

  it('is closed to pages of other sites, and its probes are open to all', async () => {
    const send = await serveRuns('shutdown_grace: 1s');
    const statusOf = async (path: string, headers: Record<string, string>) =>
      (await send('GET', path, { headers })).status;
    for (const headers of [{ Origin: EVIL }, { Origin: 'null' }, { Host: 'evil.example' }, {
      Host: 'evil.example',
      Origin: 'http://evil.example',
    }]) {
      expect([headers, await statusOf(RUNS, headers as Record<string, string>)]).toEqual([headers, 403]);
      expect(await statusOf('/healthz', headers as Record<string, string>)).toBe(200);
    }
    expect((await send('GET', RUNS, { headers: { Host: 'evil.example' } })).json()).toEqual({
      error: { code: 'forbidden', message: expect.stringMatching(/^Host "evil\.example" .*runtime\.api_token_env/) },
    });
    for (const headers of [{}, { Origin: 'http://localhost:3000' }, {
      Host: '10.0.0.1:11030',
      Origin: 'http://10.0.0.1:11030',
    }]) {
      expect([headers, await statusOf(RUNS, headers as Record<string, string>)]).toEqual([headers, 200]);
    }
    // Writing requires the token in any case.
    expect(
      (await send('POST', RUNS, { headers: { Origin: 'http://localhost:3000', ...JSON_TYPE }, body: '{}' })).status,
    ).toBe(401);
  });

  it('is as every other once the token is asked for', async () => {
    const send = await serveRuns('api_token_env: RUNS_API_TOKEN, shutdown_grace: 1s');
    const headers = { Host: 'runs.example.org', Origin: EVIL };
    expect((await send('GET', RUNS, { headers })).status).toBe(401);
    const answer = await send('GET', RUNS, {
      headers: { ...headers, Authorization: 'Bearer a-token-of-many-characters' },
    });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });
});
