import { ServiceError } from '../../errors/index.ts';
import { type ReindexDeps, Reindexing, type ReindexResult } from './reindex.ts';

interface Job {
  readonly force: boolean;
  readonly stop: AbortController;
  readonly result: Promise<ReindexResult>;
  callers: number;
}

/**
 * Runs at most one reindexing of a collection at a time. A call that a running job already covers shares it and its
 * result; a call that needs more waits until that job has ended. A job is stopped when all its callers have left.
 */
export class ReindexJobs {
  readonly #deps: ReindexDeps;
  readonly #jobs = new Map<string, Job>();
  #stopped = false;

  constructor(deps: ReindexDeps) {
    this.#deps = deps;
  }

  async run(collection: string, force: boolean, signal: AbortSignal): Promise<ReindexResult> {
    const name = collection.toLowerCase();
    for (let job = this.#jobs.get(name); job !== undefined; job = this.#jobs.get(name)) {
      if (!job.stop.signal.aborted && (job.force || !force)) return join(job, signal);
      await job.result.catch(() => undefined); // its own callers receive the error
      signal.throwIfAborted();
    }
    return join(this.#begin(name, force), signal);
  }

  /** Stops all running jobs and waits for their end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { stop } of this.#jobs.values()) stop.abort(stopping());
    await Promise.allSettled([...this.#jobs.values()].map(({ result }) => result));
  }

  /** Allows new jobs after `stop`. */
  start(): void {
    this.#stopped = false;
  }

  #begin(name: string, force: boolean): Job {
    const stop = new AbortController();
    if (this.#stopped) stop.abort(stopping());
    const result = Reindexing.run(this.#deps, name, force, stop.signal).finally(() => this.#jobs.delete(name));
    result.catch(() => undefined); // all callers may have left
    const job: Job = { force, stop, result, callers: 0 };
    this.#jobs.set(name, job);
    return job;
  }
}

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'the service is stopping');
}

/** The job's result; rejects with the signal's reason as soon as that aborts. */
async function join(job: Job, signal: AbortSignal): Promise<ReindexResult> {
  job.callers++;
  const gone = Promise.withResolvers<never>();
  const leave = (): void => gone.reject(signal.reason);
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([job.result, gone.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
    if (--job.callers === 0) job.stop.abort();
  }
}
