import { status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeAuthority } from '../testkit/certificates.ts';
import { DocsProcess } from '../testkit/docs-process.ts';
import { type DocsServer, startDocsServer } from '../testkit/docs-server.ts';
import { GrpcClient } from '../testkit/grpc-client.ts';
import { HttpClient } from '../testkit/http-client.ts';

let folder: string;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-hardening-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

const AUTH = {
  SVC_AUTH_ENABLED: 'true',
  SVC_AUTH_JWT_SECRET: 's'.repeat(32),
  SVC_AUTH_ADMIN_PASSWORD: 'correct horse',
};
const HARDENED = {
  ...AUTH,
  SVC_TLS_INSECURE_OK: 'true',
  SVC_CORS_ORIGINS: 'https://app.example.org',
  SVC_AUDIT_ENABLED: 'true',
  SVC_RATE_LIMIT_ENABLED: 'true',
};

async function start(env: Record<string, string>): Promise<{ server: DocsServer; http: HttpClient }> {
  const server = await startDocsServer({ env, passwordCost: 4 });
  const http = new HttpClient(server.url);
  closers.push(() => server.stop(), () => http.close());
  return { server, http };
}

async function signIn(http: HttpClient): Promise<Record<string, string>> {
  const answer = await http.post('/v1/auth/login', { username: 'admin', password: 'correct horse' });
  return { Authorization: `Bearer ${answer.json<{ token: string }>().token}` };
}

describe('a production server', () => {
  it('does not start while controls are off: it lists them all, exits with 78 and opens no port', async () => {
    const ending = await DocsProcess.run(['--http-addr', '127.0.0.1:0', '--db', join(folder, 'quire.db')], {
      env: { SVC_PRODUCTION: 'true', SVC_AUDIT_ENABLED: 'true' },
    }).ended;
    expect([ending.code, ending.stdout]).toEqual([78, '']);
    expect(ending.stderr.trimEnd().split('\n').map((line) => line.split(':')[0])).toEqual(['SVC_AUTH_ENABLED',
      'SVC_AUTH_JWT_SECRET', 'SVC_TLS_ENABLED', 'SVC_CORS_ORIGINS', 'SVC_RATE_LIMIT_ENABLED']);
  });

  it('starts with all of them, and says so to everyone', async () => {
    const { http, server } = await start({ ...HARDENED, SVC_PRODUCTION: 'true' });
    const expected = { production: true, compliant: true, missing: [], missingCount: 0 };
    expect((await http.get('/v1/compliance-status')).json()).toEqual(expected);
    const grpc = new GrpcClient(server.listeners.grpc!.url);
    closers.push(() => grpc.close());
    expect(await grpc.call('ComplianceStatus', {})).toEqual({ ...expected, missingCount: '0' });
  });
});

describe('SIGHUP', () => {
  it('brings new certificates into a running process, which goes on', async () => {
    const authority = await makeAuthority();
    const [first, second] = [await authority.issue('server'), await authority.issue('server')];
    const place = async ({ cert, key }: typeof first) =>
      Promise.all([writeFile(join(folder, 'cert'), cert), writeFile(join(folder, 'key'), key)]);
    await place(first);
    const env = { SVC_TLS_ENABLED: 'true', SVC_TLS_CERT: join(folder, 'cert'), SVC_TLS_KEY: join(folder, 'key') };
    const server = DocsProcess.run(['--http-addr', '127.0.0.1:0', '--db', join(folder, 'quire.db')], { env });
    const { hostname: host, port } = new URL(await server.listening());
    const shown = async (): Promise<string> => {
      const socket = connect({ host, port: Number(port), ca: authority.cert });
      await once(socket, 'secureConnect');
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      return raw.toString('base64');
    };
    const base64Of = ({ cert }: typeof first): string => cert.replace(/-----[^-]+-----|\s/g, '');
    expect(await shown()).toBe(base64Of(first));
    await place(second);
    process.kill(server.pid, 'SIGHUP');
    await vi.waitFor(async () => expect(await shown()).toBe(base64Of(second)), { timeout: 5000 });
    expect((await server.end()).code).toBe(0);
  });
});

describe('what is closed by the settings', () => {
  it('is listed as such: metrics that need a credential', async () => {
    const entry = async (http: HttpClient, headers = {}) => (
      (await http.send('GET', '/v1/endpoints', { headers })).json<{ http: { path: string; requiresAuth: boolean }[] }>()
        .http.find(({ path }) => path === '/metrics')
    );
    const closed = await start({ ...AUTH, SVC_METRICS_PUBLIC: 'false' });
    expect((await closed.http.get('/metrics')).status).toBe(401);
    expect(await entry(closed.http, await signIn(closed.http))).toMatchObject({ requiresAuth: true });
    const open = await start(AUTH);
    expect(await entry(open.http, await signIn(open.http))).toMatchObject({ requiresAuth: false });
  });

  it('ends a watch when the right to it is withdrawn, by whatever change, and not those of others', async () => {
    const { server, http } = await start(AUTH);
    const admin = await signIn(http);
    const send = (path: string, body: object) =>
      http.send('POST', path, {
        headers: { ...admin, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const grpc = new GrpcClient(server.listeners.grpc!.url);
    closers.push(() => grpc.close());
    const tokens: Record<string, string> = {};
    for (const username of ['bob', 'eve', 'joe']) {
      await send('/v1/auth/register', { username, password: 'tr0ub4dor&3' });
      await send('/v1/auth/permissions', { username, collection: 'notes', read: true, write: false, admin: false });
      tokens[username] =
        (await http.post('/v1/auth/login', { username, password: 'tr0ub4dor&3' })).json<{ token: string }>().token;
    }
    const watch = async (username: string) => {
      const call = grpc.stream('Watch', { collection: 'notes' }, {
        metadata: { authorization: `Bearer ${tokens[username]!}` },
      });
      const ended = new Promise<number>((resolve) =>
        call.on('error', ({ code }: Error & { code: number }) => resolve(code))
      );
      await once(call, 'metadata');
      return { call, ended };
    };
    const [bob, eve, joe] = [await watch('bob'), await watch('eve'), await watch('joe')];
    await send('/v1/auth/permissions', {
      username: 'bob',
      collection: 'notes',
      read: false,
      write: false,
      admin: false,
    });
    expect(await bob.ended).toBe(status.PERMISSION_DENIED);
    await http.send('DELETE', '/v1/auth/users/eve', { headers: admin });
    expect(await eve.ended).toBe(status.UNAUTHENTICATED);
    const told = once(joe.call, 'data');
    await send('/v1/add', { collection: 'notes', key: 'a', lang: 'en', contentMd: 'a' });
    await told;
    joe.call.cancel();
  });
});
