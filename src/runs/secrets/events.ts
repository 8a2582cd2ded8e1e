import type { SecretConfig } from '../config/index.ts';
import type { RunRecord, RunSource } from '../queue/port.ts';

/** What started a run, as `events` of a secret names it. */
export type RunEvent = NonNullable<SecretConfig['events']>[number];

type Started = Pick<RunRecord, 'source' | 'origin' | 'parentId' | 'rootId'>;

/** Runs that repeat others have their event. */
type Repeated = 'retry' | 'rerun';

const EVENTS: Readonly<Record<Exclude<RunSource, Repeated | 'forge'>, RunEvent>> = {
  api: 'manual',
  schedule: 'schedule',
  alert: 'alert',
};

/**
 * The event that started a run. One that repeats another has the event of the first run of its line: otherwise somebody
 * who may retry a run would give it secrets that it was not started with. Undefined if that run is no longer stored.
 */
export async function eventOf(run: Started, runOf: (id: string) => Promise<Started | undefined>): Promise<
  RunEvent | undefined
> {
  // A cell does not know the line of retries, but its matrix does.
  const whole = run.parentId === null ? run : await runOf(run.parentId);
  const first = whole !== undefined && isRepeated(whole.source) ? await runOf(whole.rootId) : whole;
  if (first === undefined || isRepeated(first.source)) return undefined;
  return first.source === 'forge' ? first.origin.forge?.event : EVENTS[first.source];
}

const isRepeated = (source: RunSource): source is Repeated => source === 'retry' || source === 'rerun';
