import { expect, onTestFinished, test } from 'vitest';
import { bitbucketApi } from './bitbucket.ts';
import { callOf, FakeForge, type FakeRoutes } from './test-fixture.ts';

// Forms of requests and responses: developer.atlassian.com/cloud/bitbucket/rest, of "Commit statuses", "Pullrequests",
// "Issue tracker" and "Workspaces" (repository permissions).

const COMMIT = '61d9e64348f9da407e62f64726337fd3bb24b466';
const STATUS = { state: 'running', context: 'quire/test', description: 'running', targetUrl: '' } as const;
const NONE = { summary: '', annotations: [] };

async function bitbucket(routes: FakeRoutes, token = 'access-token') {
  const fake = await new FakeForge(routes).start();
  const { call, close } = callOf(fake);
  onTestFinished(async () => {
    await close();
    await fake.stop();
  });
  return { fake, api: bitbucketApi(token, call) };
}

test('sets a build status, whose key is short and whose address is required', async () => {
  const { fake, api } = await bitbucket({
    [`POST /repositories/ws/app/commit/${COMMIT}/statuses/build`]: { status: 201, json: {} },
  });
  await api.setStatus('ws/app', COMMIT, STATUS, NONE);
  await api.setStatus('ws/app', COMMIT, { ...STATUS, context: `quire/${'long'.repeat(20)}`, state: 'cancelled' }, NONE);
  expect(fake.received[0]!.headers['authorization']).toBe('Bearer access-token');
  expect(fake.received[0]!.body).toEqual({
    key: 'quire/test',
    state: 'INPROGRESS',
    name: 'quire/test',
    description: 'running',
    url: `https://bitbucket.org/ws/app/commits/${COMMIT}`,
  });
  expect(String(fake.received[1]!.body['key'])).toMatch(/^[0-9a-f]{40}$/);
  expect(fake.received[1]!.body).toMatchObject({ state: 'STOPPED' });
});

test("a person's token is sent with the person's name", async () => {
  const { fake, api } = await bitbucket({}, 'pip@example.org:secret');
  await expect(api.issue('ws/app', 1)).rejects.toMatchObject({ status: 404 });
  expect(fake.received[0]!.headers['authorization']).toBe(
    `Basic ${Buffer.from('pip@example.org:secret').toString('base64')}`,
  );
});

test('comments of pull requests', async () => {
  const comment = (id: number, raw: string) => ({ id, content: { raw }, user: { nickname: 'pip' } });
  const { fake, api } = await bitbucket({
    'POST /repositories/ws/app/pullrequests/3/comments': { status: 201, json: comment(5, 'x') },
    'PUT /repositories/ws/app/pullrequests/3/comments/5': { json: comment(5, 'y') },
    'GET /repositories/ws/app/pullrequests/3/comments': {
      json: { values: [comment(5, 'has MARK'), { ...comment(6, ''), deleted: true }] },
    },
  });
  const thread = { on: 'pull_request', number: 3 } as const;
  expect(await api.putComment('ws/app', thread, 'x', undefined)).toBe('5');
  expect(await api.putComment('ws/app', thread, 'y', '5')).toBe('5');
  expect(fake.received[1]!.body).toEqual({ content: { raw: 'y' } });
  expect(await api.findComment('ws/app', thread, 'MARK')).toBe('5');
  expect(await api.comments('ws/app', thread)).toHaveLength(1);
});

test('reads pull requests, and says that it has no labels', async () => {
  const { api } = await bitbucket({
    'GET /repositories/ws/app/pullrequests/3': {
      json: {
        id: 3,
        title: 'T',
        links: { html: { href: 'u' } },
        source: { branch: { name: 'topic' }, commit: { hash: '61d9e64348f9' }, repository: { uuid: '{2}' } },
        destination: { branch: { name: 'main' }, repository: { uuid: '{1}' } },
      },
    },
  });
  expect(await api.pullRequest('ws/app', 3)).toEqual({
    number: 3,
    title: 'T',
    url: 'u',
    base: 'main',
    head: 'topic',
    headCommit: '61d9e64348f9',
    headRef: 'refs/heads/topic',
    isFork: true,
    labels: [],
  });
  for (const call of [api.addLabel('ws/app', 1, 'x'), api.removeLabel('ws/app', 1, 'x'),
    api.issuesWith('ws/app', 'x', '')])
    await expect(call).rejects.toMatchObject({ isLasting: true, message: 'Bitbucket has no labels' });
});

test('a name that anybody can choose has no permission', async () => {
  const { api } = await bitbucket({
    'GET /workspaces/ws/permissions/repositories/app': {
      json: { values: [{ permission: 'admin', user: { account_id: '557058:1', uuid: '{a}', nickname: 'boss' } }] },
    },
  });
  expect(await api.permissionOf('ws/app', '557058:1')).toBe('admin');
  expect(await api.permissionOf('ws/app', '{a}')).toBe('admin');
  expect(await api.permissionOf('ws/app', 'boss')).toBe('none');
});
