import { connectAsync, type Http3ClientSession } from '@currentspace/http3';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as playwright } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningDocumentService, startDocumentService } from '../src/app/docs-service.ts';
import { type Environment, loadSettings } from '../src/app/settings/index.ts';
import { type Log, silentLog } from '../src/lib/log.ts';
import { type Authority, type Certificate, makeAuthority } from '../src/testkit/certificates.ts';
import { chromiumPath } from './support/chromium.ts';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer;
}

let folder: string;
let authority: Authority;
let certificate: Certificate;
let service: RunningDocumentService;
let session: Http3ClientSession;
const warnings: string[] = [];
const errors: unknown[] = [];
const log: Log = {
  ...silentLog,
  warn: (fields: { reason?: string }, message: string) => void warnings.push(`${message}: ${fields.reason ?? ''}`),
  error: (fields: object) => void errors.push(fields),
} as Log;

const file = (name: string): string => join(folder, name);
const TLS = (): Environment => ({ SVC_TLS_ENABLED: 'true', SVC_TLS_CERT: file('cert'), SVC_TLS_KEY: file('key') });

function start(env: Environment): Promise<RunningDocumentService> {
  const { settings } = loadSettings({
    env: {
      SVC_PATH: ':memory:',
      SVC_HTTP_ADDR: '127.0.0.1:0',
      SVC_GRPC_ENABLED: 'false',
      SVC_MCP_ENABLED: 'false',
      SVC_EXTREME: 'true',
      SVC_HTTP3_ADDR: '127.0.0.1:0',
      ...env,
    },
  });
  return startDocumentService({ settings, log });
}

async function place({ cert, key }: Certificate): Promise<void> {
  await writeFile(file('cert'), cert);
  await writeFile(file('key'), key);
}

const portOf = (running: RunningDocumentService): string => new URL(running.listeners.http3!.url).port;
const connectTo = (running: RunningDocumentService): Promise<Http3ClientSession> =>
  connectAsync(`127.0.0.1:${portOf(running)}`, {
    ca: authority.cert,
    servername: 'localhost',
    runtimeMode: 'portable',
    connectTimeoutMs: 2000,
  });

async function send(method: string, path: string, body?: string | Buffer,
  { over = session, headers = {} }: { over?: Http3ClientSession; headers?: Record<string, string> } = {}
): Promise<Answer> {
  const stream = over.request({
    ':method': method,
    ':path': path,
    ':authority': 'localhost',
    ':scheme': 'https',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }, { endStream: body === undefined });
  const parts: Buffer[] = [];
  // Read immediately: the library discards unread data when a stream ends.
  stream.on('data', (part) => parts.push(part as Buffer));
  const complete = Promise.all([once(stream, 'response') as Promise<[Record<string, string | string[]>]>,
    once(stream, 'end')]);
  if (body !== undefined) stream.end(body);
  const [[given]] = await complete;
  return { status: Number(given[':status']), headers: given, body: Buffer.concat(parts) };
}

const json = ({ body }: Answer): Record<string, unknown> => JSON.parse(body.toString()) as Record<string, unknown>;
const name = (key: string): string => JSON.stringify({ collection: 'c', key, lang: 'en' });
const document = (key: string, contentMd: string): string =>
  JSON.stringify({ collection: 'c', key, lang: 'en', contentMd });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-http3-'));
  authority = await makeAuthority();
  certificate = await authority.issue('server');
  await place(certificate);
  service = await start(TLS());
  session = await connectTo(service);
});
afterAll(async () => {
  await session.close();
  await service.stop();
  await rm(folder, { recursive: true });
});

