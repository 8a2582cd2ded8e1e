import { expect, onTestFinished, test } from 'vitest';
import type { CommitStatus } from '../port.ts';
import { githubApi } from './github.ts';
import { callOf, FakeForge, type FakeRoutes } from './test-fixture.ts';

// Forms of requests and responses: docs.github.com/en/rest, version 2022-11-28, of "Commit statuses", "Check runs",
// "Issue comments", "Labels", "Issues", "Pulls", "Collaborators", and "Rate limits for the REST API".

const COMMIT = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
const STATUS: CommitStatus = {
  state: 'running',
  context: 'quire/test',
  description: 'running since 3 s',
  targetUrl: 'https://runs.example.org/console/runs/1',
};
const NONE = { summary: '', annotations: [] };

async function github(routes: FakeRoutes) {
  const fake = await new FakeForge(routes).start();
  const { call, close } = callOf(fake);
  onTestFinished(async () => {
    await close();
    await fake.stop();
  });
  return { fake, api: githubApi('ghs_token', call) };
}

/** A personal token: GitHub lets it read check runs, and refuses to create them. */
const WITHOUT_CHECKS: FakeRoutes = {
  [`GET /repos/octocat/hello/commits/${COMMIT}/check-runs`]: { json: { total_count: 0, check_runs: [] } },
  'POST /repos/octocat/hello/check-runs': {
    status: 403,
    json: { message: 'You must authenticate via a GitHub App.', documentation_url: 'https://docs.github.com' },
  },
};

test('sets a status with a token that cannot create checks, and remembers that', async () => {
  const { fake, api } = await github({
    ...WITHOUT_CHECKS,
    [`POST /repos/octocat/hello/statuses/${COMMIT}`]: { status: 201, json: { id: 1, state: 'pending' } },
  });
  await api.setStatus('octocat/hello', COMMIT, STATUS, NONE);
  await api.setStatus('octocat/hello', COMMIT, { ...STATUS, state: 'success' }, NONE);
  expect(fake.lines.filter((line) => line.includes('check-runs'))).toHaveLength(2);
  const sent = fake.received.filter(({ path }) => path.includes('/statuses/'));
  expect(sent.map(({ body }) => body)).toEqual([{
    state: 'pending',
    context: 'quire/test',
    description: 'running since 3 s',
    target_url: 'https://runs.example.org/console/runs/1',
  }, expect.objectContaining({ state: 'success' })]);
  expect(sent[0]!.headers).toMatchObject({
    'authorization': 'Bearer ghs_token',
    'accept': 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    'user-agent': 'quire-runs/test',
  });
});

test('creates a check run, and updates it with its annotations, 50 at a time', async () => {
  const check = { id: 4, name: 'quire/test', external_id: 'quire', status: 'in_progress' };
  const { fake, api } = await github({
    [`GET /repos/octocat/hello/commits/${COMMIT}/check-runs`]: () => ({
      json: { check_runs: fake.lines.length > 1 ? [check] : [] },
    }),
    'POST /repos/octocat/hello/check-runs': { status: 201, json: check },
    'PATCH /repos/octocat/hello/check-runs/4': { json: check },
  });
  await api.setStatus('octocat/hello', COMMIT, STATUS, NONE);
  const annotations = Array.from({ length: 60 },
    (_, at) => ({ path: 'a.ts', line: at, level: 'failure' as const, title: 'expected 1', message: 'got 2' }));
  await api.setStatus('octocat/hello', COMMIT, { ...STATUS, state: 'failure' }, {
    summary: '**1** failed',
    annotations,
  });
  const [created, first, second] = fake.received.filter(({ method }) => method !== 'GET');
  expect(created!.body).toMatchObject({ name: 'quire/test', head_sha: COMMIT, status: 'in_progress' });
  expect(first!.body).toMatchObject({
    status: 'completed',
    conclusion: 'failure',
    output: { summary: '**1** failed' },
  });
  const counts = [first, second].map((each) => (each!.body['output'] as { annotations: object[] }).annotations.length);
  expect(counts).toEqual([50, 10]);
  expect(first!.body).toMatchObject({
    output: {
      annotations: expect.arrayContaining([{
        path: 'a.ts',
        start_line: 1,
        end_line: 1,
        annotation_level: 'failure',
        title: 'expected 1',
        message: 'got 2',
      }]) as unknown,
    },
  });
});

