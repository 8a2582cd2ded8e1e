/** Bitmaps of a bit for each document that fit into the room, between its limits. */
const FILTERS = 256;
const LEAST_BYTES = 8 * 1024 * 1024;
/** More would be memory that is worth more elsewhere: few requests use so many filters of so many documents in turn. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Bytes in which an index of so many documents remembers the filters that were used last, in columns and in full-text
 * indexes alike: 32 for each document, at least 8 MiB and at most 32 MiB. If fewer filters fit than are used in turn,
 * each is evaluated again every time.
 */
export function roomForFilters(documents: number): number {
  return Math.min(Math.max((documents * FILTERS) / 8, LEAST_BYTES), MOST_BYTES);
}
