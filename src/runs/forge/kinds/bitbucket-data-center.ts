import type { ForgeEvent, PullRequest, Receiver } from '../port.ts';
import { commitAt, firstLine, isNamedHmac, listAt, LONG, mappingAt, namesOf, numberAt, refAt,
  textAt } from './payload.ts';

/** Webhooks of Bitbucket Data Center (confluence.atlassian.com, "Event payload", "Manage webhooks"). */
export const bitbucketDataCenter: Receiver = {
  isAuthentic: ({ headers, body }, secret) => isNamedHmac(headers['x-hub-signature'], body, secret),
  idOf: (headers) => headers['x-request-id'] ?? '',
  nameOf: (headers) => headers['x-event-key'] ?? '',
  parse(headers, payload) {
    const name = headers['x-event-key'] ?? '';
    if (name === 'repo:refs_changed') return pushes(payload);
    const event = name.startsWith('pr:') ? pullRequest(name.slice('pr:'.length), payload) : undefined;
    return event === undefined ? [] : [event];
  },
};

type Base = Omit<ForgeEvent, 'name'>;

const ACTIONS: Readonly<Record<string, string>> = {
  opened: 'opened',
  from_ref_updated: 'synchronized',
  merged: 'merged',
  declined: 'closed',
};

/** `at`: where the payload has the repository. Projects have a key, and those of persons begin with a tilde. */
function baseOf(payload: unknown, at: string): Base {
  return {
    action: '',
    repository: repositoryAt(payload, at),
    addresses: listAt(payload, `${at}.links.clone`).map((link) => textAt(link, 'href')).filter((href) => href !== ''),
    ref: '',
    branch: '',
    tag: '',
    commit: '',
    before: '',
    title: '',
    author: textAt(payload, 'actor.name'),
    url: '',
  };
}

function repositoryAt(payload: unknown, at: string): string {
  const [project, slug] = [textAt(payload, `${at}.project.key`), textAt(payload, `${at}.slug`)];
  return project === '' || slug === '' ? '' : `${project}/${slug}`;
}

/** A push may change several branches and tags. */
function pushes(payload: unknown): ForgeEvent[] {
  const base = baseOf(payload, 'repository');
  const changes = listAt(payload, 'changes');
  // Newer versions describe the commit that one ref has got.
  const described = changes.length === 1 ? mappingAt(payload, 'toCommit') : undefined;
  return changes.flatMap((change) => {
    const [ref, hash] = [refAt(change, 'ref.id'), commitAt(change, 'toHash')];
    const names = namesOf(ref);
    if (names === undefined || hash === '') return [];
    return [{
      ...base,
      ...names,
      action: 'pushed',
      ref,
      // Of an annotated tag, the hash is that of the tag.
      commit: names.name === 'tag' ? commitAt(described, 'id') || hash : hash,
      before: commitAt(change, 'fromHash'),
      title: firstLine(textAt(described, 'message')),
    }];
  });
}

function pullRequest(what: string, payload: unknown): ForgeEvent | undefined {
  const request = readPullRequest(mappingAt(payload, 'pullRequest'));
  if (request === undefined) return undefined;
  const base = { ...baseOf(payload, 'pullRequest.toRef.repository'), title: request.title, url: request.url };
  if (what === 'comment:added') return comment(payload, base, request);
  if (!Object.hasOwn(ACTIONS, what)) return undefined;
  return {
    ...base,
    name: 'pull_request',
    action: ACTIONS[what]!,
    ref: request.headRef,
    branch: request.base,
    commit: request.headCommit,
    before: commitAt(payload, 'previousFromHash'),
    pullRequest: request,
  };
}

function readPullRequest(value: unknown): PullRequest | undefined {
  const [number, headCommit] = [numberAt(value, 'id'), commitAt(value, 'fromRef.latestCommit')];
  const [base, head] = [branchAt(value, 'toRef.id'), branchAt(value, 'fromRef.id')];
  if (number === 0 || headCommit === '' || base === '') return undefined;
  const from = numberAt(value, 'fromRef.repository.id');
  return {
    number,
    title: textAt(value, 'title'),
    url: textAt(listAt(value, 'links.self')[0], 'href'),
    base,
    head,
    headCommit,
    headRef: `refs/pull-requests/${number}/from`,
    isFork: from === 0 || from !== numberAt(value, 'toRef.repository.id'),
    labels: [],
  };
}

const branchAt = (value: unknown, path: string): string => namesOf(refAt(value, path))?.branch ?? '';

function comment(payload: unknown, base: Base, { number, title, url }: PullRequest): ForgeEvent {
  return {
    ...base,
    name: 'comment',
    action: 'created',
    issue: { number, title, body: '', url, labels: [] },
    comment: { id: String(numberAt(payload, 'comment.id')), body: textAt(payload, 'comment.text', LONG) },
  };
}
