import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../../generated/runs/operations.ts';
import { CONFIG, RunsApi, TOKEN } from '../../testkit/runs-api.ts';

let api: RunsApi;
beforeEach(async () => {
  api = await RunsApi.start();
});
afterEach(() => api.stop());

const OTHER = 'another-token-of-many';
/** A request with only the passed credentials. */
const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  api.client.send(method, path.replace('{id}', '0'.repeat(32)), { headers });
const byAccess = (access: string) => Object.values(operations).filter((operation) => operation.access === access);

describe('without a token', () => {
  it('every operation but those of health returns 401 and how to sign in', async () => {
    for (const { id, method, path } of [...byAccess('write'), ...byAccess('read'), ...byAccess('user')]) {
      const answer = await ask(method, path);
      expect([answer.status, answer.text, answer.headers['www-authenticate']], id).toEqual([401,
        '{"error":{"code":"unauthenticated"}}', 'Bearer']);
    }
    expect(byAccess('public').map(({ id }) => id).sort()).toEqual(['finishOidcSignIn', 'getIdTokenConfiguration',
      'getIdTokenKeys', 'getLiveness', 'getReadiness', 'getSignInMethods', 'receiveForgeEvent', 'startOidcSignIn']);
    expect((await ask('GET', '/healthz')).status).toBe(200);
  });

  it('reads are open where no token is configured, and writes still are not', async () => {
    api.loaded = { ...api.loaded, apiTokens: [] };
    expect((await ask('GET', '/api/v1/runs')).status).toBe(200);
    expect((await ask('GET', '/metrics')).status).toBe(200);
    for (const { id, method, path } of byAccess('write'))
      expect((await ask(method, path, { Authorization: `Bearer ${TOKEN}` })).status, id).toBe(401);
  });
});

