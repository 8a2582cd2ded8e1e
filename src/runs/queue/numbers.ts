import type { Queries } from '../../storage/index.ts';
import type { Core } from './core.ts';
import type { QueueNumbers, RunKind, RunState, WaitingReason, WaitsFor } from './port.ts';

const COUNTS = 'SELECT state, kind, count(*) AS n FROM runs GROUP BY kind, state';

const OLDEST =
  "SELECT lane_id, waits_for, min(queued_ms) AS since FROM runs WHERE state = 'queued' GROUP BY lane_id, waits_for";

/** Why the runs of a lane wait. */
export type LaneReason = (laneId: number) => WaitingReason | null;

/** Read away from the event loop, because it counts the whole history. */
export async function numbers(core: Core, background: Queries, reasonOf: LaneReason): Promise<QueueNumbers> {
  const counts = await background.all<{ state: RunState; kind: RunKind; n: number }>(COUNTS);
  const oldest = await background.all<{ lane_id: number; waits_for: WaitsFor; since: number }>(OLDEST);
  const now = core.time.now();
  const seconds = new Map<WaitingReason | 'none', number>();
  for (const { lane_id: lane, waits_for: waitsFor, since } of oldest) {
    const reason = reasonOf(lane) ?? 'none';
    const effective = reason === 'project_disabled' || waitsFor === 'ship' ? reason : waitsFor;
    seconds.set(effective, Math.max(seconds.get(effective) ?? 0, now - since));
  }
  return {
    runs: counts.map(({ state, kind, n }) => ({ state, kind, count: n })),
    oldestQueuedSeconds: [...seconds].map(([reason, waited]) => ({ reason, seconds: Math.floor(waited / 1000) })),
  };
}
