import type { Ask, FilterJob } from './job.ts';

/** A JavaScript peer with its documents, as its process uses it. */
export interface FilterEngine {
  readonly documents: number;
  /**
   * Finds the best ten, counts values if requested, and returns the number of matching documents; undefined if the
   * query is not supported.
   */
  search(ask: Ask): number | undefined | Promise<number | undefined>;
}

/** Reads and indexes the documents of a job. */
export type MakeFilterEngine = (job: FilterJob) => Promise<FilterEngine>;
