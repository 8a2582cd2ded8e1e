import type { Queries } from '../../storage/index.ts';
import { WAITS_FOR_MATRIX } from './cells.ts';
import type { Core } from './core.ts';
import { WAITS_FOR_GROUP } from './groups.ts';
import type { QueueNumbers, RunKind, RunState, WaitingReason } from './port.ts';
import { WAITS_FOR_APPROVAL } from './run-rows.ts';

const COUNTS = 'SELECT state, kind, count(*) AS n FROM runs GROUP BY kind, state';

const OLDEST =
  "SELECT lane_id, ready, min(queued_ms) AS since FROM runs WHERE state = 'queued' GROUP BY lane_id, ready";

/** Why the runs of a lane wait. */
export type LaneReason = (laneId: number) => WaitingReason | null;

/** The reasons that `ready` of a run expresses. */
const OWN_REASONS: ReadonlyMap<number, WaitingReason> = new Map([[0, 'backoff'], [WAITS_FOR_GROUP, 'concurrency_group'],
  [WAITS_FOR_APPROVAL, 'approval'], [WAITS_FOR_MATRIX, 'matrix']]);

/** Read away from the event loop, because it counts the whole history. */
export async function numbers(core: Core, background: Queries, reasonOf: LaneReason): Promise<QueueNumbers> {
  const counts = await background.all<{ state: RunState; kind: RunKind; n: number }>(COUNTS);
  const oldest = await background.all<{ lane_id: number; ready: number; since: number }>(OLDEST);
  const now = core.time.now();
  const seconds = new Map<WaitingReason | 'none', number>();
  for (const { lane_id: lane, ready, since } of oldest) {
    const reason = reasonOf(lane) ?? 'none';
    const effective = reason === 'project_disabled' ? reason : OWN_REASONS.get(ready) ?? reason;
    seconds.set(effective, Math.max(seconds.get(effective) ?? 0, now - since));
  }
  return {
    runs: counts.map(({ state, kind, n }) => ({ state, kind, count: n })),
    oldestQueuedSeconds: [...seconds].map(([reason, waited]) => ({ reason, seconds: Math.floor(waited / 1000) })),
  };
}