test('a finished check does not begin again, and gets its annotations once', async () => {
  const { fake, api } = await github({
    [`GET /repos/octocat/hello/commits/${COMMIT}/check-runs`]: {
      json: { check_runs: [{ id: 4, name: 'quire/test', external_id: 'quire', status: 'completed' }] },
    },
    'POST /repos/octocat/hello/check-runs': { status: 201, json: { id: 5 } },
    'PATCH /repos/octocat/hello/check-runs/4': { json: { id: 4 } },
  });
  await api.setStatus('octocat/hello', COMMIT, STATUS, NONE);
  const annotations = [{ path: 'a.ts', line: 1, level: 'notice' as const, title: 't', message: 'm' }];
  await api.setStatus('octocat/hello', COMMIT, { ...STATUS, state: 'failure' }, { summary: '', annotations });
  expect(fake.lines.filter((line) => !line.startsWith('GET'))).toEqual(['POST /repos/octocat/hello/check-runs',
    'PATCH /repos/octocat/hello/check-runs/4']);
  expect(fake.received.at(-1)!.body).toMatchObject({ output: { annotations: [] } });
});

test.each([
  ['a primary limit', {
    status: 403,
    headers: {
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '1735689720',
      'Date': 'Wed, 01 Jan 2025 00:00:00 GMT',
    },
    json: { message: 'API rate limit exceeded' },
  }, 120_000],
  ['a secondary limit with a time', { status: 429, headers: { 'Retry-After': '30' }, json: {} }, 30_000],
  ['a secondary limit without one', { status: 403, json: { message: 'You have exceeded a secondary rate limit' } },
    60_000],
  ['a failing server', { status: 502, json: { message: 'Server Error' } }, 0],
])('%s passes', async (_name, answer, retryAfterMs) => {
  const { api } = await github({
    ...WITHOUT_CHECKS,
    [`POST /repos/octocat/hello/statuses/${COMMIT}`]: answer,
  });
  await expect(api.setStatus('octocat/hello', COMMIT, STATUS, NONE)).rejects.toMatchObject({
    isLasting: false,
    retryAfterMs,
  });
});

test('a rate limit on checks does not count as a token without checks', async () => {
  const { fake, api } = await github({
    ...WITHOUT_CHECKS,
    'POST /repos/octocat/hello/check-runs': {
      status: 403,
      json: { message: 'You have exceeded a secondary rate limit' },
    },
  });
  await expect(api.setStatus('octocat/hello', COMMIT, STATUS, NONE)).rejects.toMatchObject({ isLasting: false });
  expect(fake.lines.some((line) => line.includes('/statuses/'))).toBe(false);
});

test.each([[401, 'Bad credentials'], [404, 'Not Found'], [422, 'No commit found for SHA'], [301, 'Moved Permanently']])(
  '%i lasts, and says what GitHub says',
  async (status, message) => {
    const { api } = await github({
      ...WITHOUT_CHECKS,
      [`POST /repos/octocat/hello/statuses/${COMMIT}`]: {
        status,
        json: { message },
        headers: { Location: 'http://127.0.0.1:9/' },
      },
    });
    await expect(api.setStatus('octocat/hello', COMMIT, STATUS, NONE)).rejects.toMatchObject({
      status,
      isLasting: true,
      message: expect.stringContaining(message) as unknown,
    });
  },
);

test('a server that cannot be reached is tried again', async () => {
  const { fake, api } = await github({});
  await fake.stop();
  await expect(api.issue('octocat/hello', 1)).rejects.toMatchObject({
    isLasting: false,
    message: expect.stringContaining('ECONNREFUSED') as unknown,
  });
  await fake.start();
});

