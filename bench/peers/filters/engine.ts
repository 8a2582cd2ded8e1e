import type { Ask, FilterJob } from './job.ts';

/** A peer in JavaScript with its documents, as its process drives it. */
export interface FilterEngine {
  readonly documents: number;
  /** Finds the best ten, counts what is asked for, and returns how many documents match; undefined for what it cannot be asked. */
  search(ask: Ask): number | undefined | Promise<number | undefined>;
}

/** Reads and indexes the documents of a job. */
export type MakeFilterEngine = (job: FilterJob) => Promise<FilterEngine>;
