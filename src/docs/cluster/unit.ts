import { MOST_PARTITIONS } from '../view/index.ts';

/** One partition of a collection: what nodes hold, and what is placed on them as a whole. */
export interface Unit {
  /** Number of the collection in the database. */
  readonly collection: number;
  /** From 0. */
  readonly partition: number;
}

/** The number of a unit, by which nodes speak of it. */
export type UnitNumber = number;

export function numberOf({ collection, partition }: Unit): UnitNumber {
  return collection * MOST_PARTITIONS + partition;
}

export function unitOf(number: UnitNumber): Unit {
  return { collection: Math.floor(number / MOST_PARTITIONS), partition: number % MOST_PARTITIONS };
}

/** A unit, and the bytes of memory that its indexes take on each node that holds it. */
export interface SizedUnit {
  readonly unit: UnitNumber;
  readonly bytes: number;
}
