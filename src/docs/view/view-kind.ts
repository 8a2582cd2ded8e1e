import type { Change } from '../../storage/index.ts';

/** Does a little of some work, for some milliseconds at most; true while there is more. */
export type Steps = () => boolean;

/** The index of one collection, as a view needs it. It knows documents by their ordinals. */
export interface ViewIndex {
  /** Live documents. */
  readonly documents: number;
  /** Bytes of memory that it holds, about. */
  readonly bytes: number;
  /** Takes a document out; one that is not there is no error. */
  remove(ord: number): void;
  /** The work that changes leave behind; absent when there is none. */
  tidy?: Steps;
  /** What a change would have to do first while `save` is being read; absent when it is nothing. A change that does not wait for it does it at once. */
  settle?: Steps;
  /** Everything as of now, to be taken up by `ViewKind.restore`; the index may change while it is read. */
  save(): AsyncIterable<Uint8Array>;
  /** Called once, when the view lets go of the index. Searches may still hold it. */
  close?(): void;
}

/** What the tables say of one document, ready to be put into an index. */
export interface Entry<Index> {
  /** Ordinal in the database. */
  readonly ord: number;
  /**
   * Puts the document into an index, in the place of its former version. May be called for several indexes.
   * What takes its time is left to steps, between which searches find the former version; another change of
   * the index ends them, one way or the other.
   */
  addTo(index: Index): Steps | undefined | void;
}

/**
 * What a change means for an index: `read` brings the document in line with the tables, `remove` takes it
 * out, `rebuild` makes the index of its collection anew while the old one serves.
 */
export type Effect = 'read' | 'remove' | 'rebuild';

/** What is particular to one view: how its indexes are made, filled and kept. */
export interface ViewKind<Index extends ViewIndex> {
  /** What messages call it, as an adjective: `full-text`. */
  readonly name: string;
  /** An empty index for a collection, by its lowercased name. */
  create(collection: string): Index;
  /** Rejects for bytes that are damaged or of another version. */
  restore(collection: string, bytes: AsyncIterable<Uint8Array>): Promise<Index>;
  /**
   * Undefined for a change that is of no concern. `read` and `remove` are for changes that have an ordinal.
   * The deletion of a collection is not asked about: its index goes with it.
   */
  effectOf(change: Change): Effect | undefined;
  /** Lowercased names of the collections that have something to index, those first that shall be ready first. */
  collections(): Promise<readonly string[]>;
  /** The document as a change left it, where the change brings all that the index must know; otherwise the tables are asked. */
  entryOf?(change: Change): Entry<Index> | undefined;
  /** The documents of some ordinals as the tables have them now, in any order; those that are not (to be) indexed are left out. */
  entriesOf(ords: readonly number[]): AsyncIterable<Entry<Index>>;
  /** All documents of a collection. One that is written meanwhile may be left out or come as it was. */
  allEntries(collection: string): AsyncIterable<Entry<Index>>;
}
