import type { PartLink } from '../../search/parts/index.ts';
import type { Change, ChangeKind } from '../../storage/index.ts';
import type { Partition } from './partitions.ts';

/** Does a part of some work, for a few milliseconds; true while there is more. */
export type Steps = () => boolean;

/** The index of one collection, as a view needs it. It identifies documents by their ordinals. */
export interface ViewIndex {
  /** Live documents. */
  readonly documents: number;
  /** Approximate bytes of memory that it uses. */
  readonly bytes: number;
  /** Removes a document; one that is not indexed is no error. */
  remove(ord: number): void;
  /** Cleanup after changes; absent when there is none. */
  tidy?: Steps;
  /**
   * What a change would have to do first while `save` is being read; absent when it is nothing. A change that does not
   * wait for it does it at once.
   */
  settle?: Steps;
  /** The present state, to be read by `ViewKind.restore`; the index may change while it is read. */
  save(): AsyncIterable<Uint8Array>;
  /** Called once, when the view releases the index. Searches may still use it. */
  close?(): void;
}

/** The values of one document in the tables, ready to be put into an index. */
export interface Entry<Index> {
  /** Ordinal in the database. */
  readonly ord: number;
  /**
   * Puts the document into an index, replacing its former version. May be called for several indexes. Slow work is left
   * to steps, between which searches find the former version. Another change of the index completes or abandons these
   * steps.
   */
  addTo(index: Index): Steps | undefined | void;
}

/** Documents of one collection that are put into an index together. */
export interface EntryGroup<Index> {
  readonly collection: string;
  readonly ords: readonly number[];
  /** As `Entry.addTo`, for all of them. */
  addTo(index: Index): Steps | undefined | void;
}

/** What a change means for an index: `read` updates the document from the tables, `remove` removes it. */
export type Effect = 'read' | 'remove';

/** A collection of the tables, by its lowercased name. */
export interface ListedCollection {
  readonly name: string;
  /** Number of its documents; those that are not indexed may be counted. */
  readonly docs: number;
}

/** What is specific to one view: how its indexes are created, filled, read and saved. */
export interface ViewKind<Index extends ViewIndex, Readable = Index, Part = Index> {
  /** Its name in messages, as an adjective: `full-text`. */
  readonly name: string;
  /** An empty index for a collection, by its lowercased name. */
  create(collection: string): Index;
  /** Rejects for bytes that are damaged or of another version. */
  restore(collection: string, bytes: AsyncIterable<Uint8Array>): Promise<Index>;
  /**
   * The indexes of all partitions of a collection as one that is only read, with the same answers as one index with all
   * documents. The indexes may change later, but not while it is called synchronously.
   */
  join(parts: readonly Part[]): Readable;
  /** What takes the place of an index that is in the memory of another node, for `join`. */
  standIn?(link: PartLink): Part;
  /**
   * Answers a question of a stand-in for this index: the result of a method, as plain data. Throws a RangeError for a
   * method that there is not.
   */
  answer?(index: Index, method: string, args: readonly unknown[]): unknown;
  /** Prepares a joined index for searches, for some milliseconds; true while there is more. Absent: it is ready. */
  warm?(joined: Readable): boolean;
  /**
   * The change that rebuilds the index of its collection while the old one serves; absent if there is none
   * (`CollectionView.reindex`).
   */
  readonly reindexChange?: ChangeKind;
  /**
   * Undefined for an irrelevant change; others have an ordinal. Not called for the deletion of a collection, whose
   * index is deleted with it, nor for `reindexChange`.
   */
  effectOf(change: Change): Effect | undefined;
  /** The collections that have something to index, in the order in which they should be ready. */
  collections(): Promise<readonly ListedCollection[]>;
  /**
   * The document as a change left it, if the change carries everything that the index needs; otherwise the tables are
   * read.
   */
  entryOf?(change: Change): Entry<Index> | undefined;
  /**
   * Those changes that can be applied together; each group replaces the entries of its documents. `changes` have the
   * effect `read`.
   */
  groupsOf?(changes: readonly Change[]): readonly EntryGroup<Index>[];
  /**
   * The present documents of some ordinals in the tables, in any order; those that must not be indexed or do not exist
   * are left out.
   */
  entriesOf(ords: readonly number[]): AsyncIterable<Entry<Index>>;
  /** All documents of a partition. One that is written meanwhile may be left out or returned in its former version. */
  allEntries(partition: Partition): AsyncIterable<Entry<Index>>;
}
