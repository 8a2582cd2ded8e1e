import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../../generated/runs/operations.ts';
import { RunsApi, TOKEN } from '../../testkit/runs-api.ts';

let api: RunsApi;
beforeEach(async () => {
  api = await RunsApi.start();
});
afterEach(() => api.stop());

const OTHER = 'another-token-of-many';
/** A request without any credential but what is given. */
const ask = (method: string, path: string, headers: Record<string, string> = {}) => api.client.send(method, path.replace('{id}', '0'.repeat(32)), { headers });
const byAccess = (access: string) => Object.values(operations).filter((operation) => operation.access === access);

describe('without a token', () => {
  it('every operation but those of health answers 401 and how to sign in', async () => {
    for (const { id, method, path } of [...byAccess('write'), ...byAccess('read')]) {
      const answer = await ask(method, path);
      expect([answer.status, answer.text, answer.headers['www-authenticate']], id).toEqual([401, '{"error":{"code":"unauthenticated"}}', 'Bearer']);
    }
    expect(byAccess('public').map(({ id }) => id)).toEqual(['getLiveness', 'getReadiness']);
    expect((await ask('GET', '/healthz')).status).toBe(200);
  });

  it('reads are open where no token is configured, and writes still are not', async () => {
    api.loaded = { ...api.loaded, apiTokens: [] };
    expect((await ask('GET', '/api/v1/runs')).status).toBe(200);
    expect((await ask('GET', '/metrics')).status).toBe(200);
    for (const { id, method, path } of byAccess('write')) expect((await ask(method, path, { Authorization: `Bearer ${TOKEN}` })).status, id).toBe(401);
  });
});

describe('a bearer token', () => {
  const status = async (authorization: string, path = '/api/v1/audit', more = {}) => (await ask('GET', path, { Authorization: authorization, ...more })).status;

  it('lets in, whatever the letters of its scheme', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) expect(await status(`${scheme} ${TOKEN}`)).toBe(200);
  });

  it('is taken for what it is and nothing else', async () => {
    const wrong = [`Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, 'Bearer', 'Bearer  ', TOKEN, `Basic ${TOKEN}`, `Bearer ${TOKEN} ${TOKEN}`, `Bearer ${TOKEN.toUpperCase()}`];
    for (const authorization of wrong) expect(await status(authorization), authorization).toBe(401);
    expect((await ask('GET', '/api/v1/audit', { 'X-API-Key': TOKEN })).status).toBe(401);
  });

  it('counts beside an X-API-Key that some proxy has added', async () => {
    expect(await status(`Bearer ${TOKEN}`, '/api/v1/audit', { 'X-API-Key': 'of-the-proxy' })).toBe(200);
  });

  it('may be one of two, and changes with the configuration', async () => {
    api.loaded = { ...api.loaded, apiTokens: [TOKEN, OTHER] };
    expect([await status(`Bearer ${TOKEN}`), await status(`Bearer ${OTHER}`)]).toEqual([200, 200]);
    api.loaded = { ...api.loaded, apiTokens: [OTHER] };
    expect([await status(`Bearer ${TOKEN}`), await status(`Bearer ${OTHER}`)]).toEqual([401, 200]);
  });
});

describe('a path that is not there', () => {
  it('answers 404 or 405, as the contract has it', async () => {
    expect((await ask('GET', '/api/v1/nothing')).text).toBe('{"error":{"code":"not_found"}}');
    const wrong = await ask('DELETE', '/api/v1/runs');
    expect([wrong.status, wrong.text, wrong.headers['allow']]).toEqual([405, '{"error":{"code":"method_not_allowed"}}', 'GET, HEAD, POST']);
  });
});
