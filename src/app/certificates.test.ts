import { credentials } from '@grpc/grpc-js';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { ConfigError } from '../lib/setting-values.ts';
import { type Certificate, makeAuthority } from '../testkit/certificates.ts';
import { GrpcClient } from '../testkit/grpc-client.ts';
import { type RunningDocumentService, startDocumentService } from './docs-service.ts';
import { type Environment, loadSettings } from './settings/index.ts';

let folder: string;
let ca: string;
let server: Certificate;
let member: Certificate;
let foreign: Certificate;
let service: RunningDocumentService | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-tls-'));
  const authority = await makeAuthority();
  ca = authority.cert;
  [server, member, foreign] = [await authority.issue('server'), await authority.issue('client'),
    await (await makeAuthority()).issue('client')];
  await writeFile(file('cert'), server.cert);
  await writeFile(file('key'), server.key);
  await writeFile(file('ca'), ca);
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

const file = (name: string): string => join(folder, name);

async function start(env: Environment = {}): Promise<RunningDocumentService> {
  const { settings } = loadSettings({
    env: {
      SVC_PATH: ':memory:',
      SVC_HTTP_ADDR: '127.0.0.1:0',
      SVC_GRPC_ADDR: '127.0.0.1:0',
      SVC_MCP_ADDR: '127.0.0.1:0',
      SVC_TLS_ENABLED: 'true',
      SVC_TLS_CERT: file('cert'),
      SVC_TLS_KEY: file('key'),
      ...env,
    },
  });
  return (service = await startDocumentService({ settings, log: silentLog }));
}

/** Status and headers of an answer over TLS. */
async function get(url: string,
  options: RequestOptions = {}): Promise<{ status: number | undefined; headers: Record<string, unknown> }>
{
  const sent = request(url, { ca, agent: false, ...options });
  sent.end();
  const [response] = await once(sent, 'response') as [IncomingMessage];
  response.resume();
  return { status: response.statusCode, headers: response.headers };
}

/** Whether gRPC answers a client with a certificate, or with none. */
async function answersGrpc({ listeners }: RunningDocumentService, own?: Certificate): Promise<boolean> {
  const secure = own === undefined
    ? credentials.createSsl(Buffer.from(ca))
    : credentials.createSsl(Buffer.from(ca), Buffer.from(own.key), Buffer.from(own.cert));
  const client = new GrpcClient(listeners.grpc!.url, { credentials: secure });
  try {
    await client.call('Health', {}, { deadline: Date.now() + 10_000 });
    return true;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

describe('with TLS', () => {
  it('every port speaks it and nothing else, and instructs browsers to stay with it', async () => {
    const running = await start();
    expect([running.url, running.listeners.mcp!.url].map((url) => new URL(url).protocol)).toEqual(['https:', 'https:']);
    const health = await get(`${running.url}/health`);
    expect([health.status, health.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    const mcp = await get(running.listeners.mcp!.url);
    expect([mcp.status, mcp.headers['strict-transport-security']]).toEqual([400, 'max-age=31536000']);
    expect(await answersGrpc(running)).toBe(true);
    await expect(fetch(running.url.replace('https', 'http'))).rejects.toThrow();
    await expect(get(`${running.url}/health`, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
  });

  it('and an authority of clients, none is let in without a certificate of it', async () => {
    const running = await start({ SVC_TLS_CLIENT_CA: file('ca') });
    for (const own of [undefined, foreign]) {
      await expect(get(`${running.url}/health`, { ...own })).rejects.toThrow();
      await expect(get(running.listeners.mcp!.url, { ...own })).rejects.toThrow();
      expect(await answersGrpc(running, own)).toBe(false);
    }
    expect((await get(`${running.url}/health`, { ...member })).status).toBe(200);
    expect((await get(running.listeners.mcp!.url, { ...member })).status).toBe(400);
    expect(await answersGrpc(running, member)).toBe(true);
  });

  it('that only asks for certificates, clients may do without', async () => {
    const running = await start({ SVC_TLS_CLIENT_CA: file('ca'), SVC_TLS_CLIENT_AUTH: 'request' });
    expect((await get(`${running.url}/health`)).status).toBe(200);
    expect((await get(`${running.url}/health`, { ...member })).status).toBe(200);
    expect(await answersGrpc(running)).toBe(true);
  });

  it('and a file that cannot be read, nothing is served', async () => {
    await expect(start({ SVC_TLS_KEY: file('missing') })).rejects.toEqual(
      new ConfigError([`SVC_TLS_KEY: ${file('missing')} cannot be read: ENOENT`]),
    );
    await expect(start({ SVC_TLS_KEY: file('cert') })).rejects.toThrow();
  });
});
