import { type Core, settings } from './core.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Lane } from './lanes.ts';
import type { RunRecord, WaitingReason } from './port.ts';

/**
 * Why a queued run is not assigned. If several reasons apply, returns the one that lasts longest. Null in other states.
 */
export function explain(core: Core, dispatcher: Dispatcher,
  run: RunRecord): { waitingReason: WaitingReason | null; labelsMatched: boolean }
{
  const labelsMatched = run.fence > 0 || dispatcher.anyHas(run.runsOn);
  if (run.state !== 'queued') return { waitingReason: null, labelsMatched };
  const lane = core.lanes.get(run.laneId);
  const reason = lane === undefined ? 'starting' : reasonOf(core, dispatcher, lane);
  if (reason === 'project_disabled') return { waitingReason: reason, labelsMatched };
  if (run.approval?.state === 'waiting') return { waitingReason: 'approval', labelsMatched };
  if (run.availableMs > core.time.now()) return { waitingReason: 'backoff', labelsMatched };
  const isHeld = run.waitsFor === 'concurrency_group' || (run.waitsFor === 'matrix' && run.cells === 0);
  return { waitingReason: isHeld ? run.waitsFor : reason, labelsMatched };
}

/** A reason that all runs of a lane share. */
export function reasonOf(core: Core, dispatcher: Dispatcher, lane: Lane): WaitingReason {
  const project = settings(core).projects.find(({ id }) => id === lane.projectId);
  if (project === undefined || !project.enabled) return 'project_disabled';
  const { refusal, hasRoom } = dispatcher.availability(lane);
  if (refusal === 'no_matching_ship') return core.knowsShip(lane.selectors) ? 'ship_offline' : refusal;
  if (refusal !== undefined) return refusal;
  if (project.max_parallel > 0 && core.changes.heldOfProject(lane.projectId) >= project.max_parallel)
    return 'concurrency';
  return hasRoom ? 'starting' : 'ship_busy';
}
