import { createHash } from 'node:crypto';
import { type CommitStatus, type ForgeApi, type ForgeCall, type ForgeComment, ForgeError, type ForgeIssue,
  type Permission, type PullRequest, type Thread } from '../port.ts';
import { type Asking, asking, field, findInPages, idOf, listOf, numberOf, plainId, segmentsOf,
  textOf } from './answers.ts';

const PAGE = 100;
/** Most characters of a key, by the documentation. */
const MAX_KEY = 40;

const STATES: Readonly<Record<CommitStatus['state'], string>> = {
  pending: 'INPROGRESS',
  running: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  error: 'FAILED',
  cancelled: 'STOPPED',
};

/**
 * The REST API of Bitbucket Cloud, version 2.0: "Commit statuses", "Pull requests", "Issue tracker" and "Workspaces".
 * `token` is an access token, or `email:token` of a person's API token. Bitbucket has no labels.
 */
export function bitbucketApi(token: string, call: ForgeCall): ForgeApi {
  const bitbucket = asking(call, {
    Authorization: token.includes(':') ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`,
  });
  const { ask } = bitbucket;
  return {
    async setStatus(repository, commit, { state, context, description, targetUrl }) {
      await ask({
        method: 'POST',
        path: `${repo(repository)}/commit/${encodeURIComponent(commit)}/statuses/build`,
        body: {
          // A status of the same key is replaced.
          key: keyOf(context),
          state: STATES[state],
          name: context,
          description,
          // Required, unlike elsewhere.
          url: targetUrl || `https://bitbucket.org/${segmentsOf(repository)}/commits/${encodeURIComponent(commit)}`,
        },
      });
    },
    ...commentsOf(bitbucket),
    addLabel: () => Promise.reject(noLabels()),
    removeLabel: () => Promise.reject(noLabels()),
    issuesWith: () => Promise.reject(noLabels()),
    issue: async (repository, number) =>
      issueIn(await ask({ method: 'GET', path: `${repo(repository)}/issues/${number}` })),
    pullRequest: async (repository, number) =>
      pullRequestOf(await ask({ method: 'GET', path: `${repo(repository)}/pullrequests/${number}` })),
    permissionOf: (repository, login) => permissionOf(bitbucket, repository, login),
  };
}

const repo = (repository: string): string => `/repositories/${segmentsOf(repository)}`;

const noLabels = (): ForgeError => new ForgeError('Bitbucket has no labels', { isLasting: true });

const keyOf = (context: string): string =>
  context.length <= MAX_KEY ? context : createHash('sha256').update(context).digest('hex').slice(0, MAX_KEY);

const valuesOf = (page: unknown): unknown[] => listOf(field(page, 'values'));

function commentsOf({ ask }: Asking): Pick<ForgeApi, 'putComment' | 'findComment' | 'comments'> {
  const path = (repository: string, { on, number }: Thread): string =>
    `${repo(repository)}/${on === 'issue' ? 'issues' : 'pullrequests'}/${number}/comments`;
  const pageOf = async (repository: string, thread: Thread, page: number): Promise<unknown[]> =>
    valuesOf(await ask({
      method: 'GET',
      path: `${path(repository, thread)}?sort=created_on&pagelen=${PAGE}&page=${page}`,
    }));
  return {
    putComment: async (repository, thread, body, id) =>
      idOf(await ask({
        method: id === undefined ? 'POST' : 'PUT',
        path: id === undefined ? path(repository, thread) : `${path(repository, thread)}/${plainId(id)}`,
        body: { content: { raw: body } },
      })),
    async findComment(repository, thread, text) {
      const found = await findInPages(PAGE, (page) => pageOf(repository, thread, page),
        (comment) => textOf(comment, 'content', 'raw').includes(text));
      return found === undefined ? undefined : idOf(found);
    },
    comments: async (repository, thread) =>
      (await pageOf(repository, thread, 1)).filter((comment) => field(comment, 'deleted') !== true).map(commentIn),
  };
}

/**
 * `login` is an `account_id` or a `uuid`. Names that Bitbucket shows are not unique and everybody chooses their own, so
 * they have no permission.
 */
async function permissionOf({ ask }: Asking, repository: string, login: string): Promise<Permission> {
  const [workspace, slug] = segmentsOf(repository).split('/');
  const found = await findInPages(PAGE, async (page) =>
    valuesOf(await ask({
      method: 'GET',
      path: `/workspaces/${workspace}/permissions/repositories/${slug}?pagelen=${PAGE}&page=${page}`,
    })), (entry) => [textOf(entry, 'user', 'account_id'), textOf(entry, 'user', 'uuid')].includes(login));
  const word = textOf(found, 'permission');
  return word === 'admin' || word === 'write' || word === 'read' ? word : 'none';
}

const commentIn = (comment: unknown): ForgeComment => ({
  id: idOf(comment),
  author: textOf(comment, 'user', 'nickname'),
  body: textOf(comment, 'content', 'raw'),
});

const issueIn = (issue: unknown): ForgeIssue => ({
  number: numberOf(issue, 'id'),
  title: textOf(issue, 'title'),
  body: textOf(issue, 'content', 'raw'),
  url: textOf(issue, 'links', 'html', 'href'),
  labels: [],
  author: textOf(issue, 'reporter', 'nickname'),
});

/** Bitbucket Cloud has no refs of pull requests: their commits are on the branch, of the fork if there is one. */
function pullRequestOf(pull: unknown): PullRequest {
  const head = textOf(pull, 'source', 'branch', 'name');
  return {
    number: numberOf(pull, 'id'),
    title: textOf(pull, 'title'),
    url: textOf(pull, 'links', 'html', 'href'),
    base: textOf(pull, 'destination', 'branch', 'name'),
    head,
    headCommit: textOf(pull, 'source', 'commit', 'hash'),
    headRef: `refs/heads/${head}`,
    isFork: textOf(pull, 'source', 'repository', 'uuid') !== textOf(pull, 'destination', 'repository', 'uuid'),
    labels: [],
  };
}
