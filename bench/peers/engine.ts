import type { Job, Kind } from './job.ts';

/** A search engine as the process of a peer drives it. */
export interface Engine {
  /** The title is apart where a job has two fields and ranks; otherwise the text begins with it. */
  add(id: number, text: string, title?: string): void;
  /** Makes everything added searchable; its time counts as indexing. */
  commit(): void;
  /** What its users would do when an index is written once and read often; its time does not count. */
  optimise?(): void;
  /** Finds the best ten documents and gives how many match. A kind that is not there cannot be asked. */
  readonly search: Readonly<Partial<Record<Kind, (words: readonly string[]) => number>>>;
  /** The same without the number of matches, which it may find sooner; gives how many were found. */
  readonly best?: Engine['search'];
  /** The number of documents with a word, for comparing the peers. */
  count(word: string): number;
  /** The best documents of a question in natural language. */
  rank?(question: string, limit: number): number[];
  /** Bytes of the index by where they are; the growth of the heap is measured by the caller. */
  sizes?(): Promise<Record<string, number>>;
  /** Opens what is on disk anew and asks it; gives the milliseconds. */
  reopen?(words: readonly string[]): Promise<number>;
}

export type MakeEngine = (job: Job) => Engine | Promise<Engine>;