describe('HTTP/3', () => {
  it('serves the operations of HTTP', async () => {
    expect((await send('POST', '/v1/add', document('a', 'a quokka'))).status).toBe(200);
    expect(json(await send('POST', '/v1/fts', JSON.stringify({ collection: 'c', query: 'quokka' })))).toMatchObject({
      total: 1,
    });
    expect(json(await send('POST', '/v1/get', name('a')))).toMatchObject({ contentMd: 'a quokka' });
  });

  it('returns errors as HTTP does, with its headers and none of a connection', async () => {
    const answer = await send('POST', '/v1/get', name('missing'));
    expect(answer.status).toBe(404);
    expect(json(answer)).toMatchObject({ code: 'not_found' });
    expect(answer.headers).toMatchObject({
      'x-request-id': expect.any(String),
      'strict-transport-security': expect.any(String),
    });
    expect(Object.keys(answer.headers)).not.toContain('connection');
    expect(await send('HEAD', '/health').then(({ status, body }) => [status, body.length])).toEqual([200, 0]);
  });

  it('carries bodies of megabytes both ways', async () => {
    const text = 'words of a long body, one after the other\n'.repeat(80_000);
    expect((await send('POST', '/v1/add', document('long', text))).status).toBe(200);
    expect(json(await send('POST', '/v1/get', name('long')))['contentMd'] === text).toBe(true);
  });

  it('serves many requests of a connection at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) => send('POST', '/v1/add', document(`many-${i}`, `text ${i}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it.each([['a field of a connection', { connection: 'close' }], ['a longer body than announced', {
    'content-length': '3',
  }], ['a shorter body than announced', { 'content-length': '3000' }]])('resets a request with %s, and goes on',
    async (_, headers) => {
      await expect(
        Promise.race([send('POST', '/v1/add', document('wrong', 'text'), { headers }).then(({ status }) =>
          status >= 400 || Promise.reject(new Error(`answered ${status}`)), () =>
          true)]),
      ).resolves.toBe(true);
      expect((await send('GET', '/health')).status).toBe(200);
    });

  it('resets a request that announces a body and has none', async () => {
    await expect(send('GET', '/health', undefined, { headers: { 'content-length': '5' } })).rejects.toThrow(
      'stream reset',
    );
    expect((await send('GET', '/health')).status).toBe(200);
  });

  it('is announced by HTTP over TLS, and in the configuration', async () => {
    const sent = httpsRequest(`${service.url}/v1/config`, { agent: false, ca: authority.cert });
    sent.end();
    const [response] = await once(sent, 'response') as [IncomingMessage];
    const { protocols } = await new Response(response as never).json() as {
      protocols: { http3: { enabled: boolean } };
    };
    expect(response.headers['alt-svc']).toBe(`h3=":${portOf(service)}"; ma=86400`);
    expect(protocols.http3.enabled).toBe(true);
  });

  it('is what browsers use with it', async (context) => {
    const pin = createHash('sha256').update(
      new X509Certificate(certificate.cert).publicKey.export({ type: 'spki', format: 'der' }),
    ).digest('base64');
    const browser = await chromiumPath().then((executablePath) =>
      playwright.launch({
        executablePath,
        headless: true,
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-quic',
          `--origin-to-force-quic-on=localhost:${portOf(service)}`, `--ignore-certificate-errors-spki-list=${pin}`,
          '--host-resolver-rules=MAP localhost 127.0.0.1'],
      })
    ).catch((error: Error) => error);
    if (browser instanceof Error) return context.skip(`no browser starts here: ${browser.message.split('\n')[0]}`);
    try {
      const page = await browser.newPage();
      // Its fetch has failed on a busy machine: a browser that must use QUIC has nothing to fall back on.
      await vi.waitFor(async () => {
        await page.goto(`https://localhost:${portOf(service)}/health`);
        const { protocol, found } = await page.evaluate(async () => ({
          protocol: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).nextHopProtocol,
          found: await fetch('/v1/fts', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{"collection":"c","query":"quokka"}',
          }).then((response) => response.json() as Promise<{ total: number }>),
        }));
        expect([protocol, found.total]).toEqual(['h3', 1]);
      }, { timeout: 45_000 });
    } finally {
      await browser.close();
    }
  });

  it('shows a new certificate to the clients that come after it', async () => {
    const port = portOf(service);
    const second = await authority.issue('server');
    await place(second);
    await service.reload!();
    await vi.waitFor(async () => {
      session = await connectTo(service);
      expect((await send('GET', '/health')).status).toBe(200);
    }, { timeout: 10_000 });
    expect([portOf(service), errors]).toEqual([port, []]);
  });
});

describe('HTTP/3 in an access mode of its own', () => {
  it('refuses writes where HTTP takes them', async () => {
    const reading = await start({ ...TLS(), SVC_HTTP3_MODE: 'read' });
    const over = await connectTo(reading);
    expect((await send('POST', '/v1/add', document('a', 'x'), { over })).status).toBe(403);
    expect((await send('POST', '/graphql', '{"query":"{ __typename }"}', { over })).status).toBe(404);
    await over.close();
    await reading.stop();
  });

  it('counts its requests by the address of the client', async () => {
    const limited = await start({
      ...TLS(),
      SVC_RATE_LIMIT_ENABLED: 'true',
      SVC_RATE_LIMIT_REQUESTS: '2',
      SVC_RATE_LIMIT_WINDOW: '60s',
      SVC_RATE_LIMIT_BURST: '0',
    });
    const over = await connectTo(limited);
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await send('GET', '/v1/collections', undefined, { over })).status);
    expect(statuses).toContain(429);
    await over.close();
    await limited.stop();
  });
});

describe('extreme mode', () => {
  const started = async (env: Environment): Promise<string | undefined> => {
    warnings.length = 0;
    const running = await start(env);
    expect(running.listeners.http3).toBeUndefined();
    await running.stop();
    return warnings.find((warning) => warning.includes('HTTP/3'));
  };

  it('starts without HTTP/3 where there is no certificate, and says so', async () => {
    expect(await started({})).toContain('set SVC_TLS_ENABLED');
  });

  it('starts without HTTP/3 where clients must show certificates, which its library cannot ask for', async () => {
    await writeFile(file('ca'), authority.cert);
    expect(await started({ ...TLS(), SVC_TLS_CLIENT_CA: file('ca') })).toContain('SVC_TLS_CLIENT_CA');
  });

  it('starts without HTTP/3 where the port is taken', async () => {
    expect(await started({ ...TLS(), SVC_HTTP3_ADDR: `127.0.0.1:${portOf(service)}` })).toMatch(
      /HTTP\/3 is not served.*port|address|use/i,
    );
  });
});
