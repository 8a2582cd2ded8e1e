import { type CommitStatus, type ForgeAnswer, type ForgeApi, type ForgeCall, type ForgeComment, type ForgeIssue,
  type Permission, type PullRequest, type Thread } from '../port.ts';
import { type Asking, asking, bodyOf, field, findInPages, idOf, listIfChanged, listOf, numberOf, plainId, segmentsOf,
  textOf } from './answers.ts';

const PAGE = 100;
const MAX_DESCRIPTION = 255;

const STATES: Readonly<Record<CommitStatus['state'], string>> = {
  pending: 'pending',
  running: 'running',
  success: 'success',
  failure: 'failed',
  error: 'failed',
  cancelled: 'canceled',
};

/**
 * GitLab's REST API, version 4: "Commits: set commit pipeline status", "Notes", "Issues", "Merge requests" and
 * "Members". Tokens of persons, projects and groups are accepted as OAuth tokens are.
 */
export function gitlabApi(token: string, call: ForgeCall): ForgeApi {
  const gitlab = asking(call, { Authorization: `Bearer ${token}` });
  return {
    async setStatus(repository, commit, { state, context, description, targetUrl }) {
      const request = {
        method: 'POST',
        path: `${project(repository)}/statuses/${encodeURIComponent(commit)}`,
        body: {
          state: STATES[state],
          name: context,
          description: description.slice(0, MAX_DESCRIPTION),
          ...(targetUrl === '' ? {} : { target_url: targetUrl }),
        },
      } as const;
      const answer = await gitlab.call(request);
      if (!isThereAlready(answer)) bodyOf(answer, request);
    },
    ...notesOf(gitlab),
    ...issuesOf(gitlab),
    pullRequest: async (repository, number) =>
      mergeRequestOf(await gitlab.ask({ method: 'GET', path: `${project(repository)}/merge_requests/${number}` })),
    permissionOf: (repository, login) => permissionOf(gitlab, repository, login),
  };
}

/** Projects are named by their path, of which the slashes are encoded, too. */
const project = (repository: string): string => `/projects/${segmentsOf(repository).replaceAll('/', '%2F')}`;

/** GitLab refuses a status that the commit has: `Cannot transition status via :run from :running`. */
function isThereAlready({ status, json }: ForgeAnswer): boolean {
  const message = JSON.stringify(field(json, 'message') ?? '');
  const [, event, state] = /Cannot transition status via :(\w+) from :(\w+)/.exec(message) ?? [];
  return status === 400 && event !== undefined && (TARGETS[event] ?? '') === state;
}

/** The states that the events of GitLab's messages lead to. */
const TARGETS: Readonly<Record<string, string>> = {
  enqueue: 'pending',
  run: 'running',
  success: 'success',
  drop: 'failed',
  cancel: 'canceled',
};

function notesOf({ ask }: Asking): Pick<ForgeApi, 'putComment' | 'findComment' | 'comments'> {
  const path = (repository: string, { on, number }: Thread): string =>
    `${project(repository)}/${on === 'issue' ? 'issues' : 'merge_requests'}/${number}/notes`;
  const pageOf = async (repository: string, thread: Thread, page: number): Promise<unknown[]> =>
    listOf(await ask({
      method: 'GET',
      path: `${path(repository, thread)}?sort=asc&order_by=created_at&per_page=${PAGE}&page=${page}`,
    }));
  return {
    putComment: async (repository, thread, body, id) =>
      idOf(
        id === undefined
          ? await ask({ method: 'POST', path: path(repository, thread), body: { body } })
          : await ask({ method: 'PUT', path: `${path(repository, thread)}/${plainId(id)}`, body: { body } }),
      ),
    async findComment(repository, thread, text) {
      const found = await findInPages(PAGE, (page) => pageOf(repository, thread, page),
        (note) => textOf(note, 'body').includes(text));
      return found === undefined ? undefined : idOf(found);
    },
    // What GitLab itself notes, such as changed labels, is no comment.
    comments: async (repository, thread) =>
      (await pageOf(repository, thread, 1)).filter((note) => field(note, 'system') !== true).map(noteIn),
  };
}

function issuesOf(gitlab: Asking): Pick<ForgeApi, 'addLabel' | 'removeLabel' | 'issue' | 'issuesWith'> {
  const { ask } = gitlab;
  const change = async (repository: string, number: number, body: object): Promise<void> => {
    await ask({ method: 'PUT', path: `${project(repository)}/issues/${number}`, body });
  };
  return {
    addLabel: (repository, number, label) => change(repository, number, { add_labels: label }),
    removeLabel: (repository, number, label) => change(repository, number, { remove_labels: label }),
    issue: async (repository, number) =>
      issueIn(await ask({ method: 'GET', path: `${project(repository)}/issues/${number}` })),
    async issuesWith(repository, label, etag) {
      const query = new URLSearchParams({
        labels: label,
        state: 'opened',
        order_by: 'created_at',
        sort: 'asc',
        per_page: String(PAGE),
      });
      const list = await listIfChanged(gitlab, `${project(repository)}/issues?${query.toString()}`, etag);
      return list && { etag: list.etag, issues: list.entries.map(issueIn) };
    },
  };
}

/** Members are asked for by their id, because a search by name also finds others. */
async function permissionOf({ call, ask }: Asking, repository: string, login: string): Promise<Permission> {
  const users = listOf(await ask({ method: 'GET', path: `/users?username=${encodeURIComponent(login)}` }));
  const user = users.find((each) => textOf(each, 'username').toLowerCase() === login.toLowerCase());
  if (user === undefined) return 'none';
  const request = { method: 'GET', path: `${project(repository)}/members/all/${plainId(idOf(user))}` } as const;
  const answer = await call(request);
  if (answer.status === 404) return 'none';
  const member = bodyOf(answer, request);
  return textOf(member, 'state') === 'active' ? permissionAt(numberOf(member, 'access_level')) : 'none';
}

/** 30 is Developer, 40 Maintainer, by "Roles" of the documentation. */
function permissionAt(level: number): Permission {
  if (level >= 40) return 'admin';
  if (level >= 30) return 'write';
  return level >= 10 ? 'read' : 'none';
}

const noteIn = (note: unknown): ForgeComment => ({
  id: idOf(note),
  author: textOf(note, 'author', 'username'),
  body: textOf(note, 'body'),
});

const issueIn = (issue: unknown): ForgeIssue => ({
  number: numberOf(issue, 'iid'),
  title: textOf(issue, 'title'),
  body: textOf(issue, 'description'),
  url: textOf(issue, 'web_url'),
  labels: listOf(field(issue, 'labels')).map(String),
  author: textOf(issue, 'author', 'username'),
});

function mergeRequestOf(request: unknown): PullRequest {
  const number = numberOf(request, 'iid');
  return {
    number,
    title: textOf(request, 'title'),
    url: textOf(request, 'web_url'),
    base: textOf(request, 'target_branch'),
    head: textOf(request, 'source_branch'),
    headCommit: textOf(request, 'sha'),
    headRef: `refs/merge-requests/${number}/head`,
    isFork: textOf(request, 'source_project_id') !== textOf(request, 'target_project_id'),
    labels: listOf(field(request, 'labels')).map(String),
  };
}
