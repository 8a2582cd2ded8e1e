import type { BenchServer } from '../../support/server.ts';
import type { Latency } from '../job.ts';

/**
 * The job of a peer with metadata, passed as an argument of its process in JavaScript or as `NAME=VALUE` to any other.
 * The programs of `../lucene10/` and `../tantivy/` have the modes `filters`, which prints a `FilterAnswer`, and
 * `serve`, which opens the index that `filters` left and answers `GET /search?QUERY` over HTTP, where QUERY is that of
 * `toQuery`.
 */
export interface FilterJob {
  /** One document per line, whose key is `page-` and its number from 0. */
  readonly texts: string;
  /** Names of the keys, then a line of tab-separated values for each document. `day` is a date, `price` a number. */
  readonly meta: string;
  /** One query per line: kind, tab, the result of `toQuery`. */
  readonly queries: string;
  /** A folder for the peer's own files. */
  readonly folder: string;
  /** How long queries of a kind are measured, at least one pass over them. */
  readonly querySeconds: number;
}

/**
 * A query: always the best ten documents and the exact number of matches, with counts of values if requested. Without
 * words, the best are the first ones in the index, or by `sort`, descending.
 */
export interface Ask {
  readonly words?: readonly string[];
  /** Which of the words a document must contain; `any` by default. */
  readonly match?: 'any' | 'all' | 'phrase';
  /** A key and the value that it must have. */
  readonly filter?: readonly [string, string];
  /** The first and the last day. */
  readonly days?: readonly [string, string];
  /** A key whose values are counted over all matches. */
  readonly facet?: string;
  /** A key whose days are counted over all matches. */
  readonly histogram?: string;
  readonly sort?: string;
  readonly offset?: number;
}

export interface FilterAnswer {
  readonly documents: number;
  /** Duration of adding and committing, without reading. */
  readonly indexSeconds: number;
  /** Number of matches, by the number of the query; null if the query is not supported. */
  readonly totals: readonly (number | null)[];
  /** Latencies by kind; unsupported kinds are left out. */
  readonly kinds: Readonly<Record<string, Latency>>;
}

export interface FilterPeer {
  readonly name: string;
  /** Notes for readers of its figures. */
  readonly note: string;
  /** Why it cannot run here, and what to do about it; undefined if it can. */
  missing(): string | undefined;
  run(job: FilterJob): Promise<FilterAnswer>;
  /** Serves the index that `run` left in the folder of the job. */
  serve?(job: FilterJob): Promise<BenchServer>;
}

/**
 * A query in the form of a URL's query. Its words and values need no escaping, because they consist of letters, digits
 * and hyphens.
 */
export function toQuery({ words, match, filter, days, facet, histogram, sort, offset }: Ask): string {
  const parameters = {
    words: words?.join('+'),
    match,
    filter: filter?.join(':'),
    from: days?.[0],
    to: days?.[1],
    facet,
    histogram,
    sort,
    offset,
  };
  return Object.entries(parameters).filter(([, value]) => value !== undefined).map(([name, value]) =>
    `${name}=${value}`
  ).join('&');
}

/** Parses the output of `toQuery`. */
export function fromQuery(query: string): Ask {
  const of = new URLSearchParams(query);
  const [words, match, filter, from, to, facet, histogram, sort, offset] = ['words', 'match', 'filter', 'from', 'to',
    'facet', 'histogram', 'sort', 'offset'].map((name) => of.get(name));
  return {
    ...(words && { words: words.split(' ') }),
    ...(match && { match: match as 'all' | 'phrase' }),
    ...(filter && { filter: filter.split(':') as [string, string] }),
    ...(from && to && { days: [from, to] }),
    ...(facet && { facet }),
    ...(histogram && { histogram }),
    ...(sort && { sort }),
    ...(offset && { offset: Number(offset) }),
  };
}
