// Searches over HTTP while documents are written and deleted: the latency of searches at a steady rate, first without
// and then with writers that each write as fast as they are answered; and whether each of them finds what it wrote, and
// not what it deleted.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadOutcome } from './load/client.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { startQuire } from './support/server.ts';
import { figure, type Section } from './support/table.ts';

/** Maximum ratio of the 99th percentiles. */
const TARGET = 3;
const IDLE_SECONDS = scaled(20, 2);
const LOAD_SECONDS = scaled(60, 3);
const DOCUMENTS = scaled(10_000, 500);

export async function benchSearchUnderLoad(folder: string): Promise<Section[]> {
  const server = await startQuire(join(folder, 'load.db'));
  progress(`searches for ${IDLE_SECONDS} s alone, then for ${LOAD_SECONDS} s under writes`);
  const client = join(import.meta.dirname, 'load', 'client.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [client, server.url, String(DOCUMENTS),
    String(IDLE_SECONDS), String(LOAD_SECONDS)], { maxBuffer: 1e8 });
  await server.stop();
  return [sectionOf(JSON.parse(stdout) as LoadOutcome)];
}

function sectionOf(
  { idle, loaded, searchesPerSecond, writers, written, deleted, notFound, stillFound, failed }: LoadOutcome,
): Section {
  const ratio = loaded.p99 / idle.p99;
  const milliseconds = ({ p50, p95, p99 }: LoadOutcome['idle']) =>
    [p50, p95, p99].map((value) => figure(value / 1000)).join(' / ');
  return {
    title: `Search under load: ${searchesPerSecond} searches a second over ${
      figure(DOCUMENTS)
    } documents, ${writers} writers, ${figure(LOAD_SECONDS)} s`,
    header: ['what', 'measured', 'target', 'met'],
    rows: [['search alone, p50 / p95 / p99 in ms', milliseconds(idle), '', ''], [
      'search under writes, p50 / p95 / p99 in ms',
      milliseconds(loaded),
      '',
      '',
    ], ['99th percentile under writes, to alone', `${ratio.toFixed(2)}x`, `at most ${TARGET}x`, met(ratio <= TARGET)], [
      'documents written / deleted a second meanwhile',
      `${figure(written / LOAD_SECONDS)} / ${figure(deleted / LOAD_SECONDS)}`,
      '',
      '',
    ], ['not found after its write was acknowledged', `${notFound} of ${written}`, '0', met(notFound === 0)], [
      'found after its deletion was acknowledged',
      `${stillFound} of ${deleted}`,
      '0',
      met(stillFound === 0),
    ], ['requests that failed', String(failed), '0', met(failed === 0)]],
    notes: [
      'A search is timed from when it was due, so that one that waits for another counts as slow. The client has ' +
      'a process of its own and shares the cores with the server.',
    ],
  };
}

function met(holds: boolean): string {
  return holds ? 'yes' : 'no';
}
