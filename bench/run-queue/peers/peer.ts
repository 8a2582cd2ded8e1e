/** A queue of jobs that do nothing, with a server of its own: what the benchmark of the run queue asks of a peer. */
export interface JobQueue {
  /** With how it keeps jobs safe, as far as it matters for speed. */
  readonly name: string;
  /** Queues one job; resolves when it is acknowledged. */
  submit(): Promise<unknown>;
  /** Executes what is queued until so many jobs are completed; `batch`: jobs that are taken from the server and completed together. */
  drain(jobs: number, batch: number): Promise<void>;
  /** Sizes of batches that it knows. */
  readonly batches: readonly number[];
  /** Begins to execute jobs as they come; calls `began` when the work of each begins. */
  work(began: () => void): Promise<void>;
  stop(): Promise<void>;
}
