import type { Transaction } from '../../../storage/index.ts';
import type { ProjectConfig } from '../../config/index.ts';
import type { RunsEnvironment } from '../../environment.ts';
import type { ChangingListener, RunRecord } from '../../queue/port.ts';
import { findPost, putPost, type Wanted } from '../post-rows.ts';
import { newMarker, type Place, placeOf } from '../wanted.ts';

type Change = ProjectConfig['issue']['on_start'];

/** Whether a run was queued because an issue got the label of its project. */
const isForIssue = ({ issue: { pipeline, role } }: ProjectConfig,
  { kind, task, origin, parentId, matrix }: RunRecord): boolean =>
  parentId === null && matrix === null && origin.forge?.event === 'issue' && task !== '' &&
  ((kind === 'pipeline' && task === pipeline) || (kind === 'ai_text' && task === role));

/** Changes the labels of an issue when its run is queued and when it has ended, and comments how it ended. */
export function wantedByIssues({ config, clock }: Pick<RunsEnvironment, 'config' | 'clock'>,
  wake: () => void): ChangingListener
{
  return async (tx, { run, from }) => {
    const number = run.origin.forge?.issue;
    const place = number === undefined ? undefined : placeOf(config.current().config, run.projectId);
    if (number === undefined || place === undefined || !isForIssue(place.project, run)) return;
    const { issue } = place.project;
    const isNew = from === null;
    const nowMs = clock.now();
    if (isNew) await wantLabels(tx, place, run, { number, change: issue.on_start, isNew, nowMs });
    if (run.finishedAt === null) return tx.onCommit(wake);
    const change = run.state === 'succeeded' ? issue.on_success : issue.on_failure;
    await wantLabels(tx, place, run, { number, change, isNew, nowMs });
    if (issue.comment) await wantComment(tx, place, run, number, nowMs);
    tx.onCommit(wake);
  };
}

interface LabelChange {
  readonly number: number;
  readonly change: Change;
  readonly isNew: boolean;
  readonly nowMs: number;
}

/** What was not sent yet is not lost: the later change is added to it, and wins where they disagree. */
async function wantLabels(tx: Transaction, { project, forge, repository }: Place, run: RunRecord,
  { number, change, isNew, nowMs }: LabelChange): Promise<void>
{
  if (change.add.length === 0 && change.remove.length === 0) return;
  const key = { forge, repository, kind: 'labels', target: `issue/${number}` } as const;
  const known = await findPost(tx, key);
  const before: Wanted['labels'] | undefined = known?.kind === 'labels' && !known.isSent ? known.wanted : undefined;
  const without = (labels: readonly string[] = [], others: readonly string[]): string[] =>
    labels.filter((label) => !others.includes(label));
  const wanted = {
    number,
    add: [...new Set([...without(before?.add, change.remove), ...change.add])],
    remove: [...new Set([...without(before?.remove, change.add), ...change.remove])],
  };
  await putPost(tx, { ...key, projectId: project.id, runId: run.id, commit: '', wanted }, { isNew, nowMs });
}

async function wantComment(tx: Transaction, { project, forge, repository }: Place, run: RunRecord, number: number,
  nowMs: number): Promise<void>
{
  await putPost(tx, {
    forge,
    repository,
    kind: 'comment',
    target: `issue/${number}/${run.id}`,
    projectId: project.id,
    runId: run.id,
    commit: '',
    wanted: { on: 'issue', number, of: 'outcome', marker: newMarker() },
  }, { isNew: false, nowMs });
}
