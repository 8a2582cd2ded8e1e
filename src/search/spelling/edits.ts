/** Buffer of `editsBetween`: three rows of a table. */
const MAX_LENGTH = 64;
const ROWS = [new Uint8Array(MAX_LENGTH + 2), new Uint8Array(MAX_LENGTH + 2), new Uint8Array(MAX_LENGTH + 2)] as const;
const FAR = 99;

/**
 * Insertions, deletions, substitutions and swaps of neighbours between two words (optimal string alignment, Boytsov
 * 2011), given as parts of arrays of UTF-16; a number above `most` if there are more. Words have at most 64 units.
 */
export function editsBetween(a: Uint16Array, aFrom: number, aTo: number, b: Uint16Array, bFrom: number, bTo: number,
  most: number): number
{
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) {
    aFrom++;
    bFrom++;
  }
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo--;
    bTo--;
  }
  const [m, n] = [aTo - aFrom, bTo - bFrom];
  if (Math.abs(m - n) > most) return most + 1;
  if (m === 0 || n === 0) return m + n;
  // Skip the common beginning and end.
  if (most === 1 || (m === 1 && n === 1))
    return m === 1 && n === 1
      ? 1
      : m === 2 && n === 2 && a[aFrom] === b[bFrom + 1] && a[aFrom + 1] === b[bFrom]
      ? 1
      : 2;
  return align(a.subarray(aFrom, aTo), b.subarray(bFrom, bTo), most);
}

/** Compute the table by rows; only cells near the diagonal can be small enough. */
function align(a: Uint16Array, b: Uint16Array, most: number): number {
  let [before, above, row] = ROWS;
  const n = b.length;
  for (let j = 0; j <= n; j++) above[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const [low, high] = [Math.max(1, i - most), Math.min(n, i + most)];
    row[low - 1] = low === 1 ? i : FAR;
    let least = row[low - 1]!;
    for (let j = low; j <= high; j++) {
      const [x, y] = [a[i - 1], b[j - 1]];
      let cost = Math.min(above[j - 1]! + (x === y ? 0 : 1), (j < i + most ? above[j]! : FAR) + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && x === b[j - 2] && a[i - 2] === y) cost = Math.min(cost, before[j - 2]! + 1);
      row[j] = cost;
      least = Math.min(least, cost);
    }
    if (high < n) row[high + 1] = FAR;
    if (least > most) return most + 1;
    [before, above, row] = [above, row, before];
  }
  return Math.min(above[n]!, most + 1);
}
