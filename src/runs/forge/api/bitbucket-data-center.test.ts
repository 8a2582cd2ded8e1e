import { expect, onTestFinished, test } from 'vitest';
import { bitbucketDataCenterApi } from './bitbucket-data-center.ts';
import { callOf, FakeForge, type FakeRoutes, type Received } from './test-fixture.ts';

// Forms of requests and responses: developer.atlassian.com/server/bitbucket/rest, of "Builds and Deployments",
// "Pull Requests" (activities, comments) and "Users" (filters by permission), and "Updating build status for commits".

const COMMIT = '61d9e64348f9da407e62f64726337fd3bb24b466';
const STATUS = { state: 'running', context: 'quire/test', description: 'running', targetUrl: '' } as const;
const NONE = { summary: '', annotations: [] };
const REPO = '/projects/PRJ/repos/app';

async function bitbucket(routes: FakeRoutes) {
  const fake = await new FakeForge(routes).start();
  const { call, close } = callOf(fake);
  onTestFinished(async () => {
    await close();
    await fake.stop();
  });
  return { fake, api: bitbucketDataCenterApi('http-token', call, 'https://git.example.org') };
}

test('sets a build, whose key is short and whose address is required', async () => {
  const { fake, api } = await bitbucket({ [`POST ${REPO}/commits/${COMMIT}/builds`]: { status: 204 } });
  await api.setStatus('PRJ/app', COMMIT, STATUS, NONE);
  await api.setStatus('scm/PRJ/app', COMMIT, {
    ...STATUS,
    context: `quire/${'long'.repeat(80)}`,
    state: 'cancelled',
    targetUrl: 'https://quire.example.org/run',
  }, NONE);
  const [first, second] = fake.received;
  expect(first!.headers['authorization']).toBe('Bearer http-token');
  expect(first!.body).toEqual({
    key: 'quire/test',
    state: 'INPROGRESS',
    name: 'quire/test',
    description: 'running',
    url: `https://git.example.org${REPO}/commits/${COMMIT}`,
  });
  expect(String(second!.body['key'])).toMatch(/^[0-9a-f]{64}$/);
  expect(second!.body).toMatchObject({ state: 'CANCELLED', url: 'https://quire.example.org/run' });
});

test('a repository that is none reaches nothing', async () => {
  const { fake, api } = await bitbucket({});
  for (const name of ['app', 'a/../b', 'a/b/c', '../b'])
    await expect(api.pullRequest(name, 1)).rejects.toMatchObject({ name: 'ForgeError', isLasting: true });
  expect(fake.received).toEqual([]);
});

test('writes a comment, replaces it by its version, and finds it among other activities', async () => {
  const comment = (id: number, text: string) => ({ id, version: 4, text, author: { name: 'ada' } });
  const { fake, api } = await bitbucket({
    [`POST ${REPO}/pull-requests/3/comments`]: { status: 201, json: comment(5, 'x') },
    [`GET ${REPO}/pull-requests/3/comments/5`]: { json: comment(5, 'x') },
    [`PUT ${REPO}/pull-requests/3/comments/5`]: { json: comment(5, 'y') },
    [`GET ${REPO}/pull-requests/3/activities`]: ({ query }: Received) => ({
      json: {
        values: query.get('start') === '0'
          ? [...Array.from({ length: 98 }, () => ({ action: 'APPROVED' })), {
            action: 'COMMENTED',
            comment: comment(9, 'newer'),
          }, { action: 'RESCOPED' }]
          : [{ action: 'COMMENTED', comment: comment(5, 'has MARK') }, { action: 'OPENED' }],
      },
    }),
  });
  const thread = { on: 'pull_request', number: 3 } as const;
  expect(await api.putComment('PRJ/app', thread, 'x', undefined)).toBe('5');
  expect(await api.putComment('PRJ/app', thread, 'y', '5')).toBe('5');
  expect(fake.received.at(-1)!.body).toEqual({ text: 'y', version: 4 });
  expect(await api.findComment('PRJ/app', thread, 'MARK')).toBe('5');
  expect(await api.findComment('PRJ/app', thread, 'nowhere')).toBeUndefined();
  expect(await api.comments('PRJ/app', thread)).toEqual([{ id: '9', author: 'ada', body: 'newer' }]);
});

