// The complete run-queue service under load: a server process, a process with a fleet of ships over gRPC with mutual
// TLS, and this one as the HTTP client. Compared with the targets of the run-queue decisions, section 6. Alone: `node
// bench/run-queue/fleet.ts`.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { ROOT } from '../support/server.ts';
import { figure, renderSection, type Section } from '../support/table.ts';
import { type QueueService, startQueueService } from './service.ts';
import type { Drained, ShipsOrder } from './ships.ts';
import { quantile, sideBySide } from './side-by-side.ts';

const SHIPS = Math.round(scaled(200, 10));
const CAPACITY = 4;
const RUNS = Math.round(scaled(10_000, 200));
const CLIENTS = 32;
/** Number of runs executed one at a time, without other load. */
const ONE_SHIP = Math.round(scaled(300, 20));
/** Runs per second, half of the target for claims, and the duration. */
const STEADY = 250;
const STEADY_SECONDS = scaled(10, 1);
const IDLE_SHIPS = Math.round(scaled(1000, 20));
const IDLE_SECONDS = scaled(30, 2);

const TARGETS = { submits: 1000, claims: 500, p50: 50, p99: 250, cpu: 20, memory: 500 };

const now = (): number => performance.timeOrigin + performance.now();

/** The process with the ships. */
interface Ships {
  order<T>(order: ShipsOrder): Promise<T>;
  stop(): void;
}

export async function benchFleet(folder: string): Promise<Section[]> {
  const service = await startQueueService(join(folder, 'fleet'));
  const ships = startShips();
  try {
    const rows = [await joining(service, ships), ...(await idling(service, ships)), ...(await draining(service, ships)),
      ...(await waiting(service, ships))];
    return [{
      title: 'Run queue: a fleet over gRPC with mutual TLS',
      header: ['what', 'value', 'target'],
      rows,
      notes: [
        'One process serves, one has all the ships, one is the client; they share the processors. Every ' +
        'acknowledgement is of something that is on disk, and each run has its log, with three lines of the ' +
        'server.',
        `Runs of ${300} lanes; work that does nothing. A run is claimed when its work begins at the ship, and ` +
        `completed when the ship has the server's answer.`,
        'Latency goes from before the request to queue a run until its work begins.',
      ],
    }];
  } finally {
    ships.stop();
    await service.stop();
  }
}

function startShips(): Ships {
  const child: ChildProcess = fork(join(import.meta.dirname, 'ships.ts'));
  let last = 0;
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', ({ id, answer, error }: { id: number; answer: unknown; error?: string }) => {
    if (error === undefined) open.get(id)!.resolve(answer);
    else open.get(id)!.reject(new Error(error));
    open.delete(id);
  });
  child.once('exit', () => open.forEach(({ reject }) => reject(new Error('the ships have ended'))));
  return {
    order<T>(order: ShipsOrder) {
      const id = ++last;
      const settled = Promise.withResolvers<unknown>();
      open.set(id, settled);
      child.send({ id, order });
      return settled.promise as Promise<T>;
    },
    stop: () => child.disconnect(),
  };
}

async function joining(service: QueueService, ships: Ships): Promise<string[]> {
  progress(`${IDLE_SHIPS} ships join`);
  const tokens: string[] = [];
  for (let n = 0; n < IDLE_SHIPS; n++)
    tokens.push((await service.post<{ token: string }>('/ships/tokens', { name: `ship-${n}`, labels: [] })).token);
  const seconds = await ships.order<number>({ do: 'join', enrol: service.enrol, tokens });
  return ['joins a second, 8 at a time', figure(IDLE_SHIPS / seconds), ''];
}

