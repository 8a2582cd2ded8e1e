import { createHash } from 'node:crypto';
import type { RunRecord } from '../queue/port.ts';
import type { ParsedResult } from './formats/index.ts';

/** What a test belongs to: the same test in another pipeline, cell or step is another one. */
export interface Origin {
  readonly projectId: string;
  readonly pipeline: string;
  /** The values of the cell as JSON; empty without a matrix. */
  readonly matrix: string;
  /** Empty for a report of the pipeline. */
  readonly step: string;
}

export function originOf({ projectId, task, matrix }: RunRecord, step: string): Origin {
  return { projectId, pipeline: task ?? '', matrix: matrix === null ? '' : JSON.stringify(sorted(matrix)), step };
}

const sorted = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * The id of a test within its project, the same in all runs. The file of a test does not count, because it moves; a
 * rule of a linter is another one in each file.
 */
export function testKey({ pipeline, matrix, step }: Origin,
  { kind, suite, className, name, file }: ParsedResult): string
{
  const parts = [kind, pipeline, matrix, step, suite, className, name, ...(kind === 'finding' ? [file] : [])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/**
 * What a run tests: results of one test for the same change can be compared. Without a checkout that is the run that
 * was retried first.
 */
export function testedBy({ gitCommit, rootId }: RunRecord): string {
  return gitCommit ?? `run ${rootId}`;
}
