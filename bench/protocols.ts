// The cost of each protocol: reading one document over each of them compared with calling the handler directly, with 1
// and 32 clients; and the memory of a thousand MCP sessions and two hundred gRPC watchers while they are open and
// afterwards.
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROTOCOLS } from './protocols/callers.ts';
import type { Order } from './protocols/client.ts';
import type { Pace } from './protocols/pace.ts';
import type { Targets, Usage } from './protocols/server.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { figure, type Section } from './support/table.ts';

const CLIENTS = [1, 32];
const ROUNDS = scaled(4, 1);
const SECONDS = scaled(2, 0.3);
const SESSIONS = scaled(1000, 50);
const WATCHERS = scaled(200, 10);
const WRITES = scaled(300, 20);

const child = (name: string): string => join(import.meta.dirname, 'protocols', name);

/** A server and its clients, in separate processes. */
interface Pair {
  readonly usage: (asked: 'cpu' | 'memory') => Promise<Usage>;
  readonly order: <T>(order: Order) => Promise<T>;
  stop(): Promise<void>;
}

export async function benchProtocols(folder: string): Promise<Section[]> {
  progress('reading over each protocol');
  const direct = await directly(join(folder, 'direct.db'));
  const pair = await startPair(join(folder, 'protocols.db'));
  const measured = await overEach(pair);
  await pair.stop();
  progress(`${SESSIONS} sessions, then ${WATCHERS} watchers`);
  const sessions = await held(join(folder, 'sessions.db'), 'sessions', SESSIONS);
  const watchers = await held(join(folder, 'watchers.db'), 'watchers', WATCHERS);
  return [paceSection(direct, measured), crowdSection(sessions, watchers)];
}

async function directly(database: string): Promise<Pace[]> {
  const args = [child('in-process.ts'), database, String(ROUNDS * SECONDS), ...CLIENTS.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e9 });
  return JSON.parse(stdout) as Pace[];
}

async function startPair(database: string): Promise<Pair> {
  const server = fork(child('server.ts'), [database], { execArgv: ['--expose-gc'] });
  const targets = await answerOf<Targets>(server);
  const client = fork(child('client.ts'), [JSON.stringify(targets)]);
  await answerOf(client);
  return {
    usage: (asked) => ask<Usage>(server, asked),
    async order<T>(order: Order) {
      const { result, error } = await ask<{ result: T; error?: string }>(client, order);
      if (error !== undefined) throw new Error(error);
      return result;
    },
    async stop() {
      client.kill();
      server.disconnect();
      await once(server, 'exit');
    },
  };
}

function ask<T>(process: ChildProcess, message: object | string): Promise<T> {
  const answer = answerOf<T>(process);
  process.send(message);
  return answer;
}

/** The next message of a process. Rejects if it ends before. */
function answerOf<T>(process: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`a process of the benchmark ended with ${code}`));
    process.once('exit', ended).once('message', (message) => {
      process.off('exit', ended);
      resolve(message as T);
    });
  });
}

interface Measured {
  readonly protocol: string;
  readonly clients: number;
  readonly paces: Pace[];
  /** Processor time of the server, in microseconds. */
  cpu: number;
}

/** The protocols take turns, so that other load on the machine affects all of them. */
async function overEach({ order, usage }: Pair): Promise<Measured[]> {
  const all = CLIENTS.flatMap((clients) =>
    Object.keys(PROTOCOLS).map((protocol): Measured => ({ protocol, clients, paces: [], cpu: 0 }))
  );
  for (const { protocol, clients } of all) await order({ do: 'pace', protocol, clients, seconds: SECONDS / 4 });
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of all) {
      const { cpu: before } = await usage('cpu');
      each.paces.push(
        await order<Pace>({ do: 'pace', protocol: each.protocol, clients: each.clients, seconds: SECONDS }),
      );
      each.cpu += (await usage('cpu')).cpu - before;
    }
  }
  return all;
}

