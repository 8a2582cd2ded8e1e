import { approveRun, cancelRun, listPipelines, listProjects, rejectRun, rerunRun, retryRun } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { ask, idempotencyKey } from '../shared/ask.ts';
import { Confirm } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { hasEnded } from './list.tsx';
import { runAt } from './places.ts';
import { may } from './rights.ts';

interface ActionsProps {
  readonly run: Run;
  readonly onChange: () => void;
}

/** What the caller may do with a run in its state; nothing while it is being cancelled. */
export function RunActions({ run, onChange }: ActionsProps) {
  const { id, state, approval, project_id: project } = run;
  const change = (action: () => Promise<unknown>, done: string) => async (): Promise<void> => {
    if (await attempt(action, done)) onChange();
  };
  if (hasEnded(state)) return may('retryRun', project) ? <Repeat run={run} /> : null;
  if (state === 'cancelling') return null;
  const cancel = <Confirm label="Cancel" says="Stops the run. What it has done so far stays done." onConfirm={change(() => ask(cancelRun({ path: { id } })), 'The run is being cancelled')} />;
  if (state !== 'queued' || approval?.state !== 'waiting' || !may('approveRun', project)) return may('cancelRun', project) ? cancel : null;
  return (
    <>
      <button class="primary" onClick={change(() => ask(approveRun({ path: { id } })), 'The run is approved')}>Approve</button>
      <Confirm label="Reject" says={approval.step == null ? 'The run ends without having started.' : 'The run ends here. What it has done so far stays done.'} onConfirm={change(() => ask(rejectRun({ path: { id } })), 'The run is rejected')} />
    </>
  );
}

/** Runs an ended run again, if its project and its pipeline still permit that. */
function Repeat({ run: { id, state, cells, commit, project_id: project, kind, task } }: { readonly run: Run }) {
  const problem = useLoad(async (signal) => {
    const [projects, pipelines] = await Promise.all([ask(listProjects({ signal })), ask(listPipelines({ signal }))]);
    const found = projects.data.find(({ id: each, enabled }) => each === project && enabled);
    if (found === undefined) return 'The project is off or removed.';
    // Whether the repository has it is known only when its commit is read.
    const isThere = found.pipelines_from === 'repository' ||
      pipelines.data.some(({ name, projects: only }) => name === task && (only == null || only.includes(project)));
    return kind === 'pipeline' && !isThere ? 'The project has no such pipeline any more.' : '';
  }, [project, kind, task]);
  const queue = (request: (headers: { 'Idempotency-Key': string }) => Promise<{ data: Run }>) => (): Promise<unknown> => attempt(async () => {
    const { data } = await request({ 'Idempotency-Key': idempotencyKey() });
    location.hash = runAt(data.id);
  }, 'The run is queued again');
  const retry = (which: 'all' | 'failed') => queue((headers) => ask(retryRun({ path: { id }, query: { cells: which }, headers })));
  const rerun = (which: 'same' | 'newest') => queue((headers) => ask(rerunRun({ path: { id }, query: { commit: which }, headers })));
  if (problem.data !== undefined && problem.data !== '') return <span class="muted small">{problem.data}</span>;
  return (
    <>
      {commit != null && <button onClick={rerun('newest')}>Run newest commit</button>}
      {cells > 0 && state === 'failed' && <button onClick={retry('failed')}>Retry failed cells</button>}
      {state === 'succeeded' ? <button class="primary" onClick={rerun('same')}>Run again</button> : <button class="primary" onClick={retry('all')}>Retry</button>}
    </>
  );
}
