import { ServiceError } from '../../errors/index.ts';
import { Reindexing, type ReindexDeps, type ReindexResult } from './reindex.ts';

interface Job {
  readonly force: boolean;
  readonly stop: AbortController;
  readonly result: Promise<ReindexResult>;
  callers: number;
}

/**
 * One reindexing of a collection at a time. Who asks for what is under way already shares it and its
 * answer; who asks for more waits for the end of it. It is stopped when all who wait for it have gone.
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
      await job.result.catch(() => undefined); // told to those who asked for it
      signal.throwIfAborted();
    }
    return join(this.#begin(name, force), signal);
  }

  /** Stops everything under way and waits for its end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { stop } of this.#jobs.values()) stop.abort(stopping());
    await Promise.allSettled([...this.#jobs.values()].map(({ result }) => result));
  }

  /** After a stop, jobs may begin again. */
  start(): void {
    this.#stopped = false;
  }

  #begin(name: string, force: boolean): Job {
    const stop = new AbortController();
    if (this.#stopped) stop.abort(stopping());
    const result = Reindexing.run(this.#deps, name, force, stop.signal).finally(() => this.#jobs.delete(name));
    result.catch(() => undefined); // all who waited may have gone
    const job: Job = { force, stop, result, callers: 0 };
    this.#jobs.set(name, job);
    return job;
  }
}

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'the service is stopping');
}

/** The job's answer; rejects with the signal's reason as soon as that aborts. */
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
