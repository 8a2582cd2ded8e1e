import type { Reopened, VectorJob } from './job.ts';

/** One search method of an engine. */
export interface VectorMethod {
  /** Builds the structure for this method alone, after all rows are added. */
  build?(): void | Promise<void>;
  /** Bytes of this structure. */
  bytes?(): number;
  /** Parameter values of the sweep, ascending; a single one for methods without a parameter. */
  readonly efforts: readonly number[];
  readonly usual: number;
  /** Called before searches with another effort. */
  use?(effort: number): void;
  /**
   * Returns the nearest rows of a query by its number; `share` is the fraction of rows that a filter keeps, 1 for no
   * filter.
   */
  search(query: number, effort: number, share: number): readonly number[] | Promise<readonly number[]>;
  /** Whether it supports filters. */
  readonly filters: boolean;
  close?(): void | Promise<void>;
}

/** A vector index as the process of a peer drives it. */
export interface VectorEngine {
  /** Converts rows to the engine's own form and returns a function that adds them; only the latter is timed. */
  stage(rows: Float32Array, first: number): () => void | Promise<void>;
  /** Called after the last row; timed. */
  commit?(): void | Promise<void>;
  readonly methods: Readonly<Record<string, VectorMethod>>;
  /** Bytes of a row without index structures. */
  rowBytes?(): number;
  /** Returns a function that replaces the vector of a row, effective for the next search. */
  replace?(row: number, vector: Float32Array): () => void;
  remove?(row: number): void;
  /** Resolves when the structures contain all replaced rows. */
  settled?(): Promise<void>;
  /** Saves the index, loads it and searches with a method. */
  reopen?(method: string): Promise<Reopened>;
  close?(): Promise<void>;
}

export type MakeVectorEngine = (job: VectorJob, queries: readonly Float32Array[]) => VectorEngine | Promise<
  VectorEngine
>;
