import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../storage/index.ts';
import type { ProjectConfig, RunsConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { ForgeEvent, Rejection } from '../forge/port.ts';
import type { ChangingListener, RunChange, RunRecord } from '../queue/port.ts';
import { findPost, putPost } from './post-rows.ts';
import { repositoryPath } from './repository-path.ts';
import { contextOf, statusOfRun } from './status-of-run.ts';

/** A repository at a forge that has a token. */
export interface Place {
  readonly project: ProjectConfig;
  readonly forge: string;
  readonly repository: string;
}

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);

/** Where the forge of a project shows something; undefined if the project has none with a token. */
export function placeOf({ projects, forges }: RunsConfig, projectId: string): Place | undefined {
  const project = projects.find(({ id }) => id === projectId);
  const forge = forges.find(({ name }) => name === project?.forge);
  if (project === undefined || forge === undefined || forge.token === '') return undefined;
  const repository = repositoryPath(project.repository, forge.url);
  return repository === undefined ? undefined : { project, forge: forge.name, repository };
}

/** Events that no forge has sent. */
const OWN: ReadonlySet<string> = new Set(['manual', 'schedule']);

/** The commit that shows the run; empty for none. */
function commitOf({ statuses: { of } }: ProjectConfig, { origin, gitCommit }: RunRecord): string {
  if (of === 'none') return '';
  const { forge } = origin;
  if (forge !== undefined && !OWN.has(forge.event))
    return forge.event === 'issue' ? '' : forge.commit || gitCommit || '';
  return of === 'all' ? gitCommit ?? '' : '';
}

/**
 * Sets what the forge is to show after a change of a run, in the transaction of the change: the status of its commit,
 * and the comment on its pull request. Cells count for the run that they belong to, and a repeated cell does not change
 * its outcome.
 */
export function wantedByRuns({ config, clock }: Pick<RunsEnvironment, 'config' | 'clock'>,
  wake: () => void): ChangingListener
{
  return async (tx, change) => {
    const { run, from } = change;
    // Commits of prompts say which files they were given.
    if (run.parentId !== null || run.matrix !== null || run.kind !== 'pipeline' || run.task === '') return;
    const current = config.current().config;
    const place = placeOf(current, run.projectId);
    if (place === undefined) return;
    const { project, forge, repository } = place;
    const commit = commitOf(project, run);
    if (commit === '') return;
    const context = contextOf(project, run.task);
    await putPost(tx, {
      forge,
      repository,
      kind: 'status',
      target: `${commit} ${context}`,
      projectId: project.id,
      runId: run.id,
      commit,
      wanted: statusOfRun(run, context, current.runtime.public_url),
    }, { isNew: from === null, nowMs: clock.now() });
    const pull = run.origin.forge?.pullRequest;
    if (pull !== undefined && project.statuses.comment !== 'never')
      await wantComment(tx, place, change, { number: pull.number, commit, nowMs: clock.now() });
    tx.onCommit(wake);
  };
}

/** The comment appears with the first result, and is replaced at each further one, and when runs begin anew. */
async function wantComment(tx: Transaction, { project, forge, repository }: Place, { run, from }: RunChange,
  { number, commit, nowMs }: { readonly number: number; readonly commit: string; readonly nowMs: number }
): Promise<void> {
  const isNew = from === null;
  if (!isNew && !ENDED.has(run.state)) return;
  const key = { forge, repository, kind: 'comment', target: `pull_request/${number}` } as const;
  const known = await findPost(tx, key);
  if (known === undefined && isNew) return;
  const marker = known?.kind === 'comment' ? known.wanted.marker : newMarker();
  await putPost(tx, {
    ...key,
    projectId: project.id,
    runId: run.id,
    commit,
    wanted: { on: 'pull_request', number, of: 'results', marker },
  }, { isNew, nowMs });
}

/** By which a comment is found again. Nobody can guess it before the comment is there, and write one that has it. */
export const newMarker = (): string => randomBytes(12).toString('hex');

/** Shows on the commit why nothing runs, as a status of the state `error`. */
export async function wantRejection(tx: Transaction, { config, clock }: Pick<RunsEnvironment, 'config' | 'clock'>,
  { project: { id: projectId }, event: { commit }, pipeline: name, reason }: Pick<Rejection, 'pipeline' | 'reason'> & {
    readonly project: Pick<ProjectConfig, 'id'>;
    readonly event: Pick<ForgeEvent, 'commit'>;
  }): Promise<void>
{
  const place = placeOf(config.current().config, projectId);
  if (place === undefined || place.project.statuses.of === 'none' || commit === '') return;
  const { forge, repository, project } = place;
  const context = contextOf(project, name);
  await putPost(tx, {
    forge,
    repository,
    kind: 'status',
    target: `${commit} ${context}`,
    projectId,
    runId: '',
    commit,
    wanted: {
      state: 'error',
      context,
      description: reason.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 140),
      targetUrl: '',
    },
  }, { isNew: true, nowMs: clock.now() });
}
