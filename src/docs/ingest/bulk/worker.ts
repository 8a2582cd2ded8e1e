import { ServiceError } from '../../../errors/index.ts';
import { type Timer, unixSeconds } from '../../../lib/clock.ts';
import { Loop } from '../../../lib/loop.ts';
import type { Standing } from '../../../operations/index.ts';
import { BodyUnavailable } from '../../../storage/index.ts';
import type { Access, BackgroundUser } from '../../access/index.ts';
import type { DocumentWriter } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { forgetDocuments, readDocuments } from './job-documents.ts';
import { advanceJob, continueJob, endJob, failJob, type JobRow, nextJob, takeJob } from './job-rows.ts';

interface WorkerDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock' | 'log' | 'keys'> {
  readonly writer: DocumentWriter;
  /** If absent, jobs are loaded with all rights. */
  readonly access?: Pick<Access, 'standingOf'> | undefined;
  readonly timer: Timer;
  /** Called when a job has ended. */
  readonly onEnd: () => void;
}

/** The job has not the progress that the worker expects. */
class Outdated extends Error {}

/**
 * Loads the jobs one after the other. The progress of a job is committed in the transaction of its documents: whenever
 * the process ends, a job of the next one continues after the last stored document, and stores none twice.
 */
export function createWorker(deps: WorkerDeps): Loop {
  const state: State = { outOfReach: new Map(), taken: new Set() };
  let restMs = 0;
  return new Loop({
    name: 'jobs',
    everyMs: () => restMs,
    backoff: BACKOFF,
    timer: deps.timer,
    log: deps.log,
    failure: 'a bulk ingest job could not go on; it is tried again',
  }, async (signal) => {
    restMs = await step(deps, state, signal);
  });
}

interface State {
  readonly outOfReach: OutOfReach;
  /**
   * Ids of the jobs that this process has taken. One that is processed and is not among them was interrupted by the end
   * of another process.
   */
  readonly taken: Set<string>;
}

/** Collections whose bodies cannot be stored now, and when to try again, in milliseconds since 1970. */
type OutOfReach = Map<string, number>;

const OUT_OF_REACH_MS = 5000;

const BACKOFF = { initial: 1000, max: 60_000 };

/** Processes one row of documents of the oldest job. Returns the milliseconds until the next step. */
async function step(deps: WorkerDeps, { outOfReach, taken }: State, signal: AbortSignal): Promise<number> {
  const { sql, clock, keys } = deps;
  for (const [collection, until] of outOfReach) if (until <= clock.now()) outOfReach.delete(collection);
  const job = await nextJob(sql, [...outOfReach.keys()]);
  if (job === undefined)
    return Math.max(1, Math.min(...outOfReach.values()) - clock.now());
  if (job.status === 'pending') {
    if (await sql.transaction((tx) => takeJob(tx, job, unixSeconds(clock)))) taken.add(job.id);
    return 0;
  }
  if (!taken.has(job.id)) {
    await sql.transaction((tx) => continueJob(tx, keys, job, clock));
    deps.onEnd();
    return 0;
  }
  try {
    await load(deps, job, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Outdated) return 0;
    if (error instanceof BodyUnavailable) {
      // Jobs of other collections do not wait for the body store of this collection.
      outOfReach.set(job.collection, clock.now() + OUT_OF_REACH_MS);
      return 0;
    }
    // A full disk is a temporary failure; an error of the job itself would not go away.
    if (error instanceof ServiceError && error.code === 'unavailable') throw error;
    deps.log.error({ err: error, job: job.id }, 'a bulk ingest job cannot go on');
    await end(deps, job, error instanceof ServiceError ? error.message : 'internal error');
  }
  return 0;
}

async function load(deps: WorkerDeps, job: JobRow, signal: AbortSignal): Promise<void> {
  const { sql, clock, keys, writer } = deps;
  const documents = await readDocuments(deps, sql, job);
  if (documents === undefined) return end(deps, job, 'its documents are missing');
  let before = job.processed;
  await writer.put(job.collection, documents, {
    signal,
    by: standingOf(deps, job),
    hidesStored: documents.some(({ hidesStored }) => hidesStored === true),
    async within(tx, result, count) {
      const processed = job.processed + count;
      if (!(await advanceJob(tx, keys, { job, before, result, processed }))) throw new Outdated();
      if (processed === job.total) await endJob(tx, keys, job, clock.now());
      else await forgetDocuments(tx, job.seq, job.skipped + processed);
      before = processed;
    },
  });
  if (before === job.total) deps.onEnd();
}

/** A job is loaded with the rights that its user has meanwhile. */
function standingOf({ access }: WorkerDeps, { submitter, collection }: JobRow): Standing | undefined {
  return submitter === ''
    ? undefined
    : access?.standingOf(JSON.parse(submitter) as BackgroundUser, 'write', collection);
}

async function end({ sql, clock, keys, onEnd }: WorkerDeps, job: JobRow, reason: string): Promise<void> {
  await sql.transaction((tx) => failJob(tx, keys, job, reason, clock.now()));
  onEnd();
}
