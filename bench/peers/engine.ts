import type { Job, Kind } from './job.ts';

/** A search engine, as the process of a peer uses it. */
export interface Engine {
  /** The title is separate if a job has two fields and ranks; otherwise it is at the beginning of the text. */
  add(id: number, text: string, title?: string): void;
  /** Makes everything that was added searchable; its time counts as indexing. */
  commit(): void;
  /** Optimises an index that is written once and read often, as its users would; its time does not count. */
  optimise?(): void;
  /** Finds the best ten documents and returns the number of matches. Absent kinds are not supported. */
  readonly search: Readonly<Partial<Record<Kind, (words: readonly string[]) => number>>>;
  /** The same without the number of matches, which may be faster; returns how many results were found. */
  readonly best?: Engine['search'];
  /** The number of documents with a word, for comparing the peers. */
  count(word: string): number;
  /** The best documents for a question in natural language. */
  rank?(question: string, limit: number): number[];
  /** Bytes of the index by location; the growth of the heap is measured by the caller. */
  sizes?(): Promise<Record<string, number>>;
  /** Opens the index on disk again and queries it; returns the milliseconds. */
  reopen?(words: readonly string[]): Promise<number>;
}

export type MakeEngine = (job: Job) => Engine | Promise<Engine>;
