import type { OrdSet } from '../../lib/ord-set.ts';
import type { ReadableColumns } from '../../search/columns/index.ts';
import type { MeaningHit, WordsHit } from '../../search/fusion/fuse.ts';
import type { Mark, SortKey } from '../../search/order/index.ts';
import type { Algorithm } from '../../search/vector/index.ts';
import type { FollowingView } from './read-consistently.ts';

/** The documents that may be found, and by what their scores are multiplied. */
export interface Ground {
  /** Undefined for all. */
  readonly eligible: OrdSet | undefined;
  /** By ordinal; undefined if nothing is multiplied. */
  readonly factors: Float32Array | undefined;
  /** From the same state, until something is awaited; undefined if the collection has no documents. */
  readonly columns?: ReadableColumns | undefined;
}

/** What a retriever is asked for. The options after `limit` concern one that has all matches. */
export interface Wanted {
  readonly limit: number;
  /** Documents that are found if they match, even if they are not among the best. */
  readonly pinned?: readonly number[];
  /** The order of the matches; best first if undefined. */
  readonly order?: MatchOrder | undefined;
}

/** A page of matches in the order of their documents' values. */
export interface MatchOrder {
  readonly keys: readonly SortKey[];
  /** Number of matches to skip. */
  readonly skip: number;
  /** Where the page before it ended. */
  readonly after: Mark | undefined;
  /** The last match of the page before, if its place may have changed since. */
  readonly last?: LastMatch | undefined;
}

export interface LastMatch {
  readonly ord: number;
  /** Number of matches up to it. */
  readonly passed: number;
}

/** The best documents or passages by one retriever. */
export interface Retrieved<Hit> {
  readonly hits: readonly Hit[];
  /** All documents that match, if they are collected. The caller may change them. */
  readonly matches?: OrdSet | undefined;
  /** Number of documents that match, if it is known without collecting them. */
  readonly total?: number | undefined;
  /** Whether there may be more than `total`. */
  readonly isLowerBound?: boolean | undefined;
  /** The values by which the hits were sorted, by ordinal, if they were. */
  readonly places?: ReadonlyMap<number, Mark> | undefined;
  /** Behind which match the page of an order begins; undefined for the first page. */
  readonly begun?: Mark | undefined;
  /** The algorithm that was used, if there are several. */
  readonly algorithm?: Algorithm | undefined;
  /** Number of documents whose vectors could not be compared. */
  readonly incomparable?: number | undefined;
}

/**
 * Finds documents of a collection for one request. The stages do not know whether it searches in this process or on
 * other nodes, so each method concerns all documents at once.
 */
export interface Retriever<Hit, Item, Feature> {
  /** The view that it reads; absent if it does not follow the feed. */
  readonly view?: FollowingView | undefined;
  /** Whether that view follows changes of documents, and not those of their embeddings. */
  readonly followsDocuments?: boolean | undefined;
  /** Whether it has all matches: it counts them, sorts them, and its best ones do not depend on how many are wanted. */
  readonly isWhole?: boolean | undefined;
  /** At least the best `limit` of the ground, with their scores; in any order. Throws `IndexLoading`. */
  candidates(ground: Ground, wanted: Wanted): Promise<Retrieved<Hit>>;
  /** What a result shows of each besides its score. */
  features(items: readonly Item[]): Promise<readonly Feature[]>;
  /** Takes back matches that are not used any more, so that their memory is used again. */
  release?(matches: OrdSet): void;
}

/** A run of chunks of a document. */
export interface PassageQuery {
  readonly ord: number;
  /** Numbers of its chunks, both inclusive. The last one may be behind the end of the document. */
  readonly first: number;
  readonly last: number;
}

/** A part of a body. */
export interface Passage {
  /** Bytes of the body, the end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
  /** Checksum and length of the body. */
  readonly crc: number;
  readonly bytes: number;
}

/** What finds the candidates of a search: words, vectors or both. */
export interface Sides {
  /** The features of a document are the terms that it matches. */
  readonly words?: Retriever<WordsHit, number, ReadonlySet<string>> | undefined;
  /** The features of a run of chunks are its place in the body; undefined if the body was changed since. */
  readonly vectors?: Retriever<MeaningHit, PassageQuery, Passage | undefined> | undefined;
}

/** Whether one retriever with all matches decides alone. */
export function isWhole({ words, vectors }: Sides): boolean {
  return words?.isWhole === true && vectors === undefined;
}
