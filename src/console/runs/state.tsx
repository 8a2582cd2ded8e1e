import type { Run, RunState } from '../../../generated/runs/sdk/types.gen.ts';
import { lasted } from '../shared/format.ts';
import { Badge, type Tone } from '../shared/parts.tsx';

const TONES: Readonly<Record<RunState, Tone>> = { queued: '', running: 'busy', cancelling: 'warn', succeeded: 'good', failed: 'bad', cancelled: 'warn' };

export const STATES = Object.keys(TONES) as readonly RunState[];

export function State({ of }: { readonly of: RunState }) {
  return <Badge tone={TONES[of]}>{of}</Badge>;
}

export const hasEnded = (state: RunState): boolean => state === 'succeeded' || state === 'failed' || state === 'cancelled';

/** Duration of a run so far. */
export function durationOf({ started_at: started, finished_at: finished }: Run): string {
  return started == null ? '–' : lasted((finished ?? Date.now() / 1000) - started);
}

/** What distinguishes a cell from the others of its run, and a run with cells from other runs. */
export function taskOf({ task, kind, matrix, cells }: Run): string {
  const name = task === '' ? kind : task;
  if (matrix != null) return `${name} ${Object.entries(matrix).map(([key, value]) => `${key}=${String(value)}`).join(' ')}`;
  return cells === 0 ? name : `${name} (${cells} cells)`;
}

/** Why a queued run waits, as a sentence. */
export function waitingOf({ waiting_reason: reason }: Run): string | undefined {
  return reason == null ? undefined : WAITING[reason];
}

const WAITING: Readonly<Record<NonNullable<Run['waiting_reason']>, string>> = {
  project_disabled: 'the project is off', backoff: 'waits before the next attempt', no_matching_ship: 'no ship has its labels', ship_offline: 'its ships are offline', unsupported: 'no ship does this kind',
  ship_draining: 'its ships take nothing new', concurrency: 'the project has as many as it may', ship_busy: 'its ships are busy', starting: 'starts now',
  concurrency_group: 'another run of its group is under way', approval: 'somebody has to approve it', matrix: 'waits for its turn among the cells of its run',
};
