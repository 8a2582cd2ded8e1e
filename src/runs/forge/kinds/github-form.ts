import type { ForgeEvent, ForgeIssue, PullRequest } from '../port.ts';
import { commitAt, firstLine, flagAt, listAt, LONG, mappingAt, namesOf, numberAt, refAt, textAt } from './payload.ts';

/*
 * Payloads of GitHub, which Gitea and Forgejo have, too, with other words for some actions.
 */

const NOTHING = { action: '', ref: '', branch: '', tag: '', commit: '', before: '', title: '', url: '' } as const;

/** Actions of pull requests, in the words of all forges. */
const ACTIONS: Readonly<Record<string, string>> = {
  opened: 'opened',
  synchronize: 'synchronized',
  synchronized: 'synchronized',
  reopened: 'reopened',
  closed: 'closed',
  labeled: 'labeled',
  unlabeled: 'unlabeled',
  label_updated: 'labeled',
  label_cleared: 'unlabeled',
  ready_for_review: 'reopened',
};

/** The events of a payload; `name`: what the forge calls it. */
export function parseGithubForm(name: string, payload: unknown): readonly ForgeEvent[] {
  const parse = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined;
  const event = parse?.(payload, {
    ...NOTHING,
    repository: textAt(payload, 'repository.full_name'),
    addresses: ['clone_url', 'ssh_url', 'html_url', 'git_url'].map((field) => textAt(payload, `repository.${field}`))
      .filter((address) => address !== ''),
    author: textAt(payload, 'sender.login'),
  });
  return event === undefined ? [] : [event];
}

type Base = Omit<ForgeEvent, 'name'>;
type Parser = (payload: unknown, base: Base) => ForgeEvent | undefined;

const PARSERS: Readonly<Record<string, Parser>> = {
  push,
  pull_request: pullRequest,
  pull_request_sync: pullRequest,
  pull_request_label: pullRequest,
  issue_comment: comment,
  pull_request_comment: comment,
  issues: issue,
  issue_label: issue,
  release,
};

function push(payload: unknown, base: Base): ForgeEvent | undefined {
  const ref = refAt(payload, 'ref');
  const names = namesOf(ref);
  const commit = commitAt(payload, 'after');
  if (names === undefined || commit === '') return undefined;
  return {
    ...base,
    ...names,
    action: 'pushed',
    ref,
    // Of an annotated tag, `after` is the tag, and the commit is the head.
    commit: names.name === 'tag' ? commitAt(payload, 'head_commit.id') || commit : commit,
    before: commitAt(payload, 'before'),
    title: firstLine(textAt(payload, 'head_commit.message')),
    url: textAt(payload, 'head_commit.url') || textAt(payload, 'compare') || textAt(payload, 'compare_url'),
    author: base.author || textAt(payload, 'pusher.name') || textAt(payload, 'pusher.login'),
  };
}

function pullRequest(payload: unknown, base: Base): ForgeEvent | undefined {
  const given = textAt(payload, 'action');
  const action = Object.hasOwn(ACTIONS, given) ? ACTIONS[given]! : '';
  const request = readPullRequest(mappingAt(payload, 'pull_request'));
  if (action === '' || request === undefined) return undefined;
  return {
    ...base,
    name: 'pull_request',
    action: action === 'closed' && flagAt(payload, 'pull_request.merged') ? 'merged' : action,
    ref: request.headRef,
    branch: request.base,
    commit: request.headCommit,
    before: commitAt(payload, 'before'),
    title: request.title,
    url: request.url,
    pullRequest: request,
    label: textAt(payload, 'label.name') || undefined,
  };
}

/** A pull request in the form of GitHub and Gitea; undefined if it lacks what every one has. */
export function readPullRequest(value: unknown): PullRequest | undefined {
  const [number, headCommit] = [numberAt(value, 'number'), commitAt(value, 'head.sha')];
  const base = refAt(value, 'base.ref');
  if (number === 0 || headCommit === '' || base === '') return undefined;
  const [from, to] = [textAt(value, 'head.repo.full_name'), textAt(value, 'base.repo.full_name')];
  return {
    number,
    title: textAt(value, 'title'),
    url: textAt(value, 'html_url'),
    base,
    head: refAt(value, 'head.ref'),
    headCommit,
    headRef: `refs/pull/${number}/head`,
    // A fork that was deleted has no repository any more.
    isFork: from === '' || from !== to,
    labels: listAt(value, 'labels').map((label) => textAt(label, 'name')).filter((label) => label !== ''),
  };
}

/** An issue in the form of GitHub and Gitea; pull requests are issues, too. */
export function readIssue(value: unknown): ForgeIssue | undefined {
  const number = numberAt(value, 'number');
  if (number === 0) return undefined;
  return {
    number,
    title: textAt(value, 'title'),
    body: textAt(value, 'body', LONG),
    url: textAt(value, 'html_url'),
    labels: listAt(value, 'labels').map((label) => textAt(label, 'name')).filter((label) => label !== ''),
  };
}

function comment(payload: unknown, base: Base): ForgeEvent | undefined {
  const about = readIssue(mappingAt(payload, 'issue') ?? mappingAt(payload, 'pull_request'));
  if (textAt(payload, 'action') !== 'created' || about === undefined) return undefined;
  return {
    ...base,
    name: 'comment',
    action: 'created',
    title: about.title,
    url: textAt(payload, 'comment.html_url'),
    author: textAt(payload, 'comment.user.login') || base.author,
    issue: about,
    comment: { id: String(numberAt(payload, 'comment.id')), body: textAt(payload, 'comment.body', LONG) },
  };
}

function issue(payload: unknown, base: Base): ForgeEvent | undefined {
  const [about, action] = [readIssue(mappingAt(payload, 'issue')), textAt(payload, 'action')];
  if (about === undefined) return undefined;
  return {
    ...base,
    name: 'issue',
    action: Object.hasOwn(ACTIONS, action) ? ACTIONS[action]! : action,
    title: about.title,
    url: about.url,
    issue: about,
    label: textAt(payload, 'label.name') || undefined,
  };
}

function release(payload: unknown, base: Base): ForgeEvent | undefined {
  const tag = refAt(payload, 'release.tag_name');
  if (textAt(payload, 'action') !== 'published' || tag === '') return undefined;
  return {
    ...base,
    name: 'release',
    action: 'published',
    ref: `refs/tags/${tag}`,
    tag,
    title: textAt(payload, 'release.name') || tag,
    url: textAt(payload, 'release.html_url'),
  };
}
