import { expect, onTestFinished, test } from 'vitest';
import { gitlabApi } from './gitlab.ts';
import { callOf, FakeForge, type FakeRoutes } from './test-fixture.ts';

// Forms of requests and responses: docs.gitlab.com/api, of "Commits" (set commit pipeline status), "Notes", "Issues",
// "Merge requests", "Members", "Users", and "Rate limits".

const COMMIT = '18f3e63d05582537db6d183d9d557be09e1f90c8';
const STATUS = {
  state: 'running',
  context: 'quire/test',
  description: 'd'.repeat(300),
  targetUrl: 'https://q/1',
} as const;
const NONE = { summary: '', annotations: [] };
const PROJECT = '/projects/group%2Fsub%2Fapp';

async function gitlab(routes: FakeRoutes) {
  const fake = await new FakeForge(routes).start();
  const { call, close } = callOf(fake);
  onTestFinished(async () => {
    await close();
    await fake.stop();
  });
  return { fake, api: gitlabApi('glpat-token', call) };
}

test('sets a status of a project in a group', async () => {
  const { fake, api } = await gitlab({ [`POST ${PROJECT}/statuses/${COMMIT}`]: { status: 201, json: { id: 1 } } });
  await api.setStatus('group/sub/app', COMMIT, STATUS, NONE);
  await api.setStatus('group/sub/app', COMMIT, { ...STATUS, state: 'cancelled' }, NONE);
  expect(fake.received[0]!.headers['authorization']).toBe('Bearer glpat-token');
  expect(fake.received[0]!.body).toEqual({
    state: 'running',
    name: 'quire/test',
    description: 'd'.repeat(255),
    target_url: 'https://q/1',
  });
  expect(fake.received[1]!.body).toMatchObject({ state: 'canceled' });
});

test('a status that the commit has is no failure, another transition is', async () => {
  const refusal = (text: string) => ({ status: 400, json: { message: { status: [text] } } });
  const { api, fake } = await gitlab({
    [`POST ${PROJECT}/statuses/${COMMIT}`]: refusal('Cannot transition status via :run from :running'),
  });
  await api.setStatus('group/sub/app', COMMIT, STATUS, NONE);
  fake.routes[`POST ${PROJECT}/statuses/${COMMIT}`] = refusal('Cannot transition status via :run from :success');
  await expect(api.setStatus('group/sub/app', COMMIT, STATUS, NONE)).rejects.toMatchObject({
    status: 400,
    isLasting: true,
  });
});

test('its rate limit has headers of its own', async () => {
  const { api } = await gitlab({
    [`POST ${PROJECT}/statuses/${COMMIT}`]: {
      status: 429,
      headers: { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '1735689660', 'Date': 'Wed, 01 Jan 2025 00:00:00 GMT' },
      json: { message: 'Retry later' },
    },
  });
  await expect(api.setStatus('group/sub/app', COMMIT, STATUS, NONE)).rejects.toMatchObject({
    isLasting: false,
    retryAfterMs: 60_000,
  });
});

test('notes of issues and of merge requests are apart', async () => {
  const note = (id: number, body: string, system = false) => ({ id, body, system, author: { username: 'pip' } });
  const { fake, api } = await gitlab({
    [`POST ${PROJECT}/issues/7/notes`]: { status: 201, json: note(1, 'x') },
    [`PUT ${PROJECT}/merge_requests/7/notes/302`]: { json: note(302, 'y') },
    [`GET ${PROJECT}/issues/7/notes`]: { json: [note(1, 'hello'), note(2, 'changed the label', true)] },
  });
  expect(await api.putComment('group/sub/app', { on: 'issue', number: 7 }, 'x', undefined)).toBe('1');
  expect(await api.putComment('group/sub/app', { on: 'pull_request', number: 7 }, 'y', '302')).toBe('302');
  expect(await api.comments('group/sub/app', { on: 'issue', number: 7 })).toEqual([{
    id: '1',
    author: 'pip',
    body: 'hello',
  }]);
  expect(await api.findComment('group/sub/app', { on: 'issue', number: 7 }, 'nowhere')).toBeUndefined();
  expect(Object.fromEntries(fake.received[2]!.query)).toMatchObject({ sort: 'asc', order_by: 'created_at' });
});

test('labels, issues and merge requests', async () => {
  const issue = { iid: 7, title: 'T', description: 'B', web_url: 'u', labels: ['ready'], author: { username: 'pip' } };
  const { fake, api } = await gitlab({
    [`PUT ${PROJECT}/issues/7`]: { json: issue },
    [`GET ${PROJECT}/issues`]: { json: [issue] },
    [`GET ${PROJECT}/merge_requests/3`]: {
      json: {
        iid: 3,
        title: 'M',
        web_url: 'm',
        target_branch: 'main',
        source_branch: 'topic',
        sha: COMMIT,
        source_project_id: 2,
        target_project_id: 1,
        labels: ['bug'],
      },
    },
  });
  await api.addLabel('group/sub/app', 7, 'doing');
  await api.removeLabel('group/sub/app', 7, 'ready');
  expect(fake.received.map(({ body }) => body)).toEqual([{ add_labels: 'doing' }, { remove_labels: 'ready' }]);
  const listed = await api.issuesWith('group/sub/app', 'ready', '');
  expect(listed!.issues).toEqual([{ number: 7, title: 'T', body: 'B', url: 'u', labels: ['ready'], author: 'pip' }]);
  expect(await api.pullRequest('group/sub/app', 3)).toMatchObject({
    headRef: 'refs/merge-requests/3/head',
    isFork: true,
  });
});

test('only active members have a permission, and only the exact name counts', async () => {
  const { fake, api } = await gitlab({
    'GET /users': ({ query }) => ({
      json: query.get('username') === 'pip' ? [{ id: 5, username: 'pip' }] : [{ id: 6, username: 'pipo' }],
    }),
    [`GET ${PROJECT}/members/all/5`]: { json: { id: 5, state: 'active', access_level: 30 } },
  });
  expect(await api.permissionOf('group/sub/app', 'pip')).toBe('write');
  expect(await api.permissionOf('group/sub/app', 'pi')).toBe('none');
  fake.routes[`GET ${PROJECT}/members/all/5`] = { json: { id: 5, state: 'awaiting', access_level: 50 } };
  expect(await api.permissionOf('group/sub/app', 'pip')).toBe('none');
  delete fake.routes[`GET ${PROJECT}/members/all/5`];
  expect(await api.permissionOf('group/sub/app', 'pip')).toBe('none');
});
