import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, type CellValues, fillCell, matrixProblems, nameOfCell } from './matrix.ts';
import { parseRunsConfig, type RunsConfigError } from './parse.ts';
import type { MatrixConfig } from './schema/index.ts';

const matrix = (given: Partial<MatrixConfig>): MatrixConfig => ({
  axes: {},
  include: [],
  exclude: [],
  max_parallel: 0,
  fail_fast: true,
  ...given,
});
const configured = (written: string, more = '') =>
  parseRunsConfig(`pipelines: [{name: build, matrix: ${written}, steps: [{name: go, run: 'true'}]${more}}]`)
    .pipelines[0]!;
const problemsOf = (written: string, more = ''): readonly string[] => {
  try {
    configured(written, more);
    return [];
  } catch (error) {
    return (error as RunsConfigError).problems;
  }
};

/** Cell by cell, directly after the definition. */
function reference({ axes, include, exclude }: MatrixConfig): CellValues[] {
  let cells: CellValues[] = Object.keys(axes).length === 0 ? [] : [{}];
  for (const [name, values] of Object.entries(axes)) {
    const next: CellValues[] = [];
    for (const cell of cells) for (const value of values) next.push({ ...cell, [name]: value });
    cells = next;
  }
  cells = cells.filter((cell) => exclude.every((each) => Object.keys(each).some((name) => cell[name] !== each[name])));
  const added: CellValues[] = [];
  for (const each of include) {
    const fits = cells.map((cell) => Object.keys(each).every((name) => !(name in axes) || cell[name] === each[name]));
    if (fits.includes(true)) cells = cells.map((cell, index) => (fits[index] ? { ...cell, ...each } : cell));
    else added.push(each);
  }
  return [...cells, ...added];
}

describe('the cells of a matrix', () => {
  it('are the combinations, without those that are excluded, with what is included', () => {
    const cells = cellsOf(matrix({
      axes: { node: [20, 24], os: ['linux', 'macos'] },
      exclude: [{ node: 20, os: 'macos' }],
      include: [{ node: 24, experimental: true }, { node: 26, os: 'linux' }],
    }));
    expect(cells).toEqual([{ node: 20, os: 'linux' }, { node: 24, os: 'linux', experimental: true }, {
      node: 24,
      os: 'macos',
      experimental: true,
    }, { node: 26, os: 'linux' }]);
    expect(cells.map(nameOfCell)[1]).toBe('node=24 os=linux experimental=true');
  });

  it('are those of a reference, whatever the matrix', () => {
    const values = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom(1, 2, 'x'), {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    });
    const axes = fc.dictionary(fc.constantFrom('a', 'b', 'c'),
      fc.uniqueArray(fc.constantFrom(1, 2, 'x'), { minLength: 1 }), { maxKeys: 3, noNullPrototype: true });
    fc.assert(
      fc.property(axes, fc.array(values, { maxLength: 4 }), fc.array(values, { maxLength: 3 }),
        (given, include, exclude) => {
          const one = matrix({ axes: given, include, exclude });
          expect(cellsOf(one)).toEqual(reference(one));
        }),
    );
  });

  it('fill labels and images', () => {
    expect(fillCell('node:{matrix.node}-{matrix.none}', { node: 24 })).toBe('node:24-');
    expect(configured('{os: [linux, macos]}', ", runs_on: ['os={matrix.os}'], image: 'node:{matrix.os}'").runs_on)
      .toEqual(['os={matrix.os}']);
  });

  it('may have their axes beside the other keys, or under `axes`', () => {
    expect(configured('{node: [20, 24], max_parallel: 1}').matrix).toEqual(
      configured('{axes: {node: [20, 24]}, max_parallel: 1}').matrix,
    );
  });

  it.each([['{node: [20], axes: {node: [24]}}', '',
    'pipelines[0].matrix.node: is short for pipelines[0].matrix.axes.node, which is given too; keep one of them'], [
    '{max_paralel: 2}',
    '',
    'pipelines[0].matrix.max_paralel: unknown key; did you mean max_parallel?',
  ], ['{node: [20], exclude: [{os: linux}]}', '', 'pipelines[0].matrix.exclude[0].os: is no axis of the matrix'], [
    '{node: [20], exclude: [{node: 20}]}',
    '',
    'pipelines[0].matrix: leaves no combination',
  ], ['{node: [20]}', ", runs_on: ['os={matrix.os}']",
    'pipelines[0].runs_on[0]: expected a label such as os=linux for each cell of the matrix, got os='], ['{}',
    ", runs_on: ['os={matrix.os}']", 'pipelines[0].runs_on[0]: os={matrix.os} needs a matrix']])('%s%s is refused',
      (written, more, problem) => {
        expect(problemsOf(written, more)).toEqual([problem]);
      });

  it('are at most a hundred', () => {
    const axis = Array.from({ length: 51 }, (_, index) => index);
    expect(matrixProblems(matrix({ axes: { a: axis, b: [1, 2] } }))).toEqual([
      ': expected at most 100 combinations, got 102',
    ]);
    expect(matrixProblems(matrix({ axes: { a: axis, b: axis, c: axis } }))).toEqual([
      ': expected at most 100 combinations, got 132651',
    ]);
  });
});
