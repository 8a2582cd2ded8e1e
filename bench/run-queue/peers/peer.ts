/** A queue of jobs that do nothing, with its own server: what the run-queue benchmark needs from a peer. */
export interface JobQueue {
  /** Its name, with its durability settings as far as they affect speed. */
  readonly name: string;
  /** Queues one job; resolves when it is acknowledged. */
  submit(): Promise<unknown>;
  /**
   * Executes queued jobs until the given number are completed; `batch`: number of jobs that are fetched from the server
   * and completed together.
   */
  drain(jobs: number, batch: number): Promise<void>;
  /** Supported sizes of batches. */
  readonly batches: readonly number[];
  /** Starts to execute jobs as they arrive; calls `began` when the work of each begins. */
  work(began: () => void): Promise<void>;
  stop(): Promise<void>;
}
