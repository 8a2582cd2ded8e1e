/**
 * The job of a peer and its result. Peers run one at a time in separate processes, so that no heap or compiler affects
 * another; texts and queries are passed in files that all of them read.
 */
export interface Job {
  /**
   * `speed`: all measurements of `Speed`. `counts`: the number of matches of each query. `rank`: the best documents of
   * each query.
   */
  readonly mode: 'speed' | 'counts' | 'rank';
  /**
   * One document per line; with `rank`, its title and a tab come first. Documents are identified by line number, from
   * 0.
   */
  readonly texts: string;
  /** One query per line: kind, tab, words separated by spaces. */
  readonly queries: string;
  /** An empty folder for the peer's own files. */
  readonly folder: string;
  readonly stemming: boolean;
  /** Whether English stop words are left out, if the peer supports it. */
  readonly stopWords: boolean;
  /** Number of fields of a document: 1, or 2 to score titles separately. */
  readonly fields: 1 | 2;
  /** Number of documents to rank. */
  readonly limit: number;
  /** Time limit for indexing, in seconds. */
  readonly indexSeconds: number;
  /** How long queries of a kind are measured, at least one pass over them. */
  readonly querySeconds: number;
  /** Whether peers that support it also find the best documents without the number of matches. */
  readonly withoutTotals?: boolean;
}

/**
 * - `term`, `or`, `and`: one word; three words of one document, any or all of them
 * - `pair`: two words of one document, both of them
 * - `phrase`: two adjacent words
 * - `prefix`: the words that begin with it; `infix`: the words that contain it
 * - `fuzzy`: the words within one edit
 * - `heavy`: any of three words that occur in a large part of the documents; `heavyForms`: the same without stemming
 */
export type Kind = 'term' | 'or' | 'and' | 'pair' | 'phrase' | 'prefix' | 'infix' | 'fuzzy' | 'heavy' | 'heavyForms';

/** Latency in microseconds of queries that ran one at a time. */
export interface Latency {
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Number of matches of a query, averaged over the distinct ones. */
  readonly matches: number;
}

export interface Speed {
  readonly documents: number;
  readonly bytes: number;
  /** Duration of adding and committing alone, without reading the texts. */
  readonly indexSeconds: number;
  /** False if the time limit was exceeded; then nothing else was measured. */
  readonly complete: boolean;
  /** Bytes of the index by location, such as memory or a file. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Milliseconds until an index on disk answers its first query, if there is one on disk. */
  readonly reopenMs?: number;
  readonly kinds: Readonly<Partial<Record<Kind, Latency>>>;
  /** Only the best documents, without the number of matches. */
  readonly withoutTotals?: Readonly<Partial<Record<Kind, Latency>>>;
}

export interface Answer {
  readonly speed?: Speed;
  /** By the number of the query. */
  readonly counts?: readonly number[];
  /** Numbers of documents, by the number of the query, best first. */
  readonly rankings?: readonly (readonly number[])[];
}

export interface Peer {
  readonly name: string;
  /** Notes for readers of its figures. */
  readonly note: string;
  /** Why it cannot run here, and what to do about it; undefined if it can. */
  missing?(): string | undefined;
  /** Rejects if its process fails, for example because memory runs out. */
  run(job: Job): Promise<Answer>;
}
