import { expect, onTestFinished, test } from 'vitest';
import { giteaApi } from './gitea.ts';
import { callOf, FakeForge, type FakeRoutes } from './test-fixture.ts';

// Forms of requests and responses: the API's description that each Gitea and Forgejo serves at /swagger.v1.json, also
// at docs.gitea.com/api: repoCreateStatus, issueCreateComment, issueEditComment, issueGetComments, issueAddLabel,
// issueGetLabels, issueRemoveLabel, issueListLabels, orgListLabels, repoGetPullRequest, repoGetRepoPermissions.

const COMMIT = '9f3c7e1a2b4d5e6f708192a3b4c5d6e7f8091a2b';
const STATUS = { state: 'failure', context: 'quire/test', description: 'failed', targetUrl: 'https://q/1' } as const;
const NONE = { summary: '', annotations: [] };

async function gitea(routes: FakeRoutes) {
  const fake = await new FakeForge(routes).start();
  const { call, close } = callOf(fake);
  onTestFinished(async () => {
    await close();
    await fake.stop();
  });
  return { fake, api: giteaApi('tea', call) };
}

test('sets a status', async () => {
  const { fake, api } = await gitea({ [`POST /repos/org/app/statuses/${COMMIT}`]: { status: 201, json: { id: 1 } } });
  await api.setStatus('org/app', COMMIT, STATUS, NONE);
  expect(fake.received[0]!.headers['authorization']).toBe('token tea');
  expect(fake.received[0]!.body).toEqual({
    state: 'failure',
    context: 'quire/test',
    description: 'failed',
    target_url: 'https://q/1',
  });
});

test('adds labels of the repository and of its organisation, creates missing ones, and removes by id', async () => {
  const { fake, api } = await gitea({
    'GET /repos/org/app/labels': { json: [{ id: 1, name: 'bug' }] },
    'GET /orgs/org/labels': { json: [{ id: 9, name: 'doing' }] },
    'POST /repos/org/app/labels': { status: 201, json: { id: 10, name: 'new' } },
    'POST /repos/org/app/issues/7/labels': { json: [] },
    'GET /repos/org/app/issues/7/labels': { json: [{ id: 1, name: 'bug' }] },
    'DELETE /repos/org/app/issues/7/labels/1': { status: 204 },
  });
  for (const label of ['bug', 'doing', 'new']) await api.addLabel('org/app', 7, label);
  await api.removeLabel('org/app', 7, 'bug');
  await api.removeLabel('org/app', 7, 'gone');
  const added = fake.received.filter(({ method, path }) => method === 'POST' && path.includes('/issues/'));
  expect(added.map(({ body }) => body)).toEqual([{ labels: [1] }, { labels: [9] }, { labels: [10] }]);
  expect(fake.lines.filter((line) => line.startsWith('DELETE'))).toHaveLength(1);
});

test('comments, issues and pull requests', async () => {
  const comment = { id: 5, body: 'has MARK', user: { login: 'pip' } };
  const { api } = await gitea({
    'POST /repos/org/app/issues/7/comments': { status: 201, json: comment },
    'PATCH /repos/org/app/issues/comments/5': { json: comment },
    'GET /repos/org/app/issues/7/comments': { json: [comment] },
    'GET /repos/org/app/issues': {
      json: [{
        number: 7,
        title: 'T',
        body: 'B',
        html_url: 'u',
        labels: [{ id: 1, name: 'ready' }],
        user: { login: 'pip' },
      }],
    },
    'GET /repos/org/app/pulls/3': {
      json: {
        number: 3,
        title: 'M',
        html_url: 'm',
        labels: [],
        base: { ref: 'main', repo_id: 1 },
        head: { ref: 'topic', sha: COMMIT, repo_id: 1 },
      },
    },
  });
  const thread = { on: 'issue', number: 7 } as const;
  expect(await api.putComment('org/app', thread, 'x', undefined)).toBe('5');
  expect(await api.putComment('org/app', thread, 'x', '5')).toBe('5');
  expect(await api.findComment('org/app', thread, 'MARK')).toBe('5');
  expect((await api.issuesWith('org/app', 'ready', ''))!.issues[0]).toMatchObject({
    number: 7,
    labels: ['ready'],
    author: 'pip',
  });
  expect(await api.pullRequest('org/app', 3)).toMatchObject({
    isFork: false,
    headRef: 'refs/pull/3/head',
    headCommit: COMMIT,
  });
});

test('an owner may administrate, a stranger nothing; a refused question is a failure', async () => {
  const { fake, api } = await gitea({
    'GET /repos/org/app/collaborators/pip/permission': { json: { permission: 'owner', role_name: 'owner' } },
    'GET /repos/org/app/collaborators/eve/permission': { json: { permission: 'none' } },
    'GET /repos/org/app/collaborators/bob/permission': {
      status: 403,
      json: { message: 'Only admins can query all permissions' },
    },
  });
  expect(await api.permissionOf('org/app', 'pip')).toBe('admin');
  expect(await api.permissionOf('org/app', 'eve')).toBe('none');
  expect(await api.permissionOf('org/app', 'nobody')).toBe('none');
  await expect(api.permissionOf('org/app', 'bob')).rejects.toMatchObject({ isLasting: true });
  expect(fake.lines).toHaveLength(4);
});
