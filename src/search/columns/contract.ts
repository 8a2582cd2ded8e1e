import type { OrdSet } from '../../lib/ord-set.ts';
import type { Filter } from '../filter/index.ts';
import type { Place, SortKey } from '../order/index.ts';

/** The data of a document that columns store. Times are Unix seconds. */
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

/** Restricts the documents of a collection; absent fields restrict nothing. */
export interface Selecting {
  readonly filter?: Filter | undefined;
  /** Unix seconds: documents that expire at or before this time do not pass. */
  readonly now: number;
  /** Ordinals that do not pass. */
  readonly hidden?: readonly number[] | undefined;
}

export interface Facet {
  /** A metadata key, or `lang`. */
  readonly field: string;
  /** Whether `lang` means the metadata key of that name instead of the language. */
  readonly isMeta?: boolean | undefined;
  /** By count, descending, with equal counts by value; or by value, by code point. */
  readonly orderBy: 'count' | 'value';
  /** Maximum number of values; 0 for all. */
  readonly limit: number;
}

export interface ValueCount {
  readonly value: string;
  /** Documents with the value; each counts once, even if it has the value several times. */
  readonly count: number;
}

/** Documents of a day: its number since 1970-01-01 in UTC. */
export interface DayCount {
  readonly day: number;
  readonly count: number;
}

/** Scores of all documents that an order by `score` compares: `scores[i]` is the score of `ords[i]`. */
export interface Scores {
  readonly ords: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
}

export interface Sorting {
  readonly keys: readonly SortKey[];
  /** Number of documents to skip; 0 with `after`. */
  readonly offset: number;
  readonly count: number;
  /** The last place of the previous page. */
  readonly after?: { readonly place: Place; readonly tie: string } | undefined;
  readonly scores?: Scores | undefined;
}

export interface SortedDocument {
  readonly ord: number;
  /** The values of its sort keys. */
  readonly place: Place;
  /** Distinguishes documents with equal sort keys: key and language in lower case, joined by `|`. */
  readonly tie: string;
}

/** A factor for documents that have a value. */
export interface ValueFactor {
  readonly key: string;
  readonly value: string;
  readonly factor: number;
}

/** Both must be finite in single precision. */
export interface FactorBounds {
  readonly least: number;
  readonly most: number;
}

/** Bytes by purpose. */
interface ColumnBytes {
  /** Texts of values, keys and names, with the structures that find and order them. */
  readonly dictionaries: number;
  /** Compressed bitmaps of values. */
  readonly bitmaps: number;
  /** Values of documents, and the documents' ordinals. */
  readonly columns: number;
  /** All memory in use, including spare capacity and sets that are remembered between searches. */
  readonly total: number;
}

export interface ColumnStats {
  readonly documents: number;
  /** Metadata values of documents; each counts once per document. */
  readonly pairs: number;
  readonly keys: number;
  readonly bytes: ColumnBytes;
}

/** Requests whose data `prepare` can build in advance. */
export interface Needs {
  readonly filter?: Filter | undefined;
  /**
   * Unix seconds. If present, the documents that pass the filter at this time are found in advance, too, if that takes
   * long.
   */
  readonly now?: number | undefined;
  /** The keys of a sort; an empty list for one of many documents by `tie`. */
  readonly keys?: readonly SortKey[] | undefined;
  readonly facets?: readonly string[] | undefined;
}

/** What is read of columns. Sets contain ordinals of the database; an absent set stands for all documents. */
export interface ReadableColumns {
  stats(): ColumnStats;

  /**
   * Builds the data that a request needs, for at most this many milliseconds: for example, the order of values that
   * were added since the last call. Returns false while there is more to build; the request works without it, but then
   * builds the rest at once. Call it again after each change: when an order is ready, the call only checks it.
   */
  prepare(needs: Needs): boolean;

