import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { times } from '../fulltext/tables.ts';
import { answerOf } from '../peers/in-child.ts';
import { figure, type Section } from '../support/table.ts';
import type { Collection } from './collections.ts';

export interface ScanJob extends Pick<Collection, 'base' | 'queries' | 'count' | 'dims' | 'metric'> {
  readonly rounds: number;
  readonly threads: number;
}

/**
 * Milliseconds of each kind of scan: when the kinds take turns, so that each finds the caches filled by another, and
 * the median of one kind repeated, as in searches of one collection.
 */
export type ScanResult = Readonly<
  Record<string, { readonly median: number; readonly best: number; readonly repeated: number }>
>;

const ROUNDS = 25;

export async function measureScans(folder: string,
  { base, queries, count, dims, metric }: Collection): Promise<ScanResult>
{
  const file = join(folder, 'scan-job.json');
  const threads = Math.min(2, availableParallelism());
  writeFileSync(file,
    JSON.stringify({ base, queries, count, dims, metric, rounds: ROUNDS, threads } satisfies ScanJob));
  return answerOf<ScanResult>(process.execPath, [join(import.meta.dirname, 'scan-child.ts'), file]);
}

export function scanSection({ count, dims }: Collection, result: ScanResult): Section {
  const bytes = count * dims * 4;
  const flat = result['flat 1']!;
  const row = (what: string,
    { median, best, repeated }: ScanResult[string]) => [what, figure(median), figure(best),
    figure(bytes / median / 1e6), times(flat.median / median), figure(repeated), times(flat.repeated / repeated)];
  const NAMES: Readonly<Record<string, string>> = {
    'read 1': 'a loop that only reads, 1 thread',
    'read 2': 'a loop that only reads, 2 threads',
    'flat 1': 'flat, float32, 1 thread',
    'flat 2': 'flat, float32, 2 threads',
  };
  return {
    title: `Vectors: scans of ${count.toLocaleString('en-US')} x ${dims}`,
    header: ['what', 'in turn: ms (median)', 'ms (best)', 'GB of float32 a second', 'of flat with 1 thread',
      'again and again: ms (median)', 'of flat with 1 thread'],
    rows: Object.entries(result).map(([kind, measured]) => row(NAMES[kind] ?? kind, measured)),
    notes: [
      `Each kind once in turn, ${ROUNDS} times, and then each by itself, ${ROUNDS} times, with the ten best and the ` +
      'way to the worker and back. The loop adds up as many bytes of a WebAssembly memory, 128 a turn. sq, sq4, bq ' +
      'and pq include scoring their candidates by the vectors. In turn, codes come from memory like the rows; those ' +
      'of bq (10 MB) stay in the caches of this machine when they are searched again and again.',
      'usearch searches exactly with one thread, in the same process.',
    ],
  };
}