async function draining(service: QueueService, ships: Ships): Promise<string[][]> {
  await ships.order({ do: 'end', ships: 0 });
  progress(`queueing ${RUNS} runs while no ship is there`);
  const alone = await submitting(service, Math.round(RUNS / 10), 1);
  const many = await submitting(service, RUNS, CLIENTS);
  const all = RUNS + Math.round(RUNS / 10);
  progress(`${SHIPS} ships execute them`);
  const idle = service.usage().cpu;
  await ships.order({ do: 'sail', ships: SHIPS, capacity: CAPACITY });
  const { firstStart, lastStart, lastRecorded, twice } = await ships.order<Drained>({ do: 'wait', runs: all });
  const busy = service.usage().cpu - idle;
  progress('queueing and executing at once');
  await ships.order({ do: 'forget' });
  const begun = now();
  const both = ships.order<Drained>({ do: 'wait', runs: RUNS });
  const submitted = await submitting(service, RUNS, CLIENTS);
  const end = await both;
  if (twice + end.twice > 0) throw new Error(`${twice + end.twice} runs were executed twice`);
  return [['submits a second over HTTP, 1 client', figure(alone.perSecond), ''], [
    `submits a second over HTTP, ${CLIENTS} clients`,
    figure(many.perSecond),
    `${TARGETS.submits}`,
  ], ['their latency, p50 / p99', `${figure(many.p50)} / ${figure(many.p99)} ms`, ''], [
    `claims a second, ${all} runs queued before, ${SHIPS} ships with ${CAPACITY} slots`,
    figure((all * 1000) / (lastStart - firstStart)),
    `${TARGETS.claims}`,
  ], ['completions a second of the same', figure((all * 1000) / (lastRecorded - firstStart)), ''], [
    'processor time of the server for each of these runs, with the connections of the ships',
    `${figure((busy * 1000) / all)} ms`,
    '',
  ], [`runs a second, queued and executed at once, ${CLIENTS} clients`,
    figure((RUNS * 1000) / (end.lastRecorded - begun)), ''], ['submits a second meanwhile', figure(submitted.perSecond),
    ''], [`memory of the server after ${all + RUNS} runs`, `${mebibytes(service.usage().memory)} MiB`, '']];
}

async function submitting(service: QueueService, count: number,
  clients: number): Promise<{ perSecond: number; p50: number; p99: number }>
{
  const times: number[] = [];
  const begun = now();
  await sideBySide(count, clients, async (n) => {
    const at = now();
    await service.submit(n);
    times.push(now() - at);
  });
  return { perSecond: (count * 1000) / (now() - begun), p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

async function waiting(service: QueueService, ships: Ships): Promise<string[][]> {
  await ships.order({ do: 'forget' });
  const toStart = async (n: number): Promise<number> => {
    const at = now();
    const { id } = await service.submit(n);
    return (await ships.order<number>({ do: 'began', run: id })) - at;
  };
  progress('latency, one run after the other');
  const oneShip: number[] = [];
  for (let n = 0; n < ONE_SHIP; n++) {
    oneShip.push(await toStart(n));
    await setTimeout(10); // its end is reported in the meantime
  }
  progress(`latency, ${STEADY} runs a second`);
  const steady: Promise<number>[] = [];
  const begun = now();
  for (let n = 0; n < STEADY * STEADY_SECONDS; n++) {
    const wait = begun + (n * 1000) / STEADY - now();
    if (wait > 1) await setTimeout(wait);
    steady.push(toStart(n));
  }
  const row = (what: string,
    times: readonly number[]): string[] => [what,
    `${figure(quantile(times, 0.5))} / ${figure(quantile(times, 0.99))} ms`, `${TARGETS.p50} / ${TARGETS.p99} ms`];
  return [row('from queueing to the start, idle, p50 / p99', oneShip), [
    ...row(`the same at ${STEADY} runs a second`, await Promise.all(steady)).slice(0, 2),
    '',
  ]];
}

async function idling(service: QueueService, ships: Ships): Promise<string[][]> {
  progress(`${IDLE_SHIPS} ships that have nothing to do`);
  const none = service.usage();
  await ships.order({ do: 'sail', ships: IDLE_SHIPS, capacity: CAPACITY });
  await setTimeout(scaled(5000, 100));
  const before = service.usage();
  await setTimeout(IDLE_SECONDS * 1000);
  const after = service.usage();
  const share = (100 * (after.cpu - before.cpu)) / IDLE_SECONDS;
  return [[`processor of the server, ${IDLE_SHIPS} idle ships`, `${figure(share)} % of a core`, `${TARGETS.cpu} %`], [
    'memory of the server then / before they came',
    `${mebibytes(after.memory)} / ${mebibytes(none.memory)} MiB`,
    `${TARGETS.memory} MB`,
  ]];
}

const mebibytes = (bytes: number): string => figure(bytes / 2 ** 20);

if (import.meta.main) {
  const folder = await mkdtemp(join(ROOT, 'data-bench-'));
  try {
    console.log((await benchFleet(folder)).map(renderSection).join('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
