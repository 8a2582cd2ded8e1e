import { createHash } from 'node:crypto';
import { Lru } from '../lib/caches.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { currentTracing, type SpanAttributes } from '../lib/tracing.ts';
import type { Area, RunQueueEnvironment } from './area.ts';
import type { Audit } from './audit/index.ts';
import { attemptSpanId, traceIdOf } from './definitions/index.ts';
import type { Recorder } from './metrics/index.ts';
import type { Queue } from './queue/index.ts';
import type { RunChange, RunRecord, RunState } from './queue/port.ts';

interface Observed {
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

/** Reasons for which a run waits again under the same attempt number: no work was lost. */
const HARMLESS: ReadonlySet<string> = new Set(['returned', 'rejected', 'not_accepted']);

/** One line of the server's log for events that operators look for: lost leases and repeated attempts. */
export function logRunChange(log: Log, { run, from, formerShipId, reason = 'unknown' }: RunChange): void {
  const { id, projectId, attempt } = run;
  if (reason === 'lease_lost')
    log.warn({ run: id, project: projectId, ship: formerShipId, state: run.state }, 'the lease of a run is lost');
  if (run.state !== 'queued' || from === null) return;
  const fields = { run: id, project: projectId, attempt, reason, ship: formerShipId };
  if (reason === 'approval') log.info(fields, 'a run waits for an approval');
  else if (run.availableMs > 0) log.info(fields, 'a run is tried again');
  else if (HARMLESS.has(reason)) log.debug(fields, 'a run waits for another ship');
}

/** Most unfinished runs whose start times are remembered. */
const MAX_REMEMBERED = 10_000;

const UNDER_WAY: ReadonlySet<RunState> = new Set(['running', 'cancelling']);

/**
 * Reports runs and their attempts as spans when they have ended. A run is a trace of its own, whose id is derived from
 * the run's, with a link to the request that queued it. For runs that started before this process, the times of the
 * store are used.
 */
export class RunTraces {
  readonly #clock: Clock;
  readonly #links = new Lru<string, string>(MAX_REMEMBERED);
  readonly #begun = new Lru<string, { readonly attempt: number; readonly part: number; readonly ms: number }>(
    MAX_REMEMBERED,
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Pass this to `queue.onChange`. */
  changed({ run, from, reason }: RunChange): void {
    const tracing = currentTracing();
    if (tracing === undefined) return;
    const [now, traceId] = [this.#clock.now(), traceIdOf(run.id)];
    if (from === null) {
      const link = tracing.traceparent();
      if (link !== undefined) this.#links.set(run.id, link);
      return;
    }
    if (run.state === 'running') this.#begun.set(run.id, { attempt: run.attempt, part: run.part, ms: now });
    const isOver = run.state === 'succeeded' || run.state === 'failed' || run.state === 'cancelled';
    const attributes = attributesOf(run);
    const error = run.state === 'succeeded' || reason === 'approval'
      ? undefined
      : (run.error?.code ?? reason ?? run.state);
    if (UNDER_WAY.has(from) && !UNDER_WAY.has(run.state)) {
      // A run that is queued again already has the number of its next attempt.
      const { attempt, part, ms: startMs } = this.#begun.get(run.id) ??
        { attempt: run.attempt, part: run.part, ms: run.startedAt === null ? now : run.startedAt * 1000 };
      tracing.record({
        name: `attempt of ${run.kind}`,
        traceId,
        spanId: attemptSpanId(run.id, attempt, part),
        parentSpanId: runSpanId(run.id),
        startMs,
        endMs: now,
        attributes: { ...attributes, 'quire.run.attempt': attempt },
        error,
      });
    }
    if (!isOver) return;
    tracing.record({
      name: `run ${run.kind}`,
      traceId,
      spanId: runSpanId(run.id),
      link: this.#links.get(run.id),
      startMs: createdMs(run.id),
      endMs: now,
      attributes,
      error,
    });
    this.#links.delete(run.id);
    this.#begun.delete(run.id);
  }
}

/** Names of the semantic conventions for CI/CD, if there is one. */
function attributesOf({ id, projectId, task, attempt, state, shipId, source }: RunRecord): SpanAttributes {
  return {
    'cicd.pipeline.run.id': id,
    'cicd.pipeline.name': task,
    'cicd.pipeline.run.state': state,
    'quire.project': projectId,
    'quire.run.attempt': attempt,
    'quire.run.source': source,
    ...(shipId !== null && { 'quire.ship': shipId }),
  };
}

function runSpanId(runId: string): string {
  return createHash('sha256').update(`run ${runId}`).digest('hex').slice(0, 16);
}

/** The time of creation is in the first 48 bits of an id (RFC 9562, UUIDv7), in milliseconds. */
function createdMs(id: string): number {
  return Number.parseInt(traceIdOf(id).slice(0, 12), 16);
}
