/** One of the parts into which the documents of a collection are divided; each has an index of its own in a view. */
export interface Partition {
  /** Lowercased name of the collection. */
  readonly collection: string;
  /** From 0. */
  readonly number: number;
  /** Number of partitions of the collection. */
  readonly of: number;
}

/** Into how many partitions the indexes of a collection in a view are divided. */
export interface Division {
  /** What searches read. */
  readonly serving: number;
  /** What is being built; absent if the collection is not being divided anew. */
  readonly next?: number | undefined;
  /** What other nodes may still ask for, after the collection was divided anew. */
  readonly former?: number | undefined;
}

/** Maximum number of partitions of a collection. */
export const MOST_PARTITIONS = 64;

/**
 * So many ordinals in a row belong to the same partition: the documents of a batch have neighbouring ones, and those of
 * one index are added together.
 */
const IN_A_ROW = 1024;

/** The number of the partition to which the document with an ordinal belongs, of some partitions. */
export function partitionOf(ord: number, of: number): number {
  return Math.floor(ord / IN_A_ROW) % of;
}

/** Tells which documents belong to a partition; all those of 1,024 ordinals in a row do, or none. */
export function holdsOf({ number, of }: Pick<Partition, 'number' | 'of'>): (ord: number) => boolean {
  return (ord) => partitionOf(ord, of) === number;
}

/** A part of a collection with the number `auto` has at most so many documents when it is divided. */
const DOCUMENTS_EACH = 1_000_000;
/** It is divided into fewer only when each would have so few: a rebuild costs more than it saves. */
const FEWEST_EACH = DOCUMENTS_EACH / 4;

/**
 * The number of partitions for so many documents of a collection that has `present` of them: a power of two, at most
 * `MOST_PARTITIONS`. It stays if the number of documents is not known.
 */
export function partitionsFor(documents: number | undefined, present: number): number {
  if (documents === undefined) return present;
  if (documents <= present * DOCUMENTS_EACH && documents >= (present - 1) * FEWEST_EACH) return present;
  const least = Math.ceil(documents / DOCUMENTS_EACH);
  return Math.min(MOST_PARTITIONS, 2 ** Math.ceil(Math.log2(Math.max(1, least))));
}

/** All partitions of a collection that is divided into so many. */
export function partitionsOf(collection: string, of: number): Partition[] {
  return Array.from({ length: of }, (_, number) => ({ collection, number, of }));
}

/** The name of a partition's index in checkpoints and messages: `blog`, or `blog|3/8`. No collection has a `|`. */
export function nameOfPartition({ collection, number, of }: Partition): string {
  return of === 1 ? collection : `${collection}|${number + 1}/${of}`;
}

/** The collection to which an index of this name belongs. */
export function collectionOf(name: string): string {
  const end = name.indexOf('|');
  return end < 0 ? name : name.slice(0, end);
}

/** A further condition of SQL, by which a statement that reads a collection reads only a partition of it. */
export function andInPartition({ number, of }: Partition, ord = 'ord'): string {
  return of === 1 ? '' : `AND (${ord} / ${IN_A_ROW}) % ${of} = ${number}`;
}
