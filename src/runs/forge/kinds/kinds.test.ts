// Payloads are written from the public documentation of each forge: docs.github.com "Webhook events and payloads",
// docs.gitlab.com "Webhook events" and "Webhooks", support.atlassian.com "Event payloads" (Cloud),
// confluence.atlassian.com "Event payload" (Data Center), docs.gitea.com "Webhooks".
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ForgeEvent } from '../port.ts';
import { RECEIVERS } from './index.ts';

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];
const ZEROS = '0'.repeat(40);
const NOW = 1_766_400_000;
const hmac = (key: string | Buffer, text: string, form: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', key).update(text).digest(form);
const parse = (kind: keyof typeof RECEIVERS, headers: Record<string, string>,
  payload: unknown): readonly ForgeEvent[] => RECEIVERS[kind].parse(headers, payload);

describe('signatures', () => {
  const body = Buffer.from('{"a":1}');
  const is = (kind: keyof typeof RECEIVERS, headers: Record<string, string>, secret = 'key',
    now = NOW): Promise<boolean> => RECEIVERS[kind].isAuthentic({ headers, body }, secret, now);

  it('are those of each forge', async () => {
    const hex = hmac('key', '{"a":1}');
    expect(await is('github', { 'x-hub-signature-256': `sha256=${hex}` })).toBe(true);
    expect(await is('bitbucket', { 'x-hub-signature': `sha256=${hex}` })).toBe(true);
    expect(await is('bitbucket_data_center', { 'x-hub-signature': `sha256=${hex}` })).toBe(true);
    expect(await is('gitea', { 'x-gitea-signature': hex })).toBe(true);
    expect(await is('forgejo', { 'x-gitea-signature': hex })).toBe(true);
    expect(await is('git', { 'x-quire-signature': `sha256=${hex}` })).toBe(true);
    expect(await is('gitlab', { 'x-gitlab-token': 'key' })).toBe(true);
  });

  it.each(Object.keys(RECEIVERS) as (keyof typeof RECEIVERS)[])('of %s are not those of another key, or none',
    async (kind) => {
      const wrong = hmac('another', '{"a":1}');
      for (const value of ['', wrong, `sha256=${wrong}`, 'sha256=', `sha1=${hmac('key', '{"a":1}')}`]) {
        const names = ['x-hub-signature-256', 'x-hub-signature', 'x-gitea-signature', 'x-quire-signature',
          'x-gitlab-token'];
        expect(await is(kind, Object.fromEntries(names.map((name) => [name, value])))).toBe(false);
      }
      expect(await is(kind, {})).toBe(false);
    });

  it('of GitLab may be those of Standard Webhooks, which expire', async () => {
    const key = Buffer.alloc(32, 7);
    const secret = `whsec_${key.toString('base64')}`;
    const headers = {
      'webhook-id': 'id',
      'webhook-timestamp': String(NOW),
      'webhook-signature': `v1,${hmac(key, `id.${NOW}.{"a":1}`, 'base64')}`,
    };
    expect(await is('gitlab', headers, secret)).toBe(true);
    expect(await is('gitlab', headers, secret, NOW + 600)).toBe(false);
    expect(await is('gitlab', { ...headers, 'webhook-id': 'x' }, secret)).toBe(false);
    expect(await is('gitlab', { 'x-gitlab-token': secret }, secret)).toBe(false);
  });
});

describe('GitHub', () => {
  const base = {
    repository: { full_name: 'org/a', clone_url: 'https://github.com/org/a.git', ssh_url: 'git@github.com:org/a.git' },
    sender: { login: 'ada' },
  };
  const of = (name: string, payload: object) => parse('github', { 'x-github-event': name }, { ...base, ...payload });

  it('tells of pushes and tags', () => {
    expect(
      of('push', { ref: 'refs/heads/main', before: A, after: B, head_commit: { id: B, message: 'Fix\n\nmore' } })[0],
    ).toMatchObject({
      name: 'push',
      action: 'pushed',
      branch: 'main',
      tag: '',
      commit: B,
      before: A,
      title: 'Fix',
      author: 'ada',
      repository: 'org/a',
      addresses: ['https://github.com/org/a.git', 'git@github.com:org/a.git'],
    });
    // `after` of an annotated tag is the tag.
    expect(of('push', { ref: 'refs/tags/v1', before: ZEROS, after: A, head_commit: { id: B, message: 'x' } })[0])
      .toMatchObject({ name: 'tag', tag: 'v1', branch: '', commit: B, before: '' });
    expect(of('push', { ref: 'refs/heads/main', before: A, after: ZEROS, deleted: true })).toEqual([]);
    expect(of('ping', { zen: 'x' })).toEqual([]);
    expect(of('constructor', {})).toEqual([]);
  });

  it('tells of pull requests, comments, issues and releases', () => {
    const request = {
      number: 7,
      title: 'T',
      html_url: 'u',
      labels: [{ name: 'l' }],
      head: { ref: 'f', sha: B, repo: { full_name: 'x/a' } },
      base: { ref: 'main', repo: { full_name: 'org/a' } },
    };
    expect(of('pull_request', { action: 'synchronize', before: A, after: B, pull_request: request })[0]).toMatchObject({
      name: 'pull_request',
      action: 'synchronized',
      branch: 'main',
      commit: B,
      before: A,
      ref: 'refs/pull/7/head',
      pullRequest: { number: 7, isFork: true, base: 'main', head: 'f', labels: ['l'] },
    });
    const merged = of('pull_request', { action: 'closed', pull_request: { ...request, merged: true } })[0];
    expect(merged?.action).toBe('merged');
    expect(of('pull_request', { action: 'locked', pull_request: request })).toEqual([]);
    expect(of('issue_comment', {
      action: 'created',
      issue: { number: 7, title: 'T' },
      comment: { id: 5, body: '/retry', user: { login: 'bob' } },
    })[0]).toMatchObject({
      name: 'comment',
      author: 'bob',
      issue: { number: 7 },
      comment: { id: '5', body: '/retry' },
    });
    expect(
      of('issues', { action: 'labeled', label: { name: 'ready' }, issue: { number: 3, title: 'I', body: 'b' } })[0],
    ).toMatchObject({ name: 'issue', action: 'labeled', label: 'ready', issue: { number: 3, body: 'b' } });
    // Gitea names no label.
    expect(of('issue_label', { action: 'label_updated', issue: { number: 3, labels: [{ name: 'ready' }] } })[0])
      .toMatchObject({ action: 'labeled', label: undefined, issue: { labels: ['ready'] } });
    expect(of('release', { action: 'published', release: { tag_name: 'v1', name: 'One' } })[0]).toMatchObject({
      name: 'release',
      tag: 'v1',
      title: 'One',
    });
  });

  it('is not believed what it cannot say', () => {
    expect(() => of('push', { ref: 'refs/heads/--upload-pack=x y', after: B })).toThrow('ref is no name of a branch');
    expect(of('push', { ref: 'refs/heads/main', after: '$(touch x)' })).toEqual([]);
    expect(of('push', { ref: 5, after: {} })).toEqual([]);
    expect(parse('github', { 'x-github-event': 'push' }, null)).toEqual([]);
    const title = of('push', { ref: 'refs/heads/main', after: B, head_commit: { message: 'a\0b\ud800' } })[0]!.title;
    expect(title).toBe('a\ufffdb\ufffd');
  });
});

describe('GitLab', () => {
  const base = {
    user_username: 'ada',
    user: { username: 'ada' },
    project: { path_with_namespace: 'g/s/a', git_http_url: 'https://gitlab.com/g/s/a.git', web_url: 'w' },
  };
  const of = (name: string, payload: object) => parse('gitlab', { 'x-gitlab-event': name }, { ...base, ...payload });

  it('tells of pushes, tags and merge requests', () => {
    expect(of('Push Hook', {
      ref: 'refs/heads/main',
      before: A,
      after: B,
      checkout_sha: B,
      commits: [{ id: B, message: 'Fix\nmore', url: 'c' }],
    })[0]).toMatchObject({
      name: 'push',
      branch: 'main',
      commit: B,
      title: 'Fix',
      url: 'c',
      author: 'ada',
      repository: 'g/s/a',
    });
    expect(of('Tag Push Hook', { ref: 'refs/tags/v1', before: ZEROS, after: A, checkout_sha: B })[0]).toMatchObject({
      name: 'tag',
      tag: 'v1',
      commit: B,
    });
    expect(of('Push Hook', { ref: 'refs/heads/main', before: A, after: ZEROS, checkout_sha: null })).toEqual([]);
    const request = {
      iid: 7,
      title: 'T',
      url: 'u',
      source_branch: 'f',
      target_branch: 'main',
      source_project_id: 2,
      target_project_id: 1,
      last_commit: { id: B },
    };
    expect(of('Merge Request Hook', {
      object_attributes: { ...request, action: 'update', oldrev: A },
      labels: [{ title: 'l' }],
    })[0]).toMatchObject({
      name: 'pull_request',
      action: 'synchronized',
      before: A,
      ref: 'refs/merge-requests/7/head',
      pullRequest: { isFork: true, labels: ['l'] },
    });
    expect(of('Merge Request Hook', { object_attributes: { ...request, action: 'update' } })).toEqual([]);
    expect(of('Merge Request Hook', {
      object_attributes: { ...request, action: 'update' },
      changes: { labels: { previous: [], current: [{ title: 'ready' }] } },
    })[0]).toMatchObject({ action: 'labeled' });
  });

  it('tells of notes and issues', () => {
    expect(of('Note Hook', { object_attributes: { id: 9, note: '/retry' }, merge_request: { iid: 7, title: 'T' } })[0])
      .toMatchObject({ name: 'comment', issue: { number: 7 }, comment: { id: '9', body: '/retry' } });
    expect(of('Issue Hook', {
      object_attributes: { iid: 3, title: 'I', action: 'update' },
      changes: { labels: { previous: [{ title: 'a' }], current: [{ title: 'a' }, { title: 'ready' }] } },
    })[0]).toMatchObject({ name: 'issue', action: 'labeled', issue: { labels: ['a', 'ready'] } });
  });
});

describe('Bitbucket', () => {
  const base = {
    actor: { nickname: 'ada' },
    repository: { full_name: 'org/a', links: { html: { href: 'https://bitbucket.org/org/a' } } },
  };
  const of = (name: string, payload: object) => parse('bitbucket', { 'x-event-key': name }, { ...base, ...payload });

  it('tells of several refs at once', () => {
    const target = (hash: string) => ({ hash, message: 'Fix\nmore', links: { html: { href: 'c' } } });
    expect(of('repo:push', {
      push: {
        changes: [
          { old: { target: { hash: A } }, new: { type: 'branch', name: 'main', target: target(B) } },
          { old: null, new: { type: 'tag', name: 'v1', target: target(B) } },
          { old: { target: { hash: A } }, new: null },
        ],
      },
    })).toMatchObject([
      { name: 'push', branch: 'main', before: A, commit: B, title: 'Fix', author: 'ada' },
      { name: 'tag', tag: 'v1', before: '', commit: B },
    ]);
  });

  it('tells of pull requests by shortened commits', () => {
    const request = {
      id: 7,
      title: 'T',
      source: { branch: { name: 'f' }, commit: { hash: 'b'.repeat(12) }, repository: { full_name: 'org/a' } },
      destination: { branch: { name: 'main' }, repository: { full_name: 'org/a' } },
    };
    expect(of('pullrequest:updated', { pullrequest: request })[0]).toMatchObject({
      action: 'synchronized',
      commit: 'b'.repeat(12),
      ref: 'refs/heads/f',
      pullRequest: { isFork: false },
    });
    expect(
      of('pullrequest:comment_created', { pullrequest: request, comment: { id: 1, content: { raw: '/retry' } } })[0],
    ).toMatchObject({ name: 'comment', comment: { body: '/retry' } });
  });
});

describe('Bitbucket Data Center', () => {
  const repository = (id: number, key = 'PRJ') => ({
    slug: 'app',
    id,
    project: { key },
    links: { clone: [{ href: 'https://git.example.org/scm/prj/app.git', name: 'http' }] },
  });
  const of = (name: string, payload: object) =>
    parse('bitbucket_data_center', { 'x-event-key': name }, { actor: { name: 'ada', displayName: 'Ada' }, ...payload });
  const change = (id: string, fromHash: string, toHash: string) => ({ ref: { id }, refId: id, fromHash, toHash });

  it('tells of several refs at once', () => {
    expect(of('repo:refs_changed', {
      repository: repository(1),
      changes: [change('refs/heads/main', A, B), change('refs/tags/v1', ZEROS, B), change('refs/heads/old', A, ZEROS)],
    })).toMatchObject([
      {
        name: 'push',
        branch: 'main',
        before: A,
        commit: B,
        title: '',
        author: 'ada',
        repository: 'PRJ/app',
        addresses: ['https://git.example.org/scm/prj/app.git'],
      },
      { name: 'tag', tag: 'v1', before: '', commit: B },
    ]);
  });

  it('tells of the commit of an annotated tag where it is described', () => {
    const payload = { repository: repository(1), changes: [change('refs/tags/v1', ZEROS, A)] };
    expect(of('repo:refs_changed', { ...payload, toCommit: { id: B, message: 'Fix\nmore' } })[0]).toMatchObject({
      name: 'tag',
      commit: B,
      title: 'Fix',
    });
    expect(of('repo:refs_changed', payload)[0]).toMatchObject({ name: 'tag', commit: A });
  });

  it('tells of pull requests, whose commits have a ref of their own', () => {
    const pullRequest = {
      id: 7,
      title: 'T',
      fromRef: { id: 'refs/heads/f', displayId: 'f', latestCommit: B, repository: repository(2, '~EVE') },
      toRef: { id: 'refs/heads/main', displayId: 'main', latestCommit: A, repository: repository(1) },
      links: { self: [{ href: 'u' }] },
    };
    expect(of('pr:from_ref_updated', { pullRequest, previousFromHash: A })[0]).toMatchObject({
      name: 'pull_request',
      action: 'synchronized',
      repository: 'PRJ/app',
      branch: 'main',
      commit: B,
      before: A,
      ref: 'refs/pull-requests/7/from',
      url: 'u',
      pullRequest: { number: 7, isFork: true, head: 'f' },
    });
    expect(
      ['opened', 'merged', 'declined', 'modified', 'deleted', 'reviewer:approved'].map((what) =>
        of(`pr:${what}`, { pullRequest })[0]?.action
      ),
    ).toEqual(['opened', 'merged', 'closed', undefined, undefined, undefined]);
    const own = { ...pullRequest, fromRef: { ...pullRequest.fromRef, repository: repository(1) } };
    expect(of('pr:opened', { pullRequest: own })[0]).toMatchObject({ pullRequest: { isFork: false } });
    const unknown = { ...pullRequest, fromRef: { ...pullRequest.fromRef, repository: {} } };
    expect(of('pr:opened', { pullRequest: unknown })[0]).toMatchObject({ pullRequest: { isFork: true } });
    expect(of('pr:comment:added', { pullRequest, comment: { id: 1, text: '/retry' } })[0]).toMatchObject({
      name: 'comment',
      author: 'ada',
      issue: { number: 7 },
      comment: { body: '/retry' },
    });
  });

  it('starts nothing by a test of the connection', () => {
    expect(of('diagnostics:ping', { test: true })).toEqual([]);
  });
});

describe('a hook of git', () => {
  it('tells of pushes', () => {
    const payload = { repository: 'file:///srv/a.git', ref: 'refs/heads/main', before: A, after: B, author: 'ada' };
    expect(parse('git', {}, payload)[0]).toMatchObject({ name: 'push', commit: B, addresses: ['file:///srv/a.git'] });
    expect(() => parse('git', {}, { ref: 'refs/heads/main' })).toThrow('expected repository');
  });
});
