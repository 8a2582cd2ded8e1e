import type { MatrixConfig, Scalar } from './schema/index.ts';

/** The values of one cell of a matrix by name. */
export type CellValues = Readonly<Record<string, Scalar>>;

/** Most cells of a matrix: one transaction stores a run for each. */
export const MAX_CELLS = 100;

/**
 * The cells of a matrix in the order of its axes, the last one changing fastest; empty without a matrix. Cells that
 * `exclude` matches are left out. Each entry of `include` extends the combinations that have all its axis values; if
 * there are none, it becomes a cell of its own. Stops above `MAX_CELLS`.
 */
export function cellsOf({ axes, include, exclude }: MatrixConfig): CellValues[] {
  const cells = combinations(Object.entries(axes)).filter((values) => !exclude.some((each) => agrees(values, each)));
  const combined = cells.length;
  for (const more of include) {
    const own = Object.fromEntries(Object.entries(more).filter(([name]) => Object.hasOwn(axes, name)));
    let isTaken = false;
    for (let index = 0; index < combined; index++) {
      if (!agrees(cells[index]!, own)) continue;
      cells[index] = { ...cells[index], ...more };
      isTaken = true;
    }
    if (!isTaken) cells.push({ ...more });
  }
  return cells;
}

/** What is wrong with a matrix: one line for each problem, to be appended to its path. */
export function matrixProblems(matrix: MatrixConfig): string[] {
  const { axes, include, exclude } = matrix;
  const names = Object.keys(axes);
  if (names.length === 0 && include.length === 0)
    return exclude.length === 0 ? [] : ['.exclude: there is nothing to leave out'];
  const all = Object.values(axes).reduce((count, values) => count * values.length, 1);
  if (all > 10 * MAX_CELLS) return [`: expected at most ${MAX_CELLS} combinations, got ${all}`];
  const strange = exclude.flatMap((each, index) =>
    Object.keys(each).filter((name) => !names.includes(name)).map((name) =>
      `.exclude[${index}].${name}: is no axis of the matrix`
    )
  );
  const cells = cellsOf(matrix);
  return [...strange, ...(cells.length === 0 ? [': leaves no combination'] : []),
    ...(cells.length > MAX_CELLS ? [`: expected at most ${MAX_CELLS} combinations, got ${cells.length}`] : [])];
}

/** The name of a cell: its values in order. */
export const nameOfCell = (values: CellValues): string =>
  Object.entries(values).map(([name, value]) => `${name}=${String(value)}`).join(' ');

/** Replaces `{matrix.NAME}` by values of a cell; a name that the cell does not have becomes empty. */
export function fillCell(template: string, values: CellValues): string {
  return template.replaceAll(/\{matrix\.([a-z][a-z0-9_]{0,62})\}/g,
    (_, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : ''));
}

function combinations(axes: readonly (readonly [string, readonly Scalar[]])[]): CellValues[] {
  if (axes.length === 0) return [];
  return axes.reduce<CellValues[]>(
    (cells, [name, values]) => cells.flatMap((cell) => values.map((value) => ({ ...cell, [name]: value }))),
    [{}],
  );
}

const agrees = (values: CellValues, wanted: CellValues): boolean =>
  Object.entries(wanted).every(([name, value]) => Object.hasOwn(values, name) && values[name] === value);
