import { type ForgeApi, type ForgeCall, type ForgeComment, ForgeError, type ForgeIssue, type Permission,
  type PullRequest } from '../port.ts';
import { type Asking, asking, bodyOf, field, findInPages, GITHUB_STATES, idOf, listIfChanged, listOf, numberOf, plainId,
  segmentsOf, textOf } from './answers.ts';

/** The default of `MAX_RESPONSE_ITEMS`, above which Gitea shortens pages. */
const PAGE = 50;
const MAX_COMMENTS = 100;

/**
 * The API of Gitea and Forgejo, version 1 (`/api/swagger` of each server): `repoCreateStatus`, `issueCreateComment`,
 * `issueEditComment`, `issueAddLabel`, `issueRemoveLabel`, `issueListIssues`, `repoGetPullRequest` and
 * `repoGetRepoPermissions`.
 */
export function giteaApi(token: string, call: ForgeCall): ForgeApi {
  const gitea = asking(call, { Authorization: `token ${token}` });
  return {
    async setStatus(repository, commit, { state, context, description, targetUrl }) {
      await gitea.ask({
        method: 'POST',
        path: `${repo(repository)}/statuses/${encodeURIComponent(commit)}`,
        body: { state: GITHUB_STATES[state], context, description, target_url: targetUrl },
      });
    },
    ...commentsOf(gitea),
    ...labelsOf(gitea),
    issue: async (repository, number) =>
      issueIn(await gitea.ask({ method: 'GET', path: `${repo(repository)}/issues/${number}` })),
    async issuesWith(repository, label, etag) {
      const query = new URLSearchParams({ labels: label, state: 'open', type: 'issues', limit: String(PAGE) });
      const list = await listIfChanged(gitea, `${repo(repository)}/issues?${query.toString()}`, etag);
      return list && { etag: list.etag, issues: list.entries.map(issueIn) };
    },
    pullRequest: async (repository, number) =>
      pullRequestOf(await gitea.ask({ method: 'GET', path: `${repo(repository)}/pulls/${number}` })),
    async permissionOf(repository, login) {
      const request = {
        method: 'GET',
        path: `${repo(repository)}/collaborators/${encodeURIComponent(login)}/permission`,
      } as const;
      const answer = await gitea.call(request);
      return answer.status === 404 ? 'none' : permissionIn(textOf(bodyOf(answer, request), 'permission'));
    },
  };
}

const repo = (repository: string): string => `/repos/${segmentsOf(repository)}`;

function commentsOf({ ask }: Asking): Pick<ForgeApi, 'putComment' | 'findComment' | 'comments'> {
  // Gitea returns all comments of an issue at once, oldest first.
  const all = async (repository: string, number: number): Promise<unknown[]> =>
    listOf(await ask({ method: 'GET', path: `${repo(repository)}/issues/${number}/comments` }));
  return {
    // To Gitea a pull request is an issue.
    putComment: async (repository, { number }, body, id) =>
      idOf(
        id === undefined
          ? await ask({ method: 'POST', path: `${repo(repository)}/issues/${number}/comments`, body: { body } })
          : await ask({ method: 'PATCH', path: `${repo(repository)}/issues/comments/${plainId(id)}`, body: { body } }),
      ),
    async findComment(repository, { number }, text) {
      const found = (await all(repository, number)).find((comment) => textOf(comment, 'body').includes(text));
      return found === undefined ? undefined : idOf(found);
    },
    comments: async (repository, { number }) => (await all(repository, number)).slice(0, MAX_COMMENTS).map(commentIn),
  };
}

/** Labels have ids; all versions accept those, names only newer ones. */
function labelsOf({ call, ask }: Asking): Pick<ForgeApi, 'addLabel' | 'removeLabel'> {
  const hasName = (name: string) => (label: unknown): boolean => textOf(label, 'name') === name;
  const labelOf = async (repository: string, name: string): Promise<unknown> => {
    const own = await findInPages(PAGE,
      async (page) =>
        listOf(await ask({ method: 'GET', path: `${repo(repository)}/labels?limit=${PAGE}&page=${page}` })),
      hasName(name));
    return own ?? await inOrganisation(repository, name);
  };
  /** Repositories of persons have no labels beyond their own. */
  const inOrganisation = async (repository: string, name: string): Promise<unknown> => {
    const owner = encodeURIComponent(repository.split('/')[0]!);
    return findInPages(PAGE, async (page) => {
      const request = { method: 'GET', path: `/orgs/${owner}/labels?limit=${PAGE}&page=${page}` } as const;
      const answer = await call(request);
      return answer.status === 404 ? [] : listOf(bodyOf(answer, request));
    }, hasName(name));
  };
  const create = (repository: string, name: string): Promise<unknown> =>
    ask({ method: 'POST', path: `${repo(repository)}/labels`, body: { name, color: '#ededed' } });
  return {
    async addLabel(repository, number, name) {
      const label = await labelOf(repository, name) ?? await create(repository, name);
      await ask({
        method: 'POST',
        path: `${repo(repository)}/issues/${number}/labels`,
        body: { labels: [numberOf(label, 'id')] },
      });
    },
    async removeLabel(repository, number, name) {
      const path = `${repo(repository)}/issues/${number}/labels`;
      const label = listOf(await ask({ method: 'GET', path })).find(hasName(name));
      if (label === undefined) return;
      const request = { method: 'DELETE', path: `${path}/${plainId(idOf(label))}` } as const;
      const answer = await call(request);
      if (answer.status !== 404) bodyOf(answer, request);
    },
  };
}

const commentIn = (comment: unknown): ForgeComment => ({
  id: idOf(comment),
  author: textOf(comment, 'user', 'login'),
  body: textOf(comment, 'body'),
});

const namesOf = (labels: unknown): string[] => listOf(labels).map((label) => textOf(label, 'name'));

const issueIn = (issue: unknown): ForgeIssue => ({
  number: numberOf(issue, 'number'),
  title: textOf(issue, 'title'),
  body: textOf(issue, 'body'),
  url: textOf(issue, 'html_url'),
  labels: namesOf(field(issue, 'labels')),
  author: textOf(issue, 'user', 'login'),
});

function pullRequestOf(pull: unknown): PullRequest {
  const number = numberOf(pull, 'number');
  const base = textOf(pull, 'base', 'repo_id');
  if (base === '') throw new ForgeError(`the pull request ${number} has no base`, { isLasting: true });
  return {
    number,
    title: textOf(pull, 'title'),
    url: textOf(pull, 'html_url'),
    base: textOf(pull, 'base', 'ref'),
    head: textOf(pull, 'head', 'ref'),
    headCommit: textOf(pull, 'head', 'sha'),
    headRef: `refs/pull/${number}/head`,
    isFork: textOf(pull, 'head', 'repo_id') !== base,
    labels: namesOf(field(pull, 'labels')),
  };
}

function permissionIn(word: string): Permission {
  if (word === 'owner' || word === 'admin') return 'admin';
  return word === 'write' || word === 'read' ? word : 'none';
}
