import { createHash } from 'node:crypto';
import { type CommitStatus, type ForgeApi, type ForgeCall, type ForgeComment, ForgeError, type Permission,
  type PullRequest } from '../port.ts';
import { type Asking, asking, bodyOf, field, findInPages, idOf, listOf, numberOf, plainId, segmentsOf,
  textOf } from './answers.ts';

const PAGE = 100;
/** Most characters of a key, of a description and of an address, by the documentation. */
const MAX = { key: 255, description: 255, url: 450 } as const;

const STATES: Readonly<Record<CommitStatus['state'], string>> = {
  pending: 'INPROGRESS',
  running: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  error: 'FAILED',
  cancelled: 'CANCELLED',
};

/**
 * The REST API of Bitbucket Data Center from version 8.0 on: "Builds and Deployments", "Pull Requests" and "Users".
 * `token` is an HTTP access token; `web` is the address where people see the forge. It has no issues, and no labels of
 * pull requests.
 */
export function bitbucketDataCenterApi(token: string, call: ForgeCall, web: string): ForgeApi {
  const bitbucket = asking(call, { Authorization: `Bearer ${token}` });
  const { ask } = bitbucket;
  return {
    async setStatus(repository, commit, { state, context, description, targetUrl }) {
      await ask({
        method: 'POST',
        path: `${repo(repository)}/commits/${encodeURIComponent(commit)}/builds`,
        body: {
          // A build of the same key is replaced.
          key: keyOf(context),
          state: STATES[state],
          name: context.slice(0, MAX.key),
          description: description.slice(0, MAX.description),
          // Required, unlike elsewhere.
          url: (targetUrl || `${web}${repo(repository)}/commits/${encodeURIComponent(commit)}`).slice(0, MAX.url),
        },
      });
    },
    ...commentsOf(bitbucket),
    addLabel: () => Promise.reject(noLabels()),
    removeLabel: () => Promise.reject(noLabels()),
    issuesWith: () => Promise.reject(noLabels()),
    issue: () => Promise.reject(new ForgeError('Bitbucket Data Center has no issues', { isLasting: true })),
    pullRequest: async (repository, number) =>
      pullRequestOf(await ask({ method: 'GET', path: `${repo(repository)}/pull-requests/${number}` })),
    permissionOf: (repository, login) => permissionOf(bitbucket, repository, login),
  };
}

/** Addresses by https have `scm/` before the project: `https://host/scm/PROJECT/name.git`. */
function placeOf(repository: string): { readonly project: string; readonly slug: string } {
  const parts = segmentsOf(repository).split('/');
  const [project, slug, ...more] = parts.length > 2 && parts[0] === 'scm' ? parts.slice(1) : parts;
  if (more.length > 0)
    throw new ForgeError(`${JSON.stringify(repository)} is no repository: expected PROJECT/name`, { isLasting: true });
  return { project: project!, slug: slug! };
}

function repo(repository: string): string {
  const { project, slug } = placeOf(repository);
  return `/projects/${project}/repos/${slug}`;
}

const noLabels = (): ForgeError =>
  new ForgeError('Bitbucket Data Center has no labels of pull requests', { isLasting: true });

const keyOf = (context: string): string =>
  context.length <= MAX.key ? context : createHash('sha256').update(context).digest('hex');

const valuesOf = (page: unknown): unknown[] => listOf(field(page, 'values'));
const pageQuery = (page: number): string => `limit=${PAGE}&start=${(page - 1) * PAGE}`;

function commentsOf({ ask }: Asking): Pick<ForgeApi, 'putComment' | 'findComment' | 'comments'> {
  const pull = (repository: string, number: number): string => `${repo(repository)}/pull-requests/${number}`;
  /** Newest first, with other things that happened. */
  const pageOf = async (repository: string, number: number, page: number): Promise<unknown[]> =>
    valuesOf(await ask({ method: 'GET', path: `${pull(repository, number)}/activities?${pageQuery(page)}` }));
  const commentIn = (activity: unknown): unknown =>
    textOf(activity, 'action') === 'COMMENTED' ? field(activity, 'comment') : undefined;
  return {
    async putComment(repository, { number }, text, id) {
      const path = `${pull(repository, number)}/comments`;
      if (id === undefined) return idOf(await ask({ method: 'POST', path, body: { text } }));
      const own = `${path}/${plainId(id)}`;
      // An update names the version that it replaces; if another one is faster, it is tried again.
      const version = numberOf(await ask({ method: 'GET', path: own }), 'version');
      return idOf(await ask({ method: 'PUT', path: own, body: { text, version } }));
    },
    async findComment(repository, { number }, text) {
      const found = await findInPages(PAGE, (page) => pageOf(repository, number, page),
        (activity) => textOf(commentIn(activity), 'text').includes(text));
      return found === undefined ? undefined : idOf(commentIn(found));
    },
    comments: async (repository, { number }) =>
      (await pageOf(repository, number, 1)).map(commentIn).filter((comment) => comment !== undefined).reverse().map(
        toComment,
      ),
  };
}

const toComment = (comment: unknown): ForgeComment => ({
  id: idOf(comment),
  author: textOf(comment, 'author', 'name'),
  body: textOf(comment, 'text'),
});

/**
 * Asks for the users who have a permission, also by a group, by their project or by all of the server; `filter` finds
 * more names than this one.
 */
async function permissionOf({ call }: Asking, repository: string, login: string): Promise<Permission> {
  const { project, slug } = placeOf(repository);
  const has = async (permission: string): Promise<boolean> => {
    const query = new URLSearchParams({
      'filter': login,
      'permission.1': permission,
      'permission.1.projectKey': decodeURIComponent(project),
      'permission.1.repositorySlug': decodeURIComponent(slug),
    });
    const found = await findInPages(PAGE, async (page) => {
      const request = { method: 'GET', path: `/users?${query.toString()}&${pageQuery(page)}` } as const;
      return valuesOf(bodyOf(await call(request), request));
    }, (user) => textOf(user, 'name') === login);
    return found !== undefined;
  };
  if (await has('REPO_ADMIN')) return 'admin';
  if (await has('REPO_WRITE')) return 'write';
  return await has('REPO_READ') ? 'read' : 'none';
}

function pullRequestOf(pull: unknown): PullRequest {
  const number = numberOf(pull, 'id');
  return {
    number,
    title: textOf(pull, 'title'),
    url: textOf(listOf(field(pull, 'links', 'self'))[0], 'href'),
    base: textOf(pull, 'toRef', 'displayId'),
    head: textOf(pull, 'fromRef', 'displayId'),
    headCommit: textOf(pull, 'fromRef', 'latestCommit'),
    headRef: `refs/pull-requests/${number}/from`,
    isFork: isFork(pull),
    labels: [],
  };
}

function isFork(pull: unknown): boolean {
  const from = textOf(pull, 'fromRef', 'repository', 'id');
  return from === '' || from !== textOf(pull, 'toRef', 'repository', 'id');
}
