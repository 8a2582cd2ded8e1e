import type { Reopened, VectorJob } from './job.ts';

/** One way of searching that an engine has. */
export interface VectorMethod {
  /** What is built for it alone, after all rows are added. */
  build?(): void | Promise<void>;
  /** Bytes of what was built. */
  bytes?(): number;
  /** Knob of the sweep, ascending; a single one for methods without a knob. */
  readonly efforts: readonly number[];
  readonly usual: number;
  /** Called before searches of another effort. */
  use?(effort: number): void;
  /** Gives the nearest rows of a query by its number; `share` is of a filter, 1 for none. */
  search(query: number, effort: number, share: number): readonly number[] | Promise<readonly number[]>;
  /** Whether it can filter. */
  readonly filters: boolean;
  close?(): void | Promise<void>;
}

/** A vector index as the process of a peer drives it. */
export interface VectorEngine {
  /** Takes rows in the engine's own form and gives what adds them, which alone is timed. */
  stage(rows: Float32Array, first: number): () => void | Promise<void>;
  /** Called after the last row; timed. */
  commit?(): void | Promise<void>;
  readonly methods: Readonly<Record<string, VectorMethod>>;
  /** Bytes of a row without structures. */
  rowBytes?(): number;
  /** Gives what gives a row another vector, as seen by the next search. */
  replace?(row: number, vector: Float32Array): () => void;
  remove?(row: number): void;
  /** Resolves when structures have taken in what was replaced. */
  settled?(): Promise<void>;
  /** Saves the index, reads it and searches by a method. */
  reopen?(method: string): Promise<Reopened>;
  close?(): Promise<void>;
}

export type MakeVectorEngine = (job: VectorJob, queries: readonly Float32Array[]) => VectorEngine | Promise<VectorEngine>;
