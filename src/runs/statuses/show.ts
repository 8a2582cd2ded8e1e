import type { RunsEnvironment } from '../environment.ts';
import type { ForgeApis } from '../forge/index.ts';
import { type Annotation, type ForgeApi, ForgeError, type Thread } from '../forge/port.ts';
import type { Queue } from '../queue/port.ts';
import { presentResult } from '../runs/index.ts';
import { outcomeComment, resultsComment, type Shown } from './comments.ts';
import { harmless, hidden } from './markdown.ts';
import { type DuePost, statusesOf, type Wanted } from './post-rows.ts';
import { contextOf, statusOfRun } from './status-of-run.ts';

export interface ShowDeps {
  readonly env: Pick<RunsEnvironment, 'sql' | 'config'>;
  readonly queue: Pick<Queue, 'get' | 'result' | 'summary'>;
  readonly apis: ForgeApis;
  /** Places in files that a run points at, for checks of GitHub. */
  readonly annotationsOf: (runId: string) => Promise<readonly Annotation[]>;
}

const ENDED: ReadonlySet<string> = new Set(['success', 'failure', 'error', 'cancelled']);
const MAX_SUMMARY = 60_000;

/** Has a forge show one thing; returns the id of a comment, otherwise an empty text. Rejects with `ForgeError`. */
export async function show(deps: ShowDeps, post: DuePost): Promise<string> {
  const api = await deps.apis.apiOf(post.forge);
  if (api === undefined)
    throw new ForgeError('the forge has no token: its secret is not set, or it was removed from the configuration', {
      isLasting: false,
    });
  if (post.kind === 'labels') return showLabels(api, post.repository, post.wanted);
  if (post.kind === 'comment') return showComment(deps, api, post);
  const isOver = ENDED.has(post.wanted.state);
  await api.setStatus(post.repository, post.commit, post.wanted, {
    summary: isOver ? harmless(await summaryOf(deps, post.runId)).slice(0, MAX_SUMMARY) : '',
    annotations: isOver ? await deps.annotationsOf(post.runId) : [],
  });
  return '';
}

/** What a fork's code writes does not appear under the name of the token's owner. */
async function summaryOf({ queue }: ShowDeps, runId: string): Promise<string> {
  const isRestricted = (await queue.get(runId))?.origin.forge?.restricted === true;
  return isRestricted ? '' : await queue.summary(runId) ?? '';
}

async function showLabels(api: ForgeApi, repository: string,
  { number, add, remove }: Wanted['labels']): Promise<string>
{
  for (const label of add) await api.addLabel(repository, number, label);
  for (const label of remove) await api.removeLabel(repository, number, label);
  return '';
}

async function showComment(deps: ShowDeps, api: ForgeApi,
  post: DuePost & { readonly kind: 'comment' }): Promise<string>
{
  const { repository, wanted: { on, number, of, marker }, remoteId } = post;
  const thread: Thread = { on, number };
  const body = await (of === 'results' ? resultsOf(deps, post) : outcomeOf(deps, post));
  if (body === undefined) return remoteId;
  // The process may have died after the comment was created, and before its id was stored.
  const id = remoteId || await api.findComment(repository, thread, hidden(marker));
  try {
    return await api.putComment(repository, thread, body, id);
  } catch (error) {
    // Somebody has deleted it.
    if (id !== undefined && error instanceof ForgeError && error.status === 404)
      return api.putComment(repository, thread, body, undefined);
    throw error;
  }
}

/** Undefined if the project asks for a comment only with summaries, and there are none. */
async function resultsOf(deps: ShowDeps,
  { forge, repository, commit, projectId, wanted: { marker }, remoteId }: DuePost & {
    readonly kind: 'comment';
  }): Promise<string | undefined>
{
  const { sql, config } = deps.env;
  const project = config.current().config.projects.find(({ id }) => id === projectId);
  const shown: Shown[] = [];
  for (const { wanted: status, runId } of await statusesOf(sql, forge, repository, commit)) {
    shown.push({ status, summary: await summaryOf(deps, runId) });
  }
  const isWanted = project?.statuses.comment === 'always' || shown.some(({ summary }) => summary !== '');
  return isWanted || remoteId !== '' ? resultsComment(commit, marker, shown) : undefined;
}

/** Undefined if the run is gone. */
async function outcomeOf({ env: { config }, queue }: ShowDeps,
  { projectId, runId, wanted: { marker } }: DuePost & { readonly kind: 'comment' }): Promise<string | undefined>
{
  const { projects, runtime } = config.current().config;
  const run = await queue.get(runId);
  const project = projects.find(({ id }) => id === projectId);
  if (run === undefined || project === undefined) return undefined;
  const status = statusOfRun(run, contextOf(project, run.task), runtime.public_url);
  const result = await queue.result(runId);
  return outcomeComment(marker, {
    run,
    status,
    result: result === undefined ? '' : presentResult(result).content,
    summary: await queue.summary(runId) ?? '',
  });
}
