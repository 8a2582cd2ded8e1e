import type { OrdSet } from '../../lib/ord-set.ts';
import type { Filter } from '../filter/index.ts';
import type { Place, SortKey } from '../order/index.ts';

/** What columns know of a document. Times are Unix seconds. */
export interface ColumnDocument {
  /** Ordinal in the database. */
  readonly ord: number;
  /** Latest spelling. */
  readonly key: string;
  /** Latest spelling. */
  readonly lang: string;
  readonly addedAt: number;
  readonly updatedAt: number;
  readonly expiresAt?: number | undefined;
  readonly meta: Readonly<Record<string, readonly string[]>>;
}

/** What narrows the documents of a collection; what is absent lets all pass. */
export interface Selecting {
  readonly filter?: Filter | undefined;
  /** Unix seconds: a document that has expired by then does not pass. */
  readonly now: number;
  /** Ordinals that do not pass. */
  readonly hidden?: readonly number[] | undefined;
}

export interface Facet {
  /** A metadata key, or `lang`. */
  readonly field: string;
  /** Whether `lang` is the metadata key of that name, too, rather than the language. */
  readonly isMeta?: boolean | undefined;
  /** By count, descending, equal ones by value; or by value, by code point. */
  readonly orderBy: 'count' | 'value';
  /** Values at most; 0 for all. */
  readonly limit: number;
}

export interface ValueCount {
  readonly value: string;
  /** Documents, each once, however often they have the value. */
  readonly count: number;
}

/** Scores of all documents that an order by `score` looks at: `scores[i]` is that of `ords[i]`. */
export interface Scores {
  readonly ords: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
}

export interface Sorting {
  readonly keys: readonly SortKey[];
  /** Documents passed over; 0 with `after`. */
  readonly offset: number;
  readonly count: number;
  /** Where the page before ended. */
  readonly after?: { readonly place: Place; readonly tie: string } | undefined;
  readonly scores?: Scores | undefined;
}

export interface SortedDocument {
  readonly ord: number;
  /** What it is sorted by. */
  readonly place: Place;
  /** What tells it from documents of the same place: its key and language in lower case, joined by `|` (decision D-66). */
  readonly tie: string;
}

/** A factor for documents that have a value. */
export interface ValueFactor {
  readonly key: string;
  readonly value: string;
  readonly factor: number;
}

/** Both are finite in single precision. */
export interface FactorBounds {
  readonly least: number;
  readonly most: number;
}

/** Bytes by what they are for. */
export interface ColumnBytes {
  /** Texts of values, keys and names, with what finds and orders them. */
  readonly dictionaries: number;
  /** Compressed bitmaps of values. */
  readonly bitmaps: number;
  /** Values of documents, and the documents' ordinals. */
  readonly columns: number;
  /** All that is held, room for growth and what is remembered between searches included. */
  readonly total: number;
}

export interface ColumnStats {
  readonly documents: number;
  /** Metadata values of documents, each once for a document. */
  readonly pairs: number;
  readonly keys: number;
  readonly bytes: ColumnBytes;
}

/** What may have to be made ready before it is asked for. */
export interface Needs {
  readonly filter?: Filter | undefined;
  readonly keys?: readonly SortKey[] | undefined;
  readonly facets?: readonly string[] | undefined;
}

/**
 * The metadata, times and names of a collection's documents in columns: what filters, facets, histograms and sorts
 * are answered from. Sets are of ordinals in the database; an absent one stands for all documents.
 */
export interface Columns {
  stats(): ColumnStats;
  /** Takes the place of the document's former version. */
  put(document: ColumnDocument): void;
  /** A document that is not there is no error. */
  remove(ord: number): void;

  /**
   * Gets ready what a request needs, for some milliseconds at most: such as the order of values that came since the
   * last time. False while there is more to do; what follows works without it, but takes its time at once. To be asked after
   * each change: an order that is ready takes a look at it.
   */
  prepare(needs: Needs): boolean;

  /**
   * The documents that pass; undefined for all. Without `hidden` it is the same object for the same filter until a
   * document changes or expires; nobody may change it.
   */
  select(selecting: Selecting): OrdSet | undefined;
  count(set: OrdSet | undefined): number;
  /** The values that documents of the set have. */
  facet(set: OrdSet | undefined, facet: Facet): ValueCount[];
  /** Documents by day, ascending: days since 1970-01-01 in UTC. */
  days(set: OrdSet | undefined, field: 'addedAt' | 'updatedAt'): { readonly day: number; readonly count: number }[];
  /**
   * Documents of the set in an order. Of several values of a key the least counts where the order ascends, and the
   * greatest where it descends; what has none comes last in either direction. Equal documents are in the order of `tie`.
   */
  sort(set: OrdSet | undefined, sorting: Sorting): SortedDocument[];
  /**
   * Products of the factors by ordinal, not below or above the bounds, and 1 for documents without any; undefined when none has one.
   * Nobody may change them: they are the same object as long as no document changes.
   */
  factors(factors: readonly ValueFactor[], bounds: FactorBounds): Float32Array | undefined;
  /** Metadata keys that documents have, by code point. */
  keys(): string[];

  /** Does a little of the work that changes leave behind; true while there is more. */
  tidy(): boolean;
  /** Gets ready for a change while `save` is being read; true while there is more. */
  settle(): boolean;
  /** Everything as of now, to be restored from; the columns may change while it is read. */
  save(): AsyncIterable<Uint8Array>;
}
