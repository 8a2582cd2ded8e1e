// A follower that reconnects 100,000 changes behind, and the cost of a binlog for the leader's writes.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../src/testkit/free-port.ts';
import { scaled } from './support/scale.ts';
import { type BenchServer, startQuire } from './support/server.ts';
import { compare, median, type Row } from './support/table.ts';

const CHANGES = scaled(100_000);
const TARGET = 20_000;
const BATCH = 1000;
const CLIENTS = 64;
const ROUNDS = 5;
const SECRET = 'a secret of at least thirty-two characters';

interface Status {
  readonly current_lsn: number;
}

async function post(url: string, path: string, body: object): Promise<void> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

const lsnOf = async ({ url }: BenchServer): Promise<number> =>
  ((await (await fetch(`${url}/v1/replication/status`)).json()) as Status).current_lsn;

async function until(server: BenchServer, lsn: number): Promise<void> {
  while ((await lsnOf(server)) < lsn) await setTimeout(5);
}

const document = (n: number) => ({
  key: `k${n}`,
  lang: 'en',
  meta: { tags: ['a', `b${n % 100}`] },
  contentMd: `document number ${n} ${'with some words '.repeat(20)}`,
});

async function catchUpPerSecond(folder: string): Promise<number> {
  const grpc = `127.0.0.1:${await freePort()}`;
  const shared = { SVC_REPLICATION_SECRET: SECRET, SVC_REPLICATION_RETRY_INTERVAL: '100ms' };
  const leader = await startQuire(join(folder, 'leader.db'), {
    ...shared,
    SVC_REPLICATION_ROLE: 'leader',
    SVC_GRPC_ADDR: grpc,
  });
  const startFollower = () =>
    startQuire(join(folder, 'follower.db'), {
      ...shared,
      SVC_REPLICATION_ROLE: 'follower',
      SVC_REPLICATION_LEADER_ADDR: grpc,
    });
  let follower = await startFollower();
  await post(leader.url, '/v1/add', { collection: 'bench', ...document(-1) });
  await until(follower, 1);
  await follower.stop();
  for (let n = 0; n < CHANGES; n += BATCH)
    await post(leader.url, '/v1/add-batch', {
      collection: 'bench',
      documents: Array.from({ length: BATCH }, (_, i) => document(n + i)),
    });
  const [head, behind] = [await lsnOf(leader), 1];
  const begun = performance.now();
  follower = await startFollower();
  const first = await lsnOf(follower);
  await until(follower, head);
  // Starting the process is part of the recovery, but not of catching up.
  const seconds = (performance.now() - begun - follower.readyMs) / 1000;
  await follower.stop();
  await leader.stop();
  return (head - Math.max(behind, first)) / seconds;
}

/** Documents per second that the given number of clients add, each waiting for its own. */
async function writesPerSecond({ url }: BenchServer, seconds: number, round: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const client = async (number: number): Promise<void> => {
    for (let n = 0; performance.now() < end; n++, done++)
      await post(url, '/v1/add', { collection: 'bench', ...document(n), key: `r${round}-${number}-${n}` });
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return done / seconds;
}

export async function benchReplication(folder: string): Promise<Row[]> {
  const perSecond = await catchUpPerSecond(folder);
  const plain = await startQuire(join(folder, 'plain.db'));
  const recording = await startQuire(join(folder, 'recording.db'), { SVC_BINLOG_ENABLED: 'true' });
  const [without, withBinlog]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(await writesPerSecond(plain, 2, round));
    withBinlog.push(await writesPerSecond(recording, 2, round));
  }
  await plain.stop();
  await recording.stop();
  return [
    compare(`a follower ${CHANGES.toLocaleString('en-US')} changes behind catches up`, perSecond, 'target', TARGET,
      'changes/s'),
    compare(`POST /v1/add with a binlog, ${CLIENTS} clients`, median(withBinlog), 'without one', median(without), '/s'),
  ];
}
