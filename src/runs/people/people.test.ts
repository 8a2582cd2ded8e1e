import { generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../testkit/http-client.ts';
import { browse, CLIENT, LocalIssuer, REDIRECT } from '../../testkit/local-issuer.ts';
import { CONFIG, RunsApi } from '../../testkit/runs-api.ts';

const ROLES = `
    - {role: viewer, groups: [staff]}
    - {role: submitter, groups: [alpha-devs], projects: [alpha]}
    - {role: approver, people: [ben@example.org], projects: [beta]}
    - {role: admin, people: ['sub:sub-of-eve'], projects: [beta]}
    - {role: admin, groups: [ops]}`;

let issuer: LocalIssuer;
let api: RunsApi;
const config = (more = '', roles = ROLES): string =>
  `${CONFIG}schedules:\n${
    ['alpha', 'beta'].map((project) =>
      `  - {name: nightly, project: ${project}, cron: '0 3 * * *', kind: diagnostic}\n`
    ).join('')
  }oidc:\n  issuer: ${issuer.url}\n  client_id: ${CLIENT.id}\n  client_secret_env: OIDC_SECRET\n  redirect_uri: ${REDIRECT}\n  ${more}\n  roles:${roles}\n`;

beforeAll(async () => {
  issuer = await LocalIssuer.start();
});
afterAll(() => issuer.stop());
beforeEach(async () => {
  issuer.account = 'sub-of-anna';
  issuer.refuses = false;
  issuer.claims = { email: 'anna@example.org', email_verified: true, preferred_username: 'anna', groups: ['staff'] };
  api = await RunsApi.start({ config: config(), variables: { OIDC_SECRET: CLIENT.secret } });
  api.clock.ms = Math.floor(Date.now() / 1000) * 1000;
});
afterEach(() => api.stop());

const post = (path: string, body: object, token?: string): Promise<Answer> =>
  api.client.send('POST', `/api/v1${path}`, {
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': `key-of-${path}`,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
const get = (path: string, token: string): Promise<Answer> =>
  api.client.send('GET', `/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } });

interface Session {
  readonly token: string;
  readonly expires_at: number;
  readonly name: string;
  readonly sign_out_url: string;
}

/** Does all steps of a browser's sign-in. */
async function finish(): Promise<Answer> {
  const { data: { url, flow } } = (await post('/auth/oidc/start', {})).json<{ data: { url: string; flow: string } }>();
  return post('/auth/oidc/finish', { flow, query: await browse(url) });
}
async function signIn(): Promise<Session> {
  const answer = await finish();
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json<{ data: Session }>().data;
}

const RUN = { project_id: 'alpha', kind: 'diagnostic' };
const code = (
  answer: Answer,
): string => (answer.status < 300 ? 'in' : answer.json<{ error: { code: string } }>().error.code);

describe('a person who signs in', () => {
  it('gets a session with the rights of the roles, whose name is in the audit log', async () => {
    expect((await api.client.send('GET', '/api/v1/auth/methods')).json()).toEqual({ data: { oidc: true } });
    issuer.claims = { ...issuer.claims, groups: ['staff', 'alpha-devs'] };
    const { token, expires_at: expiresAt, name, sign_out_url: signOut } = await signIn();
    expect([name, expiresAt, new URL(signOut).origin]).toEqual(['user:anna@example.org', api.clock.ms / 1000 + 43_200,
      issuer.url]);
    expect((await get('/auth/me', token)).json()).toEqual({
      data: {
        name: 'user:anna@example.org',
        expires_at: expiresAt,
        grants: [{ scopes: ['read'], projects: null }, { scopes: ['read', 'submit'], projects: ['alpha'] }],
      },
    });
    expect((await get('/runs', token)).status).toBe(200);
    const queued = await post('/runs', RUN, token);
    expect([queued.status, queued.json<{ data: { source: { by: string } } }>().data.source.by]).toEqual([202,
      'user:anna@example.org']);
    expect((await post('/runs', { ...RUN, project_id: 'beta' }, token)).json()).toEqual({
      error: { code: 'forbidden', message: 'user:anna@example.org is not for the project beta' },
    });
    const entries = (await api.send('GET', '/audit')).json<{ data: { actor: string; action: string }[] }>().data;
    expect(entries.map(({ actor, action }) => `${actor} ${action}`)).toEqual(['user:anna@example.org enqueue',
      'user:anna@example.org login']);
    // What is stored cannot be used.
    const [row] = await api.sql.all('SELECT * FROM sessions');
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it('approves by name, in the projects of the role', async () => {
    issuer.account = 'sub-of-ben';
    issuer.claims = { ...issuer.claims, email: 'ben@example.org', groups: [] };
    const { token } = await signIn();
    api.configure(config().replace('exec: [make]}]', 'exec: [make]}], approval: {required: true}'));
    const queued = await api.enqueue('for-ben-1', { project_id: 'beta', kind: 'pipeline', task: 'secret' });
    const { id } = queued.json<{ data: { id: string } }>().data;
    const approved = (await post(`/runs/${id}/approve`, {}, token)).json<{ data: { approval: object } }>();
    expect(approved.data.approval).toMatchObject({ state: 'approved', by: 'user:ben@example.org' });
    const other = await api.queued('other-run-1', 'alpha');
    expect(code(await post(`/runs/${other}/approve`, {}, token))).toBe('run_not_found');
    expect(code(await post('/runs', { ...RUN, project_id: 'beta' }, token))).toBe('forbidden');
  });

  it('as an administrator of a project administers nothing else', async () => {
    issuer.account = 'sub-of-eve';
    issuer.claims = { ...issuer.claims, email: 'eve@example.org', groups: [] };
    const { token } = await signIn();
    expect(code(await post('/runs', { ...RUN, project_id: 'beta' }, token))).toBe('in');
    expect(code(await post('/schedules/beta/nightly/pause', {}, token))).toBe('in');
    expect(code(await post('/schedules/alpha/nightly/pause', {}, token))).toBe('forbidden');
    const remove = (project: string): Promise<Answer> =>
      api.client.send('DELETE', `/api/v1/projects/${project}/caches?prefix=`, {
        headers: { Authorization: `Bearer ${token}` },
      });
    expect(code(await remove('alpha'))).toBe('forbidden');
    expect(code(await remove('beta'))).not.toBe('forbidden');
    expect(code(await get('/audit', token))).toBe('forbidden');
    expect(code(await post('/projects', { id: 'gamma', repository: 'org/gamma' }, token))).toBe('forbidden');
  });

  it('sees the forge of the own project, but not its last error, which may be about another one', async () => {
    const forges = "forges: [{name: tea, kind: gitea, url: 'https://tea.example.org'}]\n";
    api.configure(forges + config().replace("beta.git'}", "beta.git', forge: tea}"));
    await api.sql.transaction((tx) =>
      tx.run("INSERT INTO forge_health(forge, sent_at, failed_at, last_error) VALUES ('tea', 0, 9, 'org/alpha: 502')",
        [])
    );
    const errorOf = async (token: string): Promise<unknown> =>
      (await get('/projects/beta/forge', token)).json<{ data: { forge: { last_error: unknown } } }>().data.forge
        .last_error;
    issuer.account = 'sub-of-eve';
    issuer.claims = { ...issuer.claims, email: 'eve@example.org', groups: [] };
    const { token } = await signIn();
    expect(await errorOf(token)).toBeNull();
    expect(code(await get('/projects/alpha/forge', token))).toBe('forbidden');
    expect(code(await get('/webhooks/deliveries', token))).toBe('forbidden');
    issuer.claims = { ...issuer.claims, email: 'olga@example.org', groups: ['ops'] };
    issuer.account = 'sub-of-olga';
    expect(await errorOf((await signIn()).token)).toBe('org/alpha: 502');
  });

  it('has only the rights of the present configuration', async () => {
    const { token } = await signIn();
    expect((await get('/runs', token)).status).toBe(200);
    api.configure(config('', '\n    - {role: admin, groups: [ops]}'));
    expect((await get('/runs', token)).json()).toEqual({
      error: { code: 'forbidden', message: 'user:anna@example.org has no role here' },
    });
    api.configure(`${CONFIG}tokens: []`);
    expect((await post('/runs', RUN, token)).status).toBe(401);
  });

  it('stays for the time of a session, and leaves by signing out', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const left = await post('/auth/logout', {}, one.token);
    expect([left.status, left.json()]).toEqual([200, { data: { sign_out_url: one.sign_out_url } }]);
    expect([(await get('/runs', one.token)).status, (await get('/runs', other.token)).status]).toEqual([401, 200]);
    api.clock.ms += 43_200_000;
    expect((await get('/runs', other.token)).status).toBe(401);
    expect((await api.send('POST', '/auth/logout', { body: {} })).json()).toEqual({
      error: { code: 'invalid_input', message: 'only the session of a person can be ended' },
    });
  });

  it('who signs out is checked again at once here, and within 30 seconds where that is not known', async () => {
    const { token } = await signIn();
    const found = (await api.people.identify(token))!;
    expect([found.checkAt - api.clock.ms, found.endsAt - api.clock.ms]).toEqual([30_000, 43_200_000]);
    const [before, heard] = [api.people.changes(), [] as number[]];
    const leave = api.people.onChange(() => heard.push(api.people.changes()));
    await post('/auth/logout', {}, token);
    leave();
    expect(heard).toEqual([before + 1]);
    expect(await api.people.identify(token)).toBeUndefined();
  });

  it('has twenty sessions at most; further ones end the oldest', async () => {
    const first = await signIn();
    for (let n = 0; n < 20; n++) {
      api.clock.ms += 10;
      await signIn();
    }
    expect((await get('/auth/me', first.token)).status).toBe(401);
    expect(await api.sql.all('SELECT 1 FROM sessions')).toHaveLength(20);
  });

  it.each([
    ['without a role', { groups: ['others'] }, 'user:anna@example.org has no role here; oidc.roles gives roles'],
    ['whose address is not confirmed', { email_verified: false }, expect.stringContaining('email_verified')],
    ['without a name', { email: 'anna\u202eb@example.org' }, expect.stringContaining('the claim email')],
  ])('%s is not let in', async (_, claims, message) => {
    issuer.claims = { ...issuer.claims, ...claims };
    const answer = await finish();
    expect([answer.status, answer.json()]).toEqual([403, {
      error: {
        code: 'forbidden',
        message: typeof message === 'string' ? message : expect.stringMatching(/email/) as string,
      },
    }]);
  });

  it('is let in once for each answer of the issuer', async () => {
    const { data: { url, flow } } = (await post('/auth/oidc/start', {})).json<
      { data: { url: string; flow: string } }
    >();
    const query = await browse(url);
    expect((await post('/auth/oidc/finish', { flow, query })).status).toBe(200);
    for (const [again, answer] of [[flow, query], [`${flow}x`, query], [flow, 'error=access_denied']] as const) {
      const refused = await post('/auth/oidc/finish', { flow: again, query: answer });
      expect([refused.status, code(refused)]).toEqual([401, 'invalid_credentials']);
    }
  });

  it('is told if the issuer does not answer, or there is none', async () => {
    api.configure(config().replace(`issuer: ${issuer.url}`, 'issuer: http://127.0.0.1:1'));
    const answer = await post('/auth/oidc/start', {});
    expect([answer.status, code(answer)]).toEqual([503, 'issuer_unavailable']);
    api.configure(CONFIG);
    expect(code(await post('/auth/oidc/start', {}))).toBe('not_found');
    expect((await api.client.send('GET', '/api/v1/auth/methods')).json()).toEqual({ data: { oidc: false } });
  });
});

describe('a token of the issuer', () => {
  const CLAIMS = { email: 'ann@example.org', email_verified: true, groups: ['alpha-devs'] };

  it('is a credential of the API, with the same roles', async () => {
    const token = await issuer.token('sub-of-ann', CLAIMS);
    expect((await post('/runs', RUN, token)).json()).toMatchObject({
      data: { source: { by: 'user:ann@example.org' } },
    });
    expect(code(await get('/runs', token))).toBe('forbidden');
    expect((await get('/runs?project_id=alpha', token)).status).toBe(200);
  });

  it('has to be for this service, of this issuer, signed by it, and of now', async () => {
    const { privateKey: key } = await generateKeyPair('RS256');
    const now = Math.floor(Date.now() / 1000);
    const bad = [issuer.token('s', CLAIMS, { audience: 'another' }), issuer.token('s', CLAIMS, { key }),
      issuer.token('s', CLAIMS, { issuer: 'http://127.0.0.1:2' }), issuer.token('s', CLAIMS, { now: now - 361 }),
      issuer.token('s', { ...CLAIMS, email_verified: false })];
    for (const token of bad) expect((await post('/runs', RUN, await token)).status).toBe(401);
  });
});

it('reading takes a credential where people sign in', async () => {
  api.loaded = { ...api.loaded, apiTokens: [] };
  expect((await api.client.send('GET', '/api/v1/runs')).status).toBe(401);
});
