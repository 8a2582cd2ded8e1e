import { type Core, settings } from './core.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Lane } from './lanes.ts';
import type { QueueNumbers, RunKind, RunRecord, RunState, WaitingReason, WaitsFor } from './port.ts';

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
  const isHeld = run.waitsFor === 'concurrency_group' || run.waitsFor === 'needs' ||
    (run.waitsFor === 'matrix' && run.cells === 0);
  return { waitingReason: isHeld ? run.waitsFor : reason, labelsMatched };
}

/** A reason that all runs of a lane share. */
function reasonOf(core: Core, dispatcher: Dispatcher, lane: Lane): WaitingReason {
  const project = settings(core).projects.find(({ id }) => id === lane.projectId);
  if (project === undefined || !project.enabled) return 'project_disabled';
  const { refusal, hasRoom } = dispatcher.availability(lane);
  if (refusal === 'no_matching_ship') return core.knowsShip(lane.selectors) ? 'ship_offline' : refusal;
  if (refusal !== undefined) return refusal;
  if (project.max_parallel > 0 && core.changes.heldOfProject(lane.projectId) >= project.max_parallel)
    return 'concurrency';
  return hasRoom ? 'starting' : 'ship_busy';
}

const COUNTS = 'SELECT state, kind, count(*) AS n FROM runs GROUP BY kind, state';

const OLDEST =
  "SELECT lane_id, waits_for, min(queued_ms) AS since FROM runs WHERE state = 'queued' GROUP BY lane_id, waits_for";

/** Read away from the event loop, because it counts the whole history. */
export async function numbers(core: Core, dispatcher: Dispatcher): Promise<QueueNumbers> {
  const { background } = core.env.sql;
  const counts = await background.all<{ state: RunState; kind: RunKind; n: number }>(COUNTS);
  const oldest = await background.all<{ lane_id: number; waits_for: WaitsFor; since: number }>(OLDEST);
  const now = core.time.now();
  const seconds = new Map<WaitingReason | 'none', number>();
  for (const { lane_id: lane, waits_for: waitsFor, since } of oldest) {
    const known = core.lanes.get(lane);
    const reason = known === undefined ? 'none' : reasonOf(core, dispatcher, known);
    const effective = reason === 'project_disabled' || waitsFor === 'ship' ? reason : waitsFor;
    seconds.set(effective, Math.max(seconds.get(effective) ?? 0, now - since));
  }
  return {
    runs: counts.map(({ state, kind, n }) => ({ state, kind, count: n })),
    oldestQueuedSeconds: [...seconds].map(([reason, waited]) => ({ reason, seconds: Math.floor(waited / 1000) })),
  };
}
