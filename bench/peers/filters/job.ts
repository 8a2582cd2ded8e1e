import type { BenchServer } from '../../support/server.ts';
import type { Latency } from '../job.ts';

/**
 * What a peer with metadata is asked, as an argument of its process in JavaScript or as `NAME=VALUE` of any other. The
 * programs of `../lucene10/` and `../tantivy/` have the modes `filters`, which prints a `FilterAnswer`, and `serve`, which opens
 * the index that `filters` left and answers `GET /search?QUERY` over HTTP, where QUERY is that of `toQuery`.
 */
export interface FilterJob {
  /** A document a line, whose key is `page-` and its number from 0. */
  readonly texts: string;
  /** Names of the keys, then a line of values for each document, between tabs. `day` is a date, `price` a number. */
  readonly meta: string;
  /** A question a line: kind, tab, `toQuery` of it. */
  readonly queries: string;
  /** A folder for the peer's own files. */
  readonly folder: string;
  /** How long questions of a kind are measured, at least one pass over them. */
  readonly querySeconds: number;
}

/**
 * A question: always the best ten documents and the exact number of matches, with counts of values if they are asked for.
 * Without words the best are those first in the index, or first by `sort`, descending.
 */
export interface Ask {
  readonly words?: readonly string[];
  /** Which of the words a document must have; `any` unless said. */
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
  /** Of adding and committing, without reading. */
  readonly indexSeconds: number;
  /** Matches by the number of the question; null where it cannot be asked. */
  readonly totals: readonly (number | null)[];
  /** Latencies by kind; those that it cannot be asked are left out. */
  readonly kinds: Readonly<Record<string, Latency>>;
}

export interface FilterPeer {
  readonly name: string;
  /** What a reader of its figures should know. */
  readonly note: string;
  /** Why it cannot run here, and what to do about it; undefined when it can. */
  missing(): string | undefined;
  run(job: FilterJob): Promise<FilterAnswer>;
  /** Serves the index that `run` left in the folder of the job. */
  serve?(job: FilterJob): Promise<BenchServer>;
}

/** A question as the query of a URL. Its words and values need no escaping: they are letters, digits and hyphens. */
export function toQuery({ words, match, filter, days, facet, histogram, sort, offset }: Ask): string {
  const parameters = { words: words?.join('+'), match, filter: filter?.join(':'), from: days?.[0], to: days?.[1], facet, histogram, sort, offset };
  return Object.entries(parameters).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`).join('&');
}

/** What `toQuery` wrote. */
export function fromQuery(query: string): Ask {
  const of = new URLSearchParams(query);
  const [words, match, filter, from, to, facet, histogram, sort, offset] = ['words', 'match', 'filter', 'from', 'to', 'facet', 'histogram', 'sort', 'offset'].map((name) => of.get(name));
  return {
    ...(words && { words: words.split(' ') }), ...(match && { match: match as 'all' | 'phrase' }), ...(filter && { filter: filter.split(':') as [string, string] }),
    ...(from && to && { days: [from, to] }), ...(facet && { facet }), ...(histogram && { histogram }), ...(sort && { sort }), ...(offset && { offset: Number(offset) }),
  };
}
