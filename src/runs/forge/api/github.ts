import { type CommitStatus, type ForgeApi, type ForgeCall, type ForgeComment, type ForgeIssue, type Permission,
  type PullRequest } from '../port.ts';
import { type Asking, asking, bodyOf, field, findInPages, GITHUB_STATES, idOf, listIfChanged, listOf, numberOf, plainId,
  segmentsOf, textOf } from './answers.ts';
import { GithubChecks } from './github-checks.ts';

const PAGE = 100;

/**
 * GitHub's REST API, version 2022-11-28: "Commit statuses", "Check runs", "Issues", "Issue comments", "Labels", "Pulls"
 * and "Collaborators". Check runs are used as soon as one can be created, which needs a token of a GitHub App.
 */
export function githubApi(token: string, call: ForgeCall): ForgeApi {
  const github = asking(call, {
    'Accept': 'application/vnd.github+json',
    'Authorization': `Bearer ${token}`,
    'X-GitHub-Api-Version': '2022-11-28',
  });
  const checks = new GithubChecks(github);
  return {
    async setStatus(repository, commit, status, details) {
      if (!await checks.set(repository, commit, status, details)) await setStatus(github, repository, commit, status);
    },
    ...commentsOf(github),
    ...issuesOf(github),
    async pullRequest(repository, number) {
      return pullRequestOf(
        await github.ask({ method: 'GET', path: `/repos/${segmentsOf(repository)}/pulls/${number}` }),
      );
    },
    async permissionOf(repository, login) {
      const request = {
        method: 'GET',
        path: `/repos/${segmentsOf(repository)}/collaborators/${encodeURIComponent(login)}/permission`,
      } as const;
      const answer = await github.call(request);
      return answer.status === 404 ? 'none' : permissionIn(textOf(bodyOf(answer, request), 'permission'));
    },
  };
}

async function setStatus({ ask }: Asking, repository: string, commit: string,
  { state, context, description, targetUrl }: CommitStatus): Promise<void>
{
  await ask({
    method: 'POST',
    path: `/repos/${segmentsOf(repository)}/statuses/${encodeURIComponent(commit)}`,
    body: { state: GITHUB_STATES[state], context, description, ...(targetUrl === '' ? {} : { target_url: targetUrl }) },
  });
}

function commentsOf({ ask }: Asking): Pick<ForgeApi, 'putComment' | 'findComment' | 'comments'> {
  const pageOf = async (repository: string, number: number, page: number): Promise<unknown[]> =>
    listOf(await ask({
      method: 'GET',
      path: `/repos/${segmentsOf(repository)}/issues/${number}/comments?per_page=${PAGE}&page=${page}`,
    }));
  return {
    // To GitHub a pull request is an issue.
    async putComment(repository, { number }, body, id) {
      const issues = `/repos/${segmentsOf(repository)}/issues`;
      return idOf(
        id === undefined
          ? await ask({ method: 'POST', path: `${issues}/${number}/comments`, body: { body } })
          : await ask({ method: 'PATCH', path: `${issues}/comments/${plainId(id)}`, body: { body } }),
      );
    },
    async findComment(repository, { number }, text) {
      const found = await findInPages(PAGE, (page) => pageOf(repository, number, page),
        (comment) => textOf(comment, 'body').includes(text));
      return found === undefined ? undefined : idOf(found);
    },
    comments: async (repository, { number }) => (await pageOf(repository, number, 1)).map(commentIn),
  };
}

function issuesOf(github: Asking): Pick<ForgeApi, 'addLabel' | 'removeLabel' | 'issue' | 'issuesWith'> {
  const { call, ask } = github;
  const path = (repository: string, number: number): string => `/repos/${segmentsOf(repository)}/issues/${number}`;
  return {
    async addLabel(repository, number, label) {
      await ask({ method: 'POST', path: `${path(repository, number)}/labels`, body: { labels: [label] } });
    },
    async removeLabel(repository, number, label) {
      const request = {
        method: 'DELETE',
        path: `${path(repository, number)}/labels/${encodeURIComponent(label)}`,
      } as const;
      const answer = await call(request);
      if (answer.status !== 404) bodyOf(answer, request);
    },
    issue: async (repository, number) => issueIn(await ask({ method: 'GET', path: path(repository, number) })),
    async issuesWith(repository, label, etag) {
      const query = new URLSearchParams({
        labels: label,
        state: 'open',
        sort: 'created',
        direction: 'asc',
        per_page: String(PAGE),
      });
      const list = await listIfChanged(github, `/repos/${segmentsOf(repository)}/issues?${query.toString()}`, etag);
      if (list === undefined) return undefined;
      // To GitHub a pull request is an issue.
      const issues = list.entries.filter((entry) => field(entry, 'pull_request') === undefined);
      return { etag: list.etag, issues: issues.map(issueIn) };
    },
  };
}

const commentIn = (comment: unknown): ForgeComment => ({
  id: idOf(comment),
  author: textOf(comment, 'user', 'login'),
  body: textOf(comment, 'body'),
});

const issueIn = (issue: unknown): ForgeIssue => ({
  number: numberOf(issue, 'number'),
  title: textOf(issue, 'title'),
  body: textOf(issue, 'body'),
  url: textOf(issue, 'html_url'),
  labels: listOf(field(issue, 'labels')).map((label) => (typeof label === 'string' ? label : textOf(label, 'name'))),
  author: textOf(issue, 'user', 'login'),
});

/** A fork that was deleted leaves no repository at the head. */
function pullRequestOf(pull: unknown): PullRequest {
  const number = numberOf(pull, 'number');
  return {
    number,
    title: textOf(pull, 'title'),
    url: textOf(pull, 'html_url'),
    base: textOf(pull, 'base', 'ref'),
    head: textOf(pull, 'head', 'ref'),
    headCommit: textOf(pull, 'head', 'sha'),
    headRef: `refs/pull/${number}/head`,
    isFork: textOf(pull, 'head', 'repo', 'id') !== textOf(pull, 'base', 'repo', 'id'),
    labels: listOf(field(pull, 'labels')).map((label) => textOf(label, 'name')),
  };
}

/** `permission` knows four values: `maintain` is shown as `write`, and `triage` as `read`. */
function permissionIn(word: string): Permission {
  return word === 'admin' || word === 'write' || word === 'read' ? word : 'none';
}