test('comments are created, found on a later page, replaced and listed', async () => {
  const comment = (id: number, body: string) => ({ id, body, user: { login: 'octocat' } });
  const { fake, api } = await github({
    'POST /repos/octocat/hello/issues/7/comments': { status: 201, json: comment(12, 'x') },
    'PATCH /repos/octocat/hello/issues/comments/12': { json: comment(12, 'y') },
    'GET /repos/octocat/hello/issues/7/comments': ({ query }) => ({
      json: query.get('page') === '1'
        ? Array.from({ length: 100 }, (_, at) => comment(at, 'no'))
        : [comment(250, 'has MARK')],
    }),
  });
  const thread = { on: 'pull_request', number: 7 } as const;
  expect(await api.putComment('octocat/hello', thread, 'x', undefined)).toBe('12');
  expect(await api.putComment('octocat/hello', thread, 'y', '12')).toBe('12');
  expect(await api.findComment('octocat/hello', thread, 'MARK')).toBe('250');
  expect(await api.comments('octocat/hello', thread)).toHaveLength(100);
  expect(fake.received[1]!.body).toEqual({ body: 'y' });
});

test('labels are added and removed; one that is gone is no failure', async () => {
  const { fake, api } = await github({ 'POST /repos/octocat/hello/issues/7/labels': { json: [] } });
  await api.addLabel('octocat/hello', 7, 'in progress');
  await api.removeLabel('octocat/hello', 7, 'ready/now');
  expect(fake.received[0]!.body).toEqual({ labels: ['in progress'] });
  expect(fake.lines[1]).toBe('DELETE /repos/octocat/hello/issues/7/labels/ready%2Fnow');
});

test('issues with a label are asked for conditionally, without pull requests', async () => {
  const issue = {
    number: 3,
    title: 'T',
    body: null,
    html_url: 'https://github.com/octocat/hello/issues/3',
    labels: [{ name: 'ready' }, 'bug'],
    user: { login: 'octocat' },
  };
  const { fake, api } = await github({
    'GET /repos/octocat/hello/issues': ({ headers }) =>
      headers['if-none-match'] === '"e"'
        ? { status: 304 }
        : { headers: { ETag: '"e"' }, json: [issue, { ...issue, number: 4, pull_request: {} }] },
  });
  const first = await api.issuesWith('octocat/hello', 'ready', '');
  expect(first).toEqual({
    etag: '"e"',
    issues: [{ number: 3, title: 'T', body: '', url: issue.html_url, labels: ['ready', 'bug'], author: 'octocat' }],
  });
  expect(await api.issuesWith('octocat/hello', 'ready', '"e"')).toBeUndefined();
  expect(Object.fromEntries(fake.received[0]!.query)).toMatchObject({ labels: 'ready', state: 'open' });
});

test('pull requests and permissions are read', async () => {
  const { api } = await github({
    'GET /repos/octocat/hello/pulls/7': {
      json: {
        number: 7,
        title: 'T',
        html_url: 'u',
        labels: [{ name: 'bug' }],
        base: { ref: 'main', repo: { id: 1 } },
        head: { ref: 'topic', sha: COMMIT, repo: null },
      },
    },
    'GET /repos/octocat/hello/collaborators/octocat/permission': {
      json: { permission: 'write', role_name: 'maintain' },
    },
  });
  expect(await api.pullRequest('octocat/hello', 7)).toEqual({
    number: 7,
    title: 'T',
    url: 'u',
    base: 'main',
    head: 'topic',
    headCommit: COMMIT,
    headRef: 'refs/pull/7/head',
    isFork: true,
    labels: ['bug'],
  });
  expect(await api.permissionOf('octocat/hello', 'octocat')).toBe('write');
  expect(await api.permissionOf('octocat/hello', 'stranger')).toBe('none');
});

test('a name cannot lead to another address', async () => {
  const { fake, api } = await github({});
  for (const repository of ['octocat/..', '../user', 'hello', 'a//b', 'a/./b'])
    await expect(api.issue(repository, 1)).rejects.toMatchObject({ isLasting: true });
  await expect(api.permissionOf('octocat/hello', '../../user')).resolves.toBe('none');
  expect(fake.lines).toEqual(['GET /repos/octocat/hello/collaborators/..%2F..%2Fuser/permission']);
});
