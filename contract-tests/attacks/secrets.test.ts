import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DocsProcess } from '../../src/testkit/docs-process.ts';
import { HttpClient } from '../../src/testkit/http-client.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await DocsProcess.killAll();
});

/** Each secret is passed to the server in a different way, and no response may ever contain one. */
const SECRETS = {
  jwt: 'jwt-secret-f3b1c09a77d24e6b8a5d',
  password: 'admin-password-7d1e',
  wrongPassword: 'wrong-password-c4a9',
  userPassword: 'user-password-91bc',
  providerKey: 'sk-provider-key-55e0a1d2c3b4f6',
  encryption: Buffer.alloc(32, 'quire key').toString('base64'),
  token: 'bearer-token-e2f4',
  apiKey: 'svc_live_0123456789abcdef0123456789abcdef0123456789abcdef',
  inQuery: 'query-secret-aa17',
  cookie: 'cookie-secret-b8d3',
  webhook: 'webhook-token-6c2f',
};

/** A provider that repeats the request in its error message, as some do. */
async function startEcho(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'Content-Type': 'application/json' }).end(
      JSON.stringify({ error: { message: `invalid key ${request.headers.authorization}` } }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe('a secret', () => {
  it('is neither in the log at its loudest nor in an error', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-secrets-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const server = DocsProcess.run([], {
      env: {
        SVC_PATH: join(folder, 'quire.db'),
        SVC_HTTP_ADDR: '127.0.0.1:0',
        SVC_LOG_LEVEL: 'debug',
        SVC_LOG_FORMAT: 'json',
        SVC_ACCESS_LOG: 'true',
        SVC_AUTH_ENABLED: 'true',
        SVC_AUTH_JWT_SECRET: SECRETS.jwt,
        SVC_AUTH_ADMIN_PASSWORD: SECRETS.password,
        SVC_ENCRYPTION_KEY: SECRETS.encryption,
        SVC_AUDIT_ENABLED: 'true',
        SVC_AUDIT_EXPORT_WEBHOOK_URL: `http://127.0.0.1:9/?token=${SECRETS.webhook}`,
        SVC_AUDIT_EXPORT_WEBHOOK_HEADER: `X-Token: ${SECRETS.webhook}`,
      },
    });
    const client = new HttpClient(await server.listening());
    cleanups.push(() => client.close());
    const said: string[] = [];
    const send = async (method: string, path: string, headers: Record<string, string>,
      body?: object): Promise<string> =>
    {
      const { text } = await client.send(method, path, {
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      said.push(text);
      return text;
    };
    const login = await client.post('/v1/auth/login', { username: 'admin', password: SECRETS.password });
    const { token } = login.json<{ token: string }>();
    const admin = { Authorization: `Bearer ${token}` };
    await send('POST', '/v1/auth/login', {}, { username: 'admin', password: SECRETS.wrongPassword });
    await send('POST', '/v1/auth/login', {}, { username: ['admin'], password: [SECRETS.wrongPassword] });
    await send('POST', '/v1/auth/register', admin, { username: 'bad name', password: SECRETS.userPassword });
    await send('POST', '/v1/auth/register', admin, {
      username: 'ann',
      password: SECRETS.userPassword,
      admin: 'no boolean',
    });
    await send('GET', '/v1/auth/me', { Authorization: `Bearer ${SECRETS.token}`, Cookie: `session=${SECRETS.cookie}` });
    await send('GET', '/v1/auth/me', { 'X-API-Key': SECRETS.apiKey });
    await send('GET', `/v1/auth/me?api_key=${SECRETS.inQuery}&token=${SECRETS.inQuery}`, {
      Referer: `http://a/?token=${SECRETS.inQuery}`,
    });
    await send('GET', `/nowhere?password=${SECRETS.inQuery}`, {});
    await send('POST', '/v1/embedding-configs', admin, {
      name: 'n',
      provider: 'openai',
      apiKey: `${SECRETS.providerKey} with a space`,
    });
    await send('POST', '/v1/embedding-configs', admin, {
      name: 'n',
      provider: 'openai',
      apiKey: SECRETS.providerKey,
      apiUrl: await startEcho(),
      isDefault: true,
    });
    await send('POST', '/v1/classify', admin, { text: 'a', labels: ['b'] });
    await send('GET', '/v1/embedding-configs', admin);
    await send('GET', '/v1/config', admin);
    await send('GET', '/v1/audit', admin);
    await send('GET', '/v1/audit/exporters', admin);
    const { stdout, stderr } = await server.end();
    expect(stdout + stderr).toContain('/v1/auth/me');
    expect(said.join('\n')).toContain('invalid key');
    for (const [name, secret] of Object.entries({ ...SECRETS, login: token })) {
      expect((stdout + stderr).includes(secret), `${name} was logged: ${lineWith(stdout + stderr, secret)}`).toBe(
        false,
      );
      expect(said.join('\n').includes(secret), `${name} was answered: ${lineWith(said.join('\n'), secret)}`).toBe(
        false,
      );
    }
  }, 30_000);

  it('is not shown by what refuses the settings', async () => {
    const { code, stdout, stderr } = await DocsProcess.run([], {
      env: {
        SVC_PATH: ':memory:',
        SVC_AUTH_ENABLED: 'true',
        SVC_AUTH_JWT_SECRET: SECRETS.jwt,
        SVC_AUTH_ADMIN_PASSWORD: SECRETS.password.repeat(6),
        SVC_ENCRYPTION_KEY: `${SECRETS.encryption}x`,
        SVC_EMBEDDING_PROVIDER: 'openai',
        SVC_EMBEDDING_API_KEY: `${SECRETS.providerKey} x`,
        SVC_AUDIT_EXPORT_WEBHOOK_HEADER: SECRETS.webhook,
      },
    }).ended;
    expect(code).not.toBe(0);
    for (const [name, secret] of Object.entries(SECRETS))
      expect((stdout + stderr).includes(secret), `${name} was shown: ${lineWith(stdout + stderr, secret)}`).toBe(false);
  }, 30_000);
});

const lineWith = (text: string, part: string): string => text.split('\n').find((line) => line.includes(part)) ?? '';