function paceSection(direct: readonly Pace[], measured: readonly Measured[]): Section {
  const rows = CLIENTS.flatMap((clients, i) => {
    const base = joined([direct[i]!]);
    const rest = joined(measured.find((each) => each.clients === clients && each.protocol === 'REST')!.paces);
    const own = ['the handler, called directly', String(clients), figure(base.perSecond), '1.00', '', micros(base.p50),
      micros(base.p99), ''];
    const of = measured.filter((each) => each.clients === clients).map(({ protocol, paces, cpu }) => {
      const { perSecond, p50, p99, calls } = joined(paces);
      return [protocol, String(clients), figure(perSecond), (perSecond / base.perSecond).toFixed(3),
        (perSecond / rest.perSecond).toFixed(2), micros(p50), micros(p99), figure(cpu / calls)];
    });
    return [own, ...of];
  });
  return {
    title: 'Reading one document of 300 bytes over each protocol',
    header: ['through', 'clients', 'requests/s', 'to direct', 'to REST', 'p50 µs', 'p99 µs', 'server µs of CPU each'],
    rows,
    notes: [
      'Each client has a connection of its own and one request under way. All clients share one process, which ' +
      'shares the cores with the server, so with 32 the requests a second tell of both; the processor time is the ' +
      "server's alone.",
      'Clients read answers to their end and leave them as bytes. With 32 direct calls the latency is that of ' +
      'waiting for the 31 others.',
    ],
  };
}

function joined(paces: readonly Pace[]): { perSecond: number; p50: number; p99: number; calls: number } {
  const times = Float64Array.from(paces.flatMap((pace) => pace.times)).sort();
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return {
    calls: times.length,
    perSecond: times.length / paces.reduce((sum, { seconds }) => sum + seconds, 0),
    p50: at(0.5),
    p99: at(0.99),
  };
}

const micros = (milliseconds: number): string => figure(milliseconds * 1000);

interface Held {
  readonly before: Usage;
  readonly open: Usage;
  readonly after: Usage;
  /** Seconds from the first write until every watcher had received every event. */
  readonly seconds?: number;
}

/** Memory before the clients connect, while they are connected, and after they have disconnected. */
async function held(database: string, crowd: 'sessions' | 'watchers', count: number): Promise<Held> {
  const { order, usage, stop } = await startPair(database);
  // One round first, for everything that is loaded and compiled on first use and stays in memory.
  await order({ do: 'open', crowd, count: Math.ceil(count / 4) });
  await order({ do: 'close' });
  const before = await usage('memory');
  await order({ do: 'open', crowd, count });
  const open = await usage('memory');
  const seconds = crowd === 'watchers'
    ? { seconds: await order<number>({ do: 'write', documents: WRITES, events: WRITES * count }) }
    : {};
  await order({ do: 'close' });
  const after = await usage('memory');
  await stop();
  return { before, open, after, ...seconds };
}

function crowdSection(sessions: Held, watchers: Held): Section {
  const row = (what: string, count: number, { before, open, after }: Held): string[] => {
    const each = (open.heap - before.heap) / count / 1024;
    return [what,
      ...[before, open, after].map(({ rss, heap }) => `${figure(rss / 2 ** 20)} / ${figure(heap / 2 ** 20)}`),
      `${figure(each)} KiB`];
  };
  const events = WRITES * WATCHERS;
  return {
    title: 'Clients that stay: memory of the server in MiB, whole process / heap after a collection',
    header: ['clients', 'before', 'while they are there', 'after they have gone', 'heap for each'],
    rows: [row(`${SESSIONS} MCP sessions, each with its stream`, SESSIONS, sessions),
      row(`${WATCHERS} gRPC Watch streams`, WATCHERS, watchers)],
    notes: [
      `${figure(events)} events of ${WRITES} writes reached all ${WATCHERS} watchers in ${
        figure(watchers.seconds!)
      } s, ${figure(events / watchers.seconds!)} a second; the memory afterwards has those documents in it.`,
    ],
  };
}
