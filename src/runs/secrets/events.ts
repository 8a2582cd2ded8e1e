import type { SecretConfig } from '../config/index.ts';
import type { RunRecord, RunSource } from '../queue/port.ts';

/** What started a run, as `events` of a secret names it. */
export type RunEvent = NonNullable<SecretConfig['events']>[number];

type Started = Pick<RunRecord, 'source' | 'parentId' | 'rootId'>;

const EVENTS: Readonly<Record<Exclude<RunSource, 'retry'>, RunEvent>> = {
  api: 'manual',
  schedule: 'schedule',
  alert: 'alert',
};

/**
 * The event that started a run. A retry has the event of the first run of its line: otherwise somebody who may retry a
 * run would give it secrets that it was not started with. Undefined if that run is no longer stored.
 */
export async function eventOf(run: Started, runOf: (id: string) => Promise<Started | undefined>): Promise<
  RunEvent | undefined
> {
  // A cell does not know the line of retries, but its matrix does.
  const whole = run.parentId === null ? run : await runOf(run.parentId);
  const first = whole?.source === 'retry' ? await runOf(whole.rootId) : whole;
  return first === undefined || first.source === 'retry' ? undefined : EVENTS[first.source];
}
