import { LEAST_SHARE, type Point, ROUNDS } from './projection.ts';

type Row = number[];

/** The same result as `ProjectionKernel`, in plain loops over 64-bit numbers. */
export function projectTwin(
  vectors: readonly ArrayLike<number>[],
): { points: Point[]; place: (vector: ArrayLike<number>) => Point | undefined } {
  const mean = Array.from(vectors[0] ?? [],
    (_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0) / vectors.length);
  const centre = (vector: ArrayLike<number>): Row => mean.map((value, i) => vector[i]! - value);
  const rows = vectors.map(centre);
  const squares = vectors.reduce((sum, vector) => sum + dot(Array.from(vector), Array.from(vector)), 0);
  const first = findAxis(rows, undefined, LEAST_SHARE * squares);
  if (first.value === 0) return { points: rows.map(() => ({ x: 0, y: 0 })), place: () => undefined };
  const second = findAxis(rows, first.axis, LEAST_SHARE * first.value);
  const raw = rows.map((row) => ({ x: dot(row, first.axis), y: dot(row, second.axis) }));
  const extent = Math.max(...raw.flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)]));
  return {
    points: raw.map(({ x, y }) => ({ x: x / extent, y: y / extent })),
    place: (vector) => ({ x: dot(centre(vector), first.axis) / extent, y: dot(centre(vector), second.axis) / extent }),
  };
}

function findAxis(rows: readonly Row[], first: Row | undefined, least: number): { axis: Row; value: number } {
  let axis = beginning(rows, first);
  let value = length(axis);
  for (let round = 0; round < ROUNDS && value > 0; round++) {
    const sums = axis.map(() => 0);
    for (const row of rows) {
      const weight = dot(row, axis);
      for (const [i, x] of row.entries()) sums[i]! += weight * x;
    }
    const next = first === undefined ? sums : without(sums, first);
    value = length(next);
    axis = unit(next);
  }
  if (!(value > least)) return { axis: axis.map(() => 0), value: 0 };
  const largest = axis.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most), 0);
  return { axis: largest < 0 ? axis.map((x) => -x) : axis, value };
}

function beginning(rows: readonly Row[], first: Row | undefined): Row {
  const rests = rows.map((row) => (first === undefined ? row : without(row, first)));
  const longest = rests.reduce<Row>((best, row) => (dot(row, row) > dot(best, best) ? row : best), []);
  return longest.length === 0 ? (rows[0] ?? []).map(() => 0) : unit(longest);
}

function without(row: Row, axis: Row): Row {
  const share = dot(row, axis);
  return row.map((x, i) => x - share * axis[i]!);
}

function unit(row: Row): Row {
  const size = length(row);
  return size === 0 ? row : row.map((x) => x / size);
}

function length(row: Row): number {
  return Math.sqrt(dot(row, row));
}

function dot(a: Row, b: Row): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}