  /**
   * The documents that pass; undefined for all. Without `hidden`, the same filter returns the same object until a
   * document changes or expires; callers must not change it.
   */
  select(selecting: Selecting): OrdSet | undefined;
  /** For each ordinal, whether there is such a document, expired ones included. */
  hasEach(ords: readonly number[]): boolean[];
  count(set: OrdSet | undefined): number;
  /** The values of the documents in the set. */
  facet(set: OrdSet | undefined, facet: Facet): ValueCount[];
  /** Documents by day, ascending. */
  days(set: OrdSet | undefined, field: 'addedAt' | 'updatedAt'): DayCount[];
  /**
   * Sorts the documents of a set. If a document has several values of a key, the smallest counts in an ascending order
   * and the greatest in a descending one; documents without a value come last in both. Equal documents are in the order
   * of `tie`.
   */
  sort(set: OrdSet | undefined, sorting: Sorting): SortedDocument[];
  /**
   * Products of the factors by ordinal, limited to the bounds; documents without a factor have 1. Undefined when no
   * document has a factor. Callers must not change them: the same object is returned until a document changes.
   */
  factors(factors: readonly ValueFactor[], bounds: FactorBounds): Float32Array | undefined;
  /** Metadata keys that documents have, by code point. */
  keys(): string[];
}

/** The metadata, times and names of a collection's documents in columns, for filters, facets, histograms and sorts. */
export interface Columns extends ReadableColumns, ColumnsPart {
  /** Replaces the former version of the document. */
  put(document: ColumnDocument): void;
  /** Does nothing if the document does not exist. */
  remove(ord: number): void;

  /** Does a part of the maintenance that changes leave behind; returns true while there is more. */
  tidy(): boolean;
  /** Prepares for a change while the bytes of `save` are being read; returns true while there is more to prepare. */
  settle(): boolean;
  /** The current state as bytes, from which the columns can be restored; the columns may change while it is read. */
  save(): AsyncIterable<Uint8Array>;
}

/**
 * What several columns with different documents offer, so that they can be read as one (`joinColumns`): those here, and
 * stand-ins for others. A stand-in throws `Unanswered` (src/search/parts).
 */
export interface ColumnsPart
  extends Pick<ReadableColumns, 'stats' | 'prepare' | 'select' | 'hasEach' | 'count' | 'days' | 'keys'>
{
  /** Says that these are one of this many parts of a collection, which share its memory and its time. */
  share(parts: number): void;
  /** Different after each change of a document and, with a time in Unix seconds, when others have expired by then. */
  revision(now?: number): number | string;
  /** Counts the documents of each value of a field. */
  tally(set: OrdSet | undefined, field: Pick<Facet, 'field' | 'isMeta'>): Tally;
  /** The same documents as `sort`. Each is read when it is asked for, until the columns sort again or change. */
  sorted(set: OrdSet | undefined, sorting: Sorting): SortedRows;
  /** For each pair, the documents with this value of a metadata key, expired ones included; undefined for none. */
  documentsWith(pairs: readonly Pick<ValueFactor, 'key' | 'value'>[]): (OrdSet | undefined)[];
}

export interface SortedRows {
  readonly length: number;
  at(index: number): SortedDocument | undefined;
}

/** How many documents have each value of a field; valid until something else is asked of the columns. */
export interface Tally {
  /** Number of values that documents have. */
  readonly size: number;
  /** The documents of each of these values. */
  readonly counts: Uint32Array;
  /** A hash of each of these values, which is the same in all columns. */
  hashes(): Uint32Array;
  /** As `facet`, or more values than the limit; with other counts of the values, if they are given. */
  best(orderBy: Facet['orderBy'], limit: number, counts?: Uint32Array): ValueCount[];
  /** The documents that have each of some values. */
  countsOf(values: readonly string[]): ArrayLike<number>;
}

/** A tally that tells values by numbers of their own. */
export interface NumberedTally extends Tally {
  /** The numbers of the values, in the order of `counts`. */
  readonly numbers: Uint32Array;
  /** Different after numbers may have got other values. */
  readonly numbering: number;
  textOf(number: number): string;
}
