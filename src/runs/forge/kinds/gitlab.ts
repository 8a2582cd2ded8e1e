import { createHmac } from 'node:crypto';
import { digestInSteps } from '../../../lib/digest.ts';
import { keyOf } from '../../../net/index.ts';
import type { ForgeEvent, PullRequest, RawDelivery, Receiver } from '../port.ts';
import { commitAt, firstLine, isEqual, listAt, LONG, mappingAt, namesOf, numberAt, refAt, textAt } from './payload.ts';

/** Seconds by which the time of a signed webhook may differ. */
const TOLERANCE = 300;

/**
 * Webhooks of GitLab (docs.gitlab.com, "Webhook events", "Webhooks: verify"): a token in `X-Gitlab-Token`, or with a
 * signing token, which begins with `whsec_`, the signature of Standard Webhooks.
 */
export const gitlab: Receiver = {
  async isAuthentic({ headers, body }, secret, now) {
    if (secret.startsWith('whsec_')) return isSigned({ headers, body }, secret, now);
    return isEqual(headers['x-gitlab-token'] ?? '', secret);
  },
  idOf: (headers) => headers['idempotency-key'] ?? headers['x-gitlab-event-uuid'] ?? '',
  nameOf: (headers) => headers['x-gitlab-event'] ?? '',
  parse(headers, payload) {
    const name = headers['x-gitlab-event'] ?? '';
    const parse = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined;
    const event = parse?.(payload, baseOf(payload));
    return event === undefined ? [] : [event];
  },
};

async function isSigned({ headers, body }: RawDelivery, secret: string, now: number): Promise<boolean> {
  const [id, sent] = [headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? ''];
  const key = keyOf(secret);
  if (key === undefined || !/^\d{1,12}$/.test(sent) || Math.abs(now - Number(sent)) > TOLERANCE) return false;
  const digest = await digestInSteps(createHmac('sha256', key).update(`${id}.${sent}.`), body);
  const expected = digest.toString('base64');
  return (headers['webhook-signature'] ?? '').split(' ').some((given) => isEqual(given, `v1,${expected}`));
}

type Base = Omit<ForgeEvent, 'name'>;

const PARSERS: Readonly<Record<string, (payload: unknown, base: Base) => ForgeEvent | undefined>> = {
  'Push Hook': push,
  'Tag Push Hook': push,
  'Merge Request Hook': mergeRequest,
  'Note Hook': note,
  'Issue Hook': issue,
  'Release Hook': release,
};

const ACTIONS: Readonly<Record<string, string>> = {
  open: 'opened',
  update: 'synchronized',
  reopen: 'reopened',
  close: 'closed',
  merge: 'merged',
};

function baseOf(payload: unknown): Base {
  const addresses = ['git_http_url', 'git_ssh_url', 'web_url', 'http_url', 'ssh_url'].map((field) =>
    textAt(payload, `project.${field}`)
  );
  return {
    action: '',
    repository: textAt(payload, 'project.path_with_namespace'),
    addresses: [...new Set(addresses.filter((address) => address !== ''))],
    ref: '',
    branch: '',
    tag: '',
    commit: '',
    before: '',
    title: '',
    author: textAt(payload, 'user_username') || textAt(payload, 'user.username'),
    url: '',
  };
}

function push(payload: unknown, base: Base): ForgeEvent | undefined {
  const ref = refAt(payload, 'ref');
  const names = namesOf(ref);
  // `checkout_sha` is the commit of an annotated tag, and null for a deleted branch.
  const commit = commitAt(payload, 'checkout_sha') || commitAt(payload, 'after');
  if (names === undefined || commit === '' || commitAt(payload, 'after') === '') return undefined;
  const last = listAt(payload, 'commits').find((each) => textAt(each, 'id') === commit);
  return {
    ...base,
    ...names,
    action: 'pushed',
    ref,
    commit,
    before: commitAt(payload, 'before'),
    title: firstLine(textAt(last, 'message')),
    url: textAt(last, 'url'),
  };
}

