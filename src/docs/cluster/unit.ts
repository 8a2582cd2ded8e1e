import { MOST_PARTITIONS } from '../view/index.ts';

/** One partition of a collection: what nodes hold, and what is placed on them as a whole. */
export interface Unit {
  /** Number of the collection in the database. */
  readonly collection: number;
  /** From 0. */
  readonly partition: number;
  /** Into how many the collection is divided: the same partition of another number of them is another unit. */
  readonly partitions: number;
}

/** The number of a unit, by which nodes speak of it. */
export type UnitNumber = number;

/**
 * Numbers of the units of undivided collections are below it, and those of others above its multiples. So a unit of an
 * undivided collection has the number that it had when there were no others; the highest one is below 2^46.
 */
const DIVISION = 2 ** 40;

export function numberOf({ collection, partition, partitions }: Unit): UnitNumber {
  return (partitions - 1) * DIVISION + collection * MOST_PARTITIONS + partition;
}

export function unitOf(number: UnitNumber): Unit {
  const within = number % DIVISION;
  return {
    collection: Math.floor(within / MOST_PARTITIONS),
    partition: within % MOST_PARTITIONS,
    partitions: Math.floor(number / DIVISION) + 1,
  };
}

/** All units of a collection that is divided into so many partitions. */
export function unitsFrom(collection: number, partitions: number): UnitNumber[] {
  return Array.from({ length: partitions }, (_, partition) => numberOf({ collection, partition, partitions }));
}

/** A unit, and the bytes of memory that its indexes take on each node that holds it. */
export interface SizedUnit {
  readonly unit: UnitNumber;
  readonly bytes: number;
}
