// Peers of the run queue on this machine: job queues for programs that hold a connection to their database. Jobs do
// nothing, and these queues have only jobs: no runs with logs, no ships that may be disconnected, no HTTP, no TLS.
// Alone: `node bench/run-queue/peers.ts`.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { ROOT } from '../support/server.ts';
import { figure, missing, renderSection, type Section } from '../support/table.ts';
import { startBullMq } from './peers/bullmq.ts';
import type { JobQueue } from './peers/peer.ts';
import { startPgBoss } from './peers/pg-boss.ts';
import { startQuire } from './peers/quire.ts';
import { quantile, sideBySide } from './side-by-side.ts';

const JOBS = Math.round(scaled(10_000, 200));
const CLIENTS = 32;
const ONE_SHIP = Math.round(scaled(200, 20));

const PEERS: readonly (readonly [needs: string, start: (folder: string) => Promise<JobQueue | undefined>])[] = [[
  'postgresql',
  (folder) => startQuire(join(folder, 'quire')),
], ['postgresql', (folder) => startPgBoss(join(folder, 'pg-boss'))], ['redis-server',
  (folder) => startBullMq(join(folder, 'bullmq-always'), 'always')], ['redis-server',
  (folder) => startBullMq(join(folder, 'bullmq-everysec'), 'everysec')]];

export async function benchQueuePeers(folder: string): Promise<Section[]> {
  const rows: string[][] = [];
  const lacking = new Set<string>();
  for (const [needs, start] of PEERS) {
    const queue = await start(folder);
    if (queue === undefined) {
      lacking.add(needs);
      continue;
    }
    progress(queue.name);
    rows.push(...(await measured(queue).finally(() => queue.stop())));
  }
  const title = 'Run queue: queues of jobs on this machine';
  if (rows.length === 0) return [missing(title, `it needs ${[...lacking].join(' or ')}; Debian has both`)];
  return [{
    title,
    header: ['peer', 'what', 'value'],
    rows,
    notes: [
      'Clients and workers are one process, which holds connections to the database itself: no HTTP, no TLS, no ' +
      'ships, no logs of jobs.',
      'Runs of this package are taken in batches of 20, and accepted and completed one by one, 64 at once.',
      'A batch of pg-boss is what is taken and completed by one command each; BullMQ takes and completes job by ' +
      'job, in one command, 200 in hand at once.',
      ...[...lacking].map((each) => `Not measured for want of ${each}.`),
    ],
  }];
}

async function measured(queue: JobQueue): Promise<string[][]> {
  const rows: string[][] = [];
  for (const batch of queue.batches) {
    const submits = await perSecond(JOBS, () => sideBySide(JOBS, CLIENTS, () => queue.submit()));
    const drained = await perSecond(JOBS, () => queue.drain(JOBS, batch));
    if (rows.length === 0) rows.push([queue.name, `submits a second, one by one, ${CLIENTS} at once`, figure(submits)]);
    rows.push([queue.name, `jobs a second, ${JOBS} queued before, in batches of ${batch}`, figure(drained)]);
  }
  const times = await latencies(queue);
  return [...rows, [queue.name, 'from queueing to the start, idle, p50 / p99',
    `${figure(quantile(times, 0.5))} / ${figure(quantile(times, 0.99))} ms`]];
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (count * 1000) / (performance.now() - begun);
}

async function latencies(queue: JobQueue): Promise<number[]> {
  let begin = (): void => undefined;
  await queue.work(() => begin());
  await setTimeout(1000);
  const times: number[] = [];
  for (let n = 0; n < ONE_SHIP; n++) {
    const at = performance.now();
    const began = new Promise<void>((resolve) => (begin = resolve));
    await queue.submit();
    await began;
    times.push(performance.now() - at);
    await setTimeout(10);
  }
  return times;
}

if (import.meta.main) {
  const folder = await mkdtemp(join(ROOT, 'data-bench-'));
  try {
    console.log((await benchQueuePeers(folder)).map(renderSection).join('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