describe('a bearer token', () => {
  const status = async (authorization: string, path = '/api/v1/audit', more = {}) =>
    (await ask('GET', path, { Authorization: authorization, ...more })).status;

  it('lets in, whatever the letters of its scheme', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) expect(await status(`${scheme} ${TOKEN}`)).toBe(200);
  });

  it('is taken for what it is and nothing else', async () => {
    const wrong = [`Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, 'Bearer', 'Bearer  ', TOKEN, `Basic ${TOKEN}`,
      `Bearer ${TOKEN} ${TOKEN}`, `Bearer ${TOKEN.toUpperCase()}`];
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
  it('returns 404 or 405, as the contract has it', async () => {
    expect((await ask('GET', '/api/v1/nothing')).text).toBe('{"error":{"code":"not_found"}}');
    const wrong = await ask('DELETE', '/api/v1/runs');
    expect([wrong.status, wrong.text, wrong.headers['allow']]).toEqual([405, '{"error":{"code":"method_not_allowed"}}',
      'GET, HEAD, POST']);
  });
});

describe('a token of the configuration', () => {
  const entry = (name: string, rest: string): string =>
    `  - {name: ${name}, sha256: ${createHash('sha256').update(`the-token-of-${name}`).digest('hex')}, ${rest}}\n`;
  const configure = (...entries: string[]): void => api.configure(`${CONFIG}tokens:\n${entries.join('')}`);
  const as = (name: string, method: string, path: string, body?: object, key = `key-of-${name}`) =>
    api.send(method, path, { headers: { Authorization: `Bearer the-token-of-${name}` }, ...(body && { body, key }) });
  const RUN = { project_id: 'beta', kind: 'diagnostic' };

  it('does what its scopes say and nothing else, and says what is missing', async () => {
    configure(entry('ci', 'scopes: [submit]'), entry('eye', 'scopes: [read]'), entry('bell', 'scopes: [alerts]'),
      entry('root', 'scopes: [admin]'));
    const alert = { version: '4', status: 'resolved', groupKey: 'g', commonLabels: {}, alerts: [] };
    const statuses = async (
      name: string,
    ) => [(await as(name, 'POST', '/runs', RUN)).status, (await as(name, 'GET', '/runs')).status,
      (await as(name, 'POST', '/webhooks/alertmanager', alert)).status, (await as(name, 'GET', '/audit')).status];
    expect(await statuses('ci')).toEqual([202, 403, 403, 403]);
    expect(await statuses('eye')).toEqual([403, 200, 403, 403]);
    expect(await statuses('bell')).toEqual([403, 403, 200, 403]);
    expect(await statuses('root')).toEqual([202, 200, 200, 200]);
    expect((await as('eye', 'POST', '/runs', RUN)).json()).toEqual({
      error: { code: 'forbidden', message: 'enqueueRun takes the scope submit; token:eye has read' },
    });
  });

  it('ends when it expires, and is distinguished in the audit log', async () => {
    configure(entry('ci', 'scopes: [submit, read], expires: 2026-01-02'));
    expect((await as('ci', 'POST', '/runs', RUN)).status).toBe(202);
    expect((await api.send('GET', '/audit')).json<{ data: { actor: string }[] }>().data[0]!.actor).toBe('token:ci');
    api.clock.ms = Date.parse('2026-01-01T23:59:59Z');
    expect((await as('ci', 'GET', '/runs')).status).toBe(200);
    api.clock.ms += 1000;
    expect((await as('ci', 'GET', '/runs')).status).toBe(401);
  });

  it('for some projects sees and queues their runs alone', async () => {
    configure(entry('ci', 'scopes: [submit, read], projects: [beta]'));
    const [own, other] = [await api.queued('own-key-1', 'beta'), await api.queued('other-key-1', 'alpha')];
    expect((await as('ci', 'POST', '/runs', { ...RUN, project_id: 'alpha' })).json()).toEqual({
      error: { code: 'forbidden', message: 'token:ci is not for the project alpha' },
    });
    for (const [method, path] of [['GET', ''], ['POST', '/cancel'], ['GET', '/result']] as const) {
      expect((await as('ci', method, `/runs/${other}${path}`)).json(), path).toEqual({
        error: { code: 'run_not_found' },
      });
    }
    expect((await as('ci', 'GET', `/runs/${own}`)).status).toBe(200);
    expect((await as('ci', 'GET', '/runs')).json()).toMatchObject({ error: { code: 'forbidden' } });
    expect((await as('ci', 'GET', '/runs?project_id=beta')).json<{ data: unknown[] }>().data).toHaveLength(1);
  });

  it('for some projects reaches no run of others by any operation that names a run', async () => {
    configure(entry('ci', 'scopes: [submit, approve, read, alerts], projects: [beta]'),
      entry('root', 'scopes: [admin]'));
    const other = await api.queued('other-key-1', 'alpha');
    for (const { id, method, path } of Object.values(operations).filter((operation) =>
      operation.path.includes('/runs/{id}')
    )) {
      const below = path.slice('/api/v1'.length).replace('{id}', other).replaceAll(/\{\w+\}/g, 'x');
      const answer = (await as('ci', method, below, id === 'retryRun' || id === 'rerunRun' ? {} : undefined)).json<
        { error?: { code: string } }
      >();
      // Deleting logs takes the scope admin, which no token for some projects can have; this server stores no
      // artefacts.
      expect(['run_not_found', 'forbidden', 'not_implemented'], id).toContain(answer.error?.code);
    }
    expect((await as('root', 'GET', `/runs/${other}`)).json()).toMatchObject({ data: { state: 'queued' } });
  });

  it('for some projects does not learn which runs and schedules others have', async () => {
    api.configure(
      `${CONFIG}schedules: [{name: nightly, project: alpha, cron: '0 3 * * *', kind: diagnostic}]\ntokens:\n${
        entry('ci', 'scopes: [submit, read], projects: [beta]')
      }`,
    );
    const [other, none] = [await api.queued('other-key-1', 'alpha'), '0'.repeat(32)];
    // Each of these requests has something wrong that is checked after its run.
    for (const [method, path] of [['POST', '/retry'], ['GET', '/logs?offset=x'], ['GET',
      '/logs/stream?offset=x']] as const)
    {
      const answers = await Promise.all(
        [other, none].map((id) => as('ci', method, `/runs/${id}${path}`, undefined, '')),
      );
      expect(answers.map((answer) => answer.json()), path).toEqual([{ error: { code: 'run_not_found' } }, {
        error: { code: 'run_not_found' },
      }]);
    }
    for (const name of ['nightly', 'nightley']) {
      expect((await as('ci', 'POST', `/schedules/alpha/${name}/run`)).json(), name).toEqual({
        error: { code: 'forbidden', message: 'token:ci is not for the project alpha' },
      });
    }
  });

  it('for some projects sees the caches of those alone, and deletes none without the scope admin', async () => {
    configure(entry('ci', 'scopes: [submit, read], projects: [beta]'));
    expect((await as('ci', 'GET', '/projects/beta/caches')).status).toBe(200);
    expect((await as('ci', 'GET', '/projects/alpha/caches')).json()).toMatchObject({
      error: { code: 'project_not_found' },
    });
    expect((await as('ci', 'DELETE', '/projects/beta/caches?prefix=')).json()).toEqual({
      error: { code: 'forbidden', message: 'deleteCaches takes the scope admin; token:ci has submit, read' },
    });
  });

  it('closes reading, unless it is configured to be open', async () => {
    api.loaded = { ...api.loaded, apiTokens: [] };
    configure(entry('ci', 'scopes: [submit]'));
    expect((await ask('GET', '/api/v1/runs')).status).toBe(401);
    api.configure(`${CONFIG}runtime: {public_reads: true}\ntokens:\n${entry('ci', 'scopes: [submit]')}`);
    expect((await ask('GET', '/api/v1/runs')).status).toBe(200);
    expect((await as('ci', 'GET', '/audit')).status).toBe(403);
  });
});
