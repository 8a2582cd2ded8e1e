/** Most rows of one statement; a power of two. */
export const LARGEST_STEP = 64;

/**
 * Splits rows into steps of 64, 32, ..., 2 and 1 rows, each for one statement: so at most seven statements are prepared
 * for any number of rows, and 20 rows take two.
 */
export function rowSteps<T>(rows: readonly T[]): (readonly T[])[] {
  const steps: (readonly T[])[] = [];
  for (let first = 0; first < rows.length;) {
    const size = Math.min(LARGEST_STEP, 2 ** Math.floor(Math.log2(rows.length - first)));
    steps.push(rows.slice(first, first + size));
    first += size;
  }
  return steps;
}
