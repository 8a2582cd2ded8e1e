import type { CellValues, Scalar } from '../config/index.ts';
import type { Definition } from './definition.ts';

/**
 * Environment variables of a run's steps with the values of its inputs and of its cell: `QUIRE_INPUT_NAME` for each
 * declared input of its pipeline, empty for one without a value, and `QUIRE_MATRIX_NAME`. `input`: the input of the
 * run, as JSON.
 */
export function runVariables({ inputs = [] }: Pick<Definition, 'inputs'>, input: string | null,
  matrix: CellValues | null): Record<string, string>
{
  const values = inputs.length === 0 || input === null ? {} : (JSON.parse(input) as Readonly<Record<string, Scalar>>);
  const given = inputs.map((name) =>
    [`QUIRE_INPUT_${name.toUpperCase()}`, Object.hasOwn(values, name) ? String(values[name]) : ''] as const
  );
  const ofCell = Object.entries(matrix ?? {}).map(([name, value]) =>
    [`QUIRE_MATRIX_${name.toUpperCase()}`, String(value)] as const
  );
  return Object.fromEntries([...given, ...ofCell]);
}
