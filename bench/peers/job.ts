/**
 * What a peer is asked and what it answers. Every peer runs in a process of its own, one after the other, so that no heap
 * or compiler disturbs another; texts and queries reach it in files that all of them read.
 */
export interface Job {
  /** `speed`: everything of `Speed`. `counts`: matches of each query. `rank`: the best documents of each query. */
  readonly mode: 'speed' | 'counts' | 'rank';
  /** A document a line; with `rank` its title and a tab before it. Documents are named by their line, from 0. */
  readonly texts: string;
  /** A query a line: kind, tab, words between spaces. */
  readonly queries: string;
  /** An empty folder for the peer's own files. */
  readonly folder: string;
  readonly stemming: boolean;
  /** Whether English stop words are left out, where the peer lets one choose. */
  readonly stopWords: boolean;
  /** Fields of a document: 1, or 2 to score titles apart. */
  readonly fields: 1 | 2;
  /** Documents to rank. */
  readonly limit: number;
  /** Indexing is given up after so many seconds. */
  readonly indexSeconds: number;
  /** How long queries of a kind are measured, at least one pass over them. */
  readonly querySeconds: number;
  /** Whether the best are to be found once more without the number of matches, by those that can. */
  readonly withoutTotals?: boolean;
}

/**
 * - `term`, `or`, `and`: one word; three words of one document, any or all of them
 * - `pair`: two words of one document, both of them
 * - `phrase`: two words that follow each other
 * - `prefix`: the words that begin so; `infix`: the words that have it within
 * - `fuzzy`: the words within one edit
 * - `heavy`: any of three words that a good part of the documents have; `heavyForms`: the same without stemming
 */
export type Kind = 'term' | 'or' | 'and' | 'pair' | 'phrase' | 'prefix' | 'infix' | 'fuzzy' | 'heavy' | 'heavyForms';

/** Latency in microseconds of queries that ran one after the other. */
export interface Latency {
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Matches of a query, on average over the distinct ones. */
  readonly matches: number;
}

export interface Speed {
  readonly documents: number;
  readonly bytes: number;
  /** Of adding and committing alone, without reading the texts. */
  readonly indexSeconds: number;
  /** False when time ran out; then nothing else was measured. */
  readonly complete: boolean;
  /** Bytes of the index by where they are, such as memory or a file. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Milliseconds until an index on disk answers its first query, where there is one on disk. */
  readonly reopenMs?: number;
  readonly kinds: Readonly<Partial<Record<Kind, Latency>>>;
  /** The best alone, without the number of matches. */
  readonly withoutTotals?: Readonly<Partial<Record<Kind, Latency>>>;
}

export interface Answer {
  readonly speed?: Speed;
  /** By the number of the query. */
  readonly counts?: readonly number[];
  /** Numbers of documents by the number of the query, the best first. */
  readonly rankings?: readonly (readonly number[])[];
}

export interface Peer {
  readonly name: string;
  /** What a reader of its figures should know. */
  readonly note: string;
  /** Why it cannot run here, and what to do about it; undefined when it can. */
  missing?(): string | undefined;
  /** Rejects when its process fails, as when memory runs out. */
  run(job: Job): Promise<Answer>;
}
