import type { ForgeEvent, PullRequest, Receiver } from '../port.ts';
import { commitAt, firstLine, isNamedHmac, listAt, LONG, mappingAt, numberAt, refAt, textAt } from './payload.ts';

/** Webhooks of Bitbucket Cloud (support.atlassian.com, "Event payloads", "Manage webhooks"). */
export const bitbucket: Receiver = {
  isAuthentic: ({ headers, body }, secret) => isNamedHmac(headers['x-hub-signature'], body, secret),
  idOf: (headers) => headers['x-request-uuid'] ?? '',
  nameOf: (headers) => headers['x-event-key'] ?? '',
  parse(headers, payload) {
    const name = headers['x-event-key'] ?? '';
    const base = baseOf(payload);
    if (name === 'repo:push') return pushes(payload, base);
    const event = name.startsWith('pullrequest:')
      ? pullRequest(name.slice('pullrequest:'.length), payload, base)
      : issue(name, payload, base);
    return event === undefined ? [] : [event];
  },
};

type Base = Omit<ForgeEvent, 'name'>;

const ACTIONS: Readonly<Record<string, string>> = {
  created: 'opened',
  updated: 'synchronized',
  fulfilled: 'merged',
  rejected: 'closed',
};

function baseOf(payload: unknown): Base {
  const [repository, url] = [textAt(payload, 'repository.full_name'), textAt(payload, 'repository.links.html.href')];
  return {
    action: '',
    repository,
    addresses: url === '' ? [] : [url, `git@bitbucket.org:${repository}.git`],
    ref: '',
    branch: '',
    tag: '',
    commit: '',
    before: '',
    title: '',
    author: textAt(payload, 'actor.nickname') || textAt(payload, 'actor.display_name'),
    url: '',
  };
}

/** A push may change several branches and tags. */
function pushes(payload: unknown, base: Base): ForgeEvent[] {
  return listAt(payload, 'push.changes').flatMap((change) => {
    const [name, commit] = [refAt(change, 'new.name'), commitAt(change, 'new.target.hash')];
    const isTag = textAt(change, 'new.type') === 'tag';
    if (name === '' || commit === '') return [];
    return [{
      ...base,
      name: isTag ? 'tag' as const : 'push' as const,
      action: 'pushed',
      ref: `${isTag ? 'refs/tags/' : 'refs/heads/'}${name}`,
      branch: isTag ? '' : name,
      tag: isTag ? name : '',
      commit,
      before: commitAt(change, 'old.target.hash'),
      title: firstLine(textAt(change, 'new.target.message')),
      url: textAt(change, 'new.target.links.html.href'),
    }];
  });
}

function pullRequest(what: string, payload: unknown, base: Base): ForgeEvent | undefined {
  const request = readPullRequest(mappingAt(payload, 'pullrequest'));
  if (what === 'comment_created') return comment(payload, 'pullrequest', base);
  if (request === undefined || !Object.hasOwn(ACTIONS, what)) return undefined;
  return {
    ...base,
    name: 'pull_request',
    action: ACTIONS[what]!,
    ref: request.headRef,
    branch: request.base,
    commit: request.headCommit,
    title: request.title,
    url: request.url,
    pullRequest: request,
  };
}

/** Bitbucket has no refs for pull requests: those of the repository itself are fetched by their branch. */
function readPullRequest(value: unknown): PullRequest | undefined {
  const [number, base] = [numberAt(value, 'id'), refAt(value, 'destination.branch.name')];
  const [head, headCommit] = [refAt(value, 'source.branch.name'), textAt(value, 'source.commit.hash')];
  if (number === 0 || base === '' || !/^[0-9a-f]{12,64}$/.test(headCommit)) return undefined;
  const from = textAt(value, 'source.repository.full_name');
  return {
    number,
    title: textAt(value, 'title'),
    url: textAt(value, 'links.html.href'),
    base,
    head,
    headCommit,
    headRef: `refs/heads/${head}`,
    isFork: from === '' || from !== textAt(value, 'destination.repository.full_name'),
    labels: [],
  };
}

function comment(payload: unknown, about: 'pullrequest' | 'issue', base: Base): ForgeEvent | undefined {
  const number = numberAt(payload, `${about}.id`);
  if (number === 0) return undefined;
  const [title, url] = [textAt(payload, `${about}.title`), textAt(payload, `${about}.links.html.href`)];
  return {
    ...base,
    name: 'comment',
    action: 'created',
    title,
    url: textAt(payload, 'comment.links.html.href'),
    issue: { number, title, body: '', url, labels: [] },
    comment: { id: String(numberAt(payload, 'comment.id')), body: textAt(payload, 'comment.content.raw', LONG) },
  };
}

function issue(name: string, payload: unknown, base: Base): ForgeEvent | undefined {
  if (name === 'issue:comment_created') return comment(payload, 'issue', base);
  const number = numberAt(payload, 'issue.id');
  if (!['issue:created', 'issue:updated'].includes(name) || number === 0) return undefined;
  const [title, url] = [textAt(payload, 'issue.title'), textAt(payload, 'issue.links.html.href')];
  return {
    ...base,
    name: 'issue',
    action: name === 'issue:created' ? 'opened' : 'edited',
    title,
    url,
    issue: { number, title, body: textAt(payload, 'issue.content.raw', LONG), url, labels: [] },
  };
}
