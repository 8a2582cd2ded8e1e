// Logs of runs: lines per second that ships send over gRPC with mutual TLS, each call acknowledged when it is on disk,
// compared with target of 20,000; and the latency of pages of long logs. Ships and server share one process. Alone:
// `node bench/run-queue/logs.ts`.
import { create } from '@bufbuild/protobuf';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LogLineSchema, type RunRef, StreamLogsRequestSchema } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { RemoteLink } from '../../src/ship/grpc/index.ts';
import { FleetFixture, TestShip } from '../../src/testkit/runs-fleet.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { ROOT } from '../support/server.ts';
import { compare, comparisons, figure, renderSection, type Row, type Section } from '../support/table.ts';
import { startBareServer } from './bare-server.ts';

/** Lines per second (run-queue decisions, section 6). */
const TARGET = 20_000;
const SECONDS = Math.round(scaled(5));
const SHIPS = 20;
/** Lines per call: the maximum that ships send, the output of a busy step in a moment, and single lines. */
const BATCHES = [500, 20, 1];

/**
 * Messages of one line that a ship has in flight on its stream, such as those of many runs that write a line now and
 * then.
 */
const UNDER_WAY = 64;

const LIMITS = 'logs: {attempt_events: 100000000, attempt_budget: 100GiB, total_budget: 1TiB}';

interface Working {
  readonly ship: TestShip;
  readonly ref: RunRef;
  seq: number;
}

export async function benchRunLogs(folder: string): Promise<Section[]> {
  const fixture = await FleetFixture.start({ folder: join(folder, 'logs'), fleet: LIMITS });
  const working = await takeRuns(fixture);
  const rows: Row[] = [];
  for (const batch of BATCHES) {
    progress(`${SHIPS} ships, ${batch} lines a call`);
    const perSecond = await linesPerSecond(working, batch);
    rows.push(compare(`${SHIPS} ships, ${batch} lines a call`, perSecond, 'target', TARGET, 'lines/s'));
  }
  rows.push(...(await besideEmptyCalls(fixture, working)));
  progress(`${SHIPS} ships, one line a message`);
  rows.push(
    compare(`${SHIPS} ships, 1 line a message of a stream, ${UNDER_WAY} under way`,
      await streamedPerSecond(fixture, working), 'target', TARGET, 'lines/s'),
  );
  const lines = working.reduce((sum, { seq }) => sum + seq, 0);
  const notes = [`${figure(lines)} lines take ${figure(fixture.logs.totalBytes() / lines)} bytes each in the store.`,
    await pages(fixture, working[0]!)];
  await fixture.stop({ keepFolder: true });
  return [comparisons('Logs of runs over gRPC', rows, notes)];
}

async function takeRuns(fixture: FleetFixture): Promise<Working[]> {
  const working: Working[] = [];
  for (let n = 0; n < SHIPS; n++) {
    const { ship, stream } = await fixture.connected(`ship-${n}`);
    await fixture.submit();
    stream.heartbeat([], 1);
    working.push({ ship, ref: (await stream.take()).ref, seq: 0 });
  }
  return working;
}

async function linesPerSecond(working: readonly Working[], batch: number): Promise<number> {
  const before = working.reduce((sum, { seq }) => sum + seq, 0);
  const end = performance.now() + SECONDS * 1000;
  await Promise.all(working.map(async (each) => {
    while (performance.now() < end) {
      const { nextSeq } = await each.ship.append(each.ref, each.seq, Array.from({ length: batch }, (_, i) =>
        text(each.seq + i)));
      each.seq = Number(nextSeq);
    }
  }));
  return (working.reduce((sum, { seq }) => sum + seq, 0) - before) / SECONDS;
}

/**
 * Calls with one line beside calls that store nothing, in turn, twice: the library's share of a call is the limit of
 * what the service can reach.
 */
async function besideEmptyCalls(fixture: FleetFixture, working: readonly Working[]): Promise<Row[]> {
  progress(`${SHIPS} ships, 1 line a call, beside calls that store nothing`);
  const bare = await startBareServer(fixture);
  const idle = working.map(({ ship: { identity, name }, ref }) => {
    const ship = new TestShip(bare.addresses, name);
    ship.identity = identity;
    return { ship, ref, seq: 0 };
  });
  const [ours, empty] = [[0, 0], [0, 0]];
  for (const turn of [0, 1]) {
    ours[turn] = await linesPerSecond(working, 1);
    empty[turn] = await linesPerSecond(idle, 1);
  }
  for (const { ship } of idle) ship.close();
  bare.stop();
  return [
    compare(`${SHIPS} ships, 1 line a call`, Math.max(...ours), 'an empty unary call', Math.max(...empty), 'lines/s'),
    compare('an empty unary call of the library, mutual TLS, the same message', Math.max(...empty), 'target', TARGET,
      'calls/s'),
  ];
}

async function streamedPerSecond(fixture: FleetFixture, working: readonly Working[]): Promise<number> {
  const [host, port] = fixture.addresses.fleet().split(':');
  const before = working.reduce((sum, { seq }) => sum + seq, 0);
  const end = performance.now() + SECONDS * 1000;
  await Promise.all(working.map(async (each) => {
    const link = new RemoteLink({
      address: { host: host!, port: Number(port) },
      credentials: each.ship.identity,
      onTrustBundle: () => undefined,
      provesRevocation: () => false,
    });
    let next = each.seq;
    await Promise.all(Array.from({ length: UNDER_WAY }, async () => {
      while (performance.now() < end) {
        const seq = next++;
        const line = create(LogLineSchema, { level: 1, message: text(seq) });
        const { nextSeq } = await link.appendLogs(
          create(StreamLogsRequestSchema, { ref: each.ref, firstSeq: BigInt(seq), lines: [line] }),
        );
        each.seq = Math.max(each.seq, Number(nextSeq));
      }
    }));
    link.close();
  }));
  return (working.reduce((sum, { seq }) => sum + seq, 0) - before) / SECONDS;
}

/** As long as typical lines of test runners, and all different. */
function text(n: number): string {
  return `ok ${n} - module ${(n * 7919) % 1009} handles case ${(n * 104_729) % 9973} of the specification (${
    (n * 31) % 97
  } ms)`;
}

async function pages({ logHandlers }: FleetFixture, { ref, seq }: Working): Promise<string> {
  progress('pages of a long log');
  const times: number[] = [];
  for (let n = 0; n < Math.round(scaled(2000, 50)); n++) {
    const begun = performance.now();
    await logHandlers.listRunLogs({ id: ref.runId, attempt: ref.attempt, offset: (n * 7919) % seq },
      undefined as never);
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => figure(times[Math.floor(times.length * share)]!);
  return `A page of 100 anywhere in a log of ${figure(seq)} lines: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms.`;
}

if (import.meta.main) {
  const folder = await mkdtemp(join(ROOT, 'data-bench-'));
  try {
    console.log((await benchRunLogs(folder)).map(renderSection).join('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