test('a comment that was replaced by somebody else is tried again, and one that was deleted is reported', async () => {
  const path = `${REPO}/pull-requests/3/comments/5`;
  const { fake, api } = await bitbucket({
    [`GET ${path}`]: { json: { id: 5, version: 1 } },
    [`PUT ${path}`]: { status: 409, json: { errors: [{ message: 'out of date' }] } },
  });
  const thread = { on: 'pull_request', number: 3 } as const;
  await expect(api.putComment('PRJ/app', thread, 'y', '5')).rejects.toMatchObject({ status: 409, isLasting: false });
  delete fake.routes[`GET ${path}`];
  await expect(api.putComment('PRJ/app', thread, 'y', '5')).rejects.toMatchObject({ status: 404, isLasting: true });
});

test('reads pull requests, of forks, too', async () => {
  const pull = (from: object) => ({
    id: 3,
    title: 'T',
    links: { self: [{ href: 'https://git.example.org/pr/3' }] },
    fromRef: { id: 'refs/heads/topic', displayId: 'topic', latestCommit: COMMIT, repository: from },
    toRef: { id: 'refs/heads/main', displayId: 'main', repository: { id: 1 } },
  });
  const { fake, api } = await bitbucket({ [`GET ${REPO}/pull-requests/3`]: { json: pull({ id: 2 }) } });
  expect(await api.pullRequest('PRJ/app', 3)).toEqual({
    number: 3,
    title: 'T',
    url: 'https://git.example.org/pr/3',
    base: 'main',
    head: 'topic',
    headCommit: COMMIT,
    headRef: 'refs/pull-requests/3/from',
    isFork: true,
    labels: [],
  });
  fake.routes[`GET ${REPO}/pull-requests/3`] = { json: pull({ id: 1 }) };
  expect(await api.pullRequest('PRJ/app', 3)).toMatchObject({ isFork: false });
  fake.routes[`GET ${REPO}/pull-requests/3`] = { json: pull({}) };
  expect(await api.pullRequest('PRJ/app', 3)).toMatchObject({ isFork: true });
});

test('has no labels and no issues', async () => {
  const { api } = await bitbucket({});
  for (const call of [api.addLabel('P/a', 1, 'x'), api.removeLabel('P/a', 1, 'x'), api.issuesWith('P/a', 'x', '')])
    await expect(call).rejects.toMatchObject({ isLasting: true });
  await expect(api.issue('P/a', 1)).rejects.toMatchObject({ message: 'Bitbucket Data Center has no issues' });
});

test('a permission is that of exactly this name, and of the repository', async () => {
  const users: Record<string, string[]> = {
    REPO_ADMIN: ['root'],
    REPO_WRITE: ['root', 'ada', 'adam'],
    REPO_READ: ['root', 'ada', 'adam', 'eve'],
  };
  const { fake, api } = await bitbucket({
    'GET /users': ({ query }: Received) => ({
      json: {
        values: users[query.get('permission.1')!]!.filter((name) => name.startsWith(query.get('filter')!)).map((
          name,
        ) => ({
          name,
          displayName: 'root',
        })),
      },
    }),
  });
  expect(await Promise.all(['root', 'ada', 'eve', 'ad', 'stranger'].map((name) => api.permissionOf('PRJ/app', name))))
    .toEqual(['admin', 'write', 'read', 'none', 'none']);
  expect([...fake.received[0]!.query]).toEqual(
    expect.arrayContaining([['permission.1.projectKey', 'PRJ'], ['permission.1.repositorySlug', 'app']]),
  );
});

test('a token that may not ask gives nobody a permission', async () => {
  const { api } = await bitbucket({ 'GET /users': { status: 403, json: { errors: [{ message: 'no' }] } } });
  await expect(api.permissionOf('PRJ/app', 'ada')).rejects.toMatchObject({ status: 403 });
});
