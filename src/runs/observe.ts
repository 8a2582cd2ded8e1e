import type { Area, RunQueueEnvironment } from './area.ts';
import type { Audit } from './audit/index.ts';
import type { Recorder } from './metrics/index.ts';
import type { Queue } from './queue/index.ts';
import { logRunChange, RunTraces } from './runs/index.ts';

export interface Observed {
  readonly queue: Pick<Queue, 'onChange'>;
  readonly audit: Audit;
  readonly recorder: Pick<Recorder, 'runChanged' | 'configReloaded'>;
}

/** Counts, traces and logs the changes of runs that this server makes, and notes new configurations. */
export function observe(env: RunQueueEnvironment, { queue, audit, recorder }: Observed): Area {
  const traces = new RunTraces(env.clock);
  const ends = [queue.onChange((change) => {
    if (change.isRemote) return;
    recorder.runChanged(change);
    traces.changed(change);
    logRunChange(env.log, change);
  }), env.config.onAttempt((outcome) => {
    recorder.configReloaded(outcome !== 'refused');
    if (outcome === 'loaded') void noteReload(env, audit);
  })];
  return { stop: () => ends.forEach((end) => end()) };
}

async function noteReload({ sql, log, config }: RunQueueEnvironment, audit: Audit): Promise<void> {
  const { source, hash } = config.current();
  try {
    await sql.transaction((tx) => audit.record(tx, 'system', 'reload', source, { hash }));
  } catch (error) {
    log.error({ err: error }, 'a reload of the configuration could not be noted in the audit log');
  }
}