function mergeRequest(payload: unknown, base: Base): ForgeEvent | undefined {
  const request = readMergeRequest(mappingAt(payload, 'object_attributes'),
    listAt(payload, 'labels').map((label) => textAt(label, 'title')));
  const given = textAt(payload, 'object_attributes.action');
  if (request === undefined || !Object.hasOwn(ACTIONS, given)) return undefined;
  const before = commitAt(payload, 'object_attributes.oldrev');
  // An update without `oldrev` has changed something else than the commits.
  const isLabeled = mappingAt(payload, 'changes.labels') !== undefined;
  const action = given === 'update' && before === '' ? (isLabeled ? 'labeled' : 'edited') : ACTIONS[given]!;
  if (action === 'edited') return undefined;
  return {
    ...base,
    name: 'pull_request',
    action,
    ref: request.headRef,
    branch: request.base,
    commit: request.headCommit,
    before,
    title: request.title,
    url: request.url,
    pullRequest: request,
  };
}

/** A merge request in the form of webhooks. */
function readMergeRequest(value: unknown, labels: readonly string[]): PullRequest | undefined {
  const [number, headCommit] = [numberAt(value, 'iid'), commitAt(value, 'last_commit.id')];
  const base = refAt(value, 'target_branch');
  if (number === 0 || headCommit === '' || base === '') return undefined;
  const [from, to] = [numberAt(value, 'source_project_id'), numberAt(value, 'target_project_id')];
  return {
    number,
    title: textAt(value, 'title'),
    url: textAt(value, 'url'),
    base,
    head: refAt(value, 'source_branch'),
    headCommit,
    headRef: `refs/merge-requests/${number}/head`,
    isFork: from === 0 || from !== to,
    labels: labels.filter((label) => label !== ''),
  };
}

function note(payload: unknown, base: Base): ForgeEvent | undefined {
  const about = mappingAt(payload, 'merge_request') ?? mappingAt(payload, 'issue');
  const number = numberAt(about, 'iid');
  if (number === 0) return undefined;
  const title = textAt(about, 'title');
  return {
    ...base,
    name: 'comment',
    action: 'created',
    title,
    url: textAt(payload, 'object_attributes.url'),
    issue: { number, title, body: textAt(about, 'description', LONG), url: textAt(about, 'url'), labels: [] },
    comment: {
      id: String(numberAt(payload, 'object_attributes.id')),
      body: textAt(payload, 'object_attributes.note', LONG),
    },
  };
}

function issue(payload: unknown, base: Base): ForgeEvent | undefined {
  const number = numberAt(payload, 'object_attributes.iid');
  if (number === 0) return undefined;
  const given = textAt(payload, 'object_attributes.action');
  const isLabeled = mappingAt(payload, 'changes.labels') !== undefined;
  const [title, url] = [textAt(payload, 'object_attributes.title'), textAt(payload, 'object_attributes.url')];
  const labels = listAt(payload, isLabeled ? 'changes.labels.current' : 'labels').map((each) => textAt(each, 'title'));
  return {
    ...base,
    name: 'issue',
    action: isLabeled ? 'labeled' : Object.hasOwn(ACTIONS, given) ? ACTIONS[given]! : given,
    title,
    url,
    issue: {
      number,
      title,
      body: textAt(payload, 'object_attributes.description', LONG),
      url,
      labels: labels.filter((each) => each !== ''),
    },
  };
}

function release(payload: unknown, base: Base): ForgeEvent | undefined {
  const tag = refAt(payload, 'tag');
  if (textAt(payload, 'action') !== 'create' || tag === '') return undefined;
  return {
    ...base,
    name: 'release',
    action: 'published',
    ref: `refs/tags/${tag}`,
    tag,
    commit: commitAt(payload, 'commit.id'),
    title: textAt(payload, 'name') || tag,
    url: textAt(payload, 'url'),
  };
}
