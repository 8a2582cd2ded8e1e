import { settings, type Core } from './core.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { RunRecord, WaitingReason } from './port.ts';

/** Why a run is not handed out, the first that applies: what lasts longest comes first. */
export function explain(core: Core, dispatcher: Dispatcher, run: RunRecord): { waitingReason: WaitingReason | null; labelsMatched: boolean } {
  const matched = dispatcher.anyHas(run.runsOn);
  const labelsMatched = matched || run.fence > 0;
  if (run.state !== 'queued') return { waitingReason: null, labelsMatched };
  const paused = run.availableMs > core.time.now();
  const reason = reasonOf(core, run.projectId, matched);
  return { waitingReason: reason === 'project_disabled' || !paused ? reason : 'backoff', labelsMatched };
}

/** The reasons that all runs of a lane share. */
export function reasonOf(core: Core, projectId: string, matched: boolean): WaitingReason | null {
  const project = settings(core).projects.find(({ id }) => id === projectId);
  if (project === undefined || !project.enabled) return 'project_disabled';
  if (!matched) return 'no_matching_ship';
  return project.max_parallel > 0 && core.changes.heldOfProject(projectId) >= project.max_parallel ? 'concurrency' : null;
}
