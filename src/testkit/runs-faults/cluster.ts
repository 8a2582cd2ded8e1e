import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { joinShip } from '../../app/ship/join-ship.ts';
import type { Identity } from '../../ship/identity/index.ts';
import { type Random, seededRandom } from '../crash/random.ts';
import { TcpProxy } from '../ship/tcp-proxy.ts';
import { FaultBench, QUICK } from './bench.ts';
import type { ShipsOrder } from './ships-process.ts';

/** Number of processes with ships, among which the ships are divided. */
const PROCESSES = 4;
const JOINS_AT_ONCE = 4;
const CLIENTS = 4;
/** Interval of kills; a killed process is restarted at once. */
const PAUSE_MS = { from: 300, to: 1500 };

export interface FaultClusterOptions {
  /** URL of the database. */
  readonly url: string;
  readonly servers: number;
  readonly ships: number;
  /** Number of runs that each ship executes at once. */
  readonly capacity: number;
  /** `max_parallel` of the project `limited`; `all` has none. */
  readonly limit: number;
  /** Decides what is killed, and when. */
  readonly seed: number;
}

interface ShipsProcess {
  readonly file: string;
  readonly proxy: TcpProxy;
  child: ChildProcess;
}

/** Several servers as processes over one PostgreSQL, and a fleet in several more, all of which are killed at random. */
export class FaultCluster {
  /** Number of processes that were killed. */
  kills = 0;
  readonly #folder: string;
  readonly #servers: FaultBench[];
  readonly #random: Random;
  #fleet: ShipsProcess[] = [];
  #isOver = false;

  static async start(options: FaultClusterOptions): Promise<FaultCluster> {
    const cluster = new FaultCluster(options);
    try {
      await cluster.#serve();
      await cluster.#connect(options);
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  private constructor({ url, servers, limit, seed }: FaultClusterOptions) {
    this.#random = seededRandom(seed);
    this.#folder = mkdtempSync(join(tmpdir(), 'quire-crowd-'));
    // A run may meet one kill after another: what matters is that it ends well.
    const yaml = () =>
      `${QUICK}
storage: {driver: postgres}
projects: [{id: all, repository: org/all}, {id: limited, repository: org/limited, max_parallel: ${limit}}]
pipelines: [{name: go, max_attempts: 100, steps: [{name: only, run: 'true'}]}]`;
    this.#servers = Array.from({ length: servers },
      (_, n) => new FaultBench({ name: `server-${n}`, yaml, env: { RUNS_DATABASE_URL: url } }));
  }

  /** Submits runs with unique keys, each until it is acknowledged. Returns their ids. */
  async submitUntilOver(milliseconds: number): Promise<string[]> {
    const ids: string[] = [];
    const end = performance.now() + milliseconds;
    await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = client; performance.now() < end; n++) {
        ids.push(await this.#submit(crypto.randomUUID(), n % 3 === 0 ? 'limited' : 'all'));
        await setTimeout(20);
      }
    }));
    return ids;
  }

  /** Sends SIGKILL to a server or a process with ships at random times; the others continue. */
  async killAtRandom(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    do {
      // at a random time, so there is no event to wait for
      await setTimeout(this.#random.integer(PAUSE_MS.from, PAUSE_MS.to));
      this.kills += 1;
      if (this.#random.next() < 0.4) await this.#killServer(this.#random.pick(this.#servers));
      else await this.#killShips(this.#random.pick(this.#fleet));
    } while (performance.now() < end);
  }

  /** Polls until it is over. */
  async until(look: () => Promise<void>): Promise<void> {
    for (; !this.#isOver; await setTimeout(20)) await look();
  }

  over(): void {
    this.#isOver = true;
  }

  /** Attempts whose work was completed, as `run attempt`. */
  done(): ReadonlySet<string> {
    return new Set(existsSync(this.#done) ? readFileSync(this.#done, 'utf8').split('\n') : []);
  }

  async close(): Promise<void> {
    this.over();
    for (const { child } of this.#fleet) await killed(child);
    await Promise.all(this.#servers.map((server) => server.close()));
    for (const { proxy } of this.#fleet) await proxy.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #done(): string {
    return join(this.#folder, 'done');
  }

  async #serve(): Promise<void> {
    const [first, ...others] = this.#servers as [FaultBench, ...FaultBench[]];
    await first.serve();
    await Promise.all(others.map((server) => {
      mkdirSync(join(server.folder, 'server'));
      // all processes form one fleet
      cpSync(join(first.folder, 'server', 'ca'), join(server.folder, 'server', 'ca'), { recursive: true });
      return server.serve();
    }));
  }

  async #connect({ ships, capacity }: FaultClusterOptions): Promise<void> {
    const server = this.#servers[0]!;
    const names = Array.from({ length: ships }, (_, n) => `ship-${n}`);
    const identities: Identity[] = [];
    await Promise.all(Array.from({ length: JOINS_AT_ONCE }, async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        identities.push(await joinShip({
          server: server.enrol,
          name,
          token: await server.makeToken(name),
          capacity,
          dataDir: join(this.#folder, name),
        }, {}));
      }
    }));
    const processes = Math.min(PROCESSES, ships);
    for (let n = 0; n < processes; n++) {
      const proxy = await TcpProxy.start({
        host: '127.0.0.1',
        port: this.#servers[n % this.#servers.length]!.fleetPort,
      });
      const file = join(this.#folder, `ships-${n}.json`);
      const order: ShipsOrder = {
        identities: identities.filter((_, i) => i % processes === n),
        port: proxy.port,
        capacity,
        done: this.#done,
      };
      writeFileSync(file, JSON.stringify(order));
      this.#fleet.push({ file, proxy, child: launch(file) });
    }
  }

  /** In the meantime its ships move to another server, if there is one. */
  async #killServer(server: FaultBench): Promise<void> {
    const moving = this.#fleet.filter(({ proxy }) => proxy.target.port === server.fleetPort);
    const others = this.#servers.filter((each) => each !== server);
    await server.killServer();
    if (others.length > 0) {
      for (const { proxy } of moving) proxy.target = { host: '127.0.0.1', port: this.#random.pick(others).fleetPort };
    }
    await server.serve();
    if (others.length === 0) {
      for (const { proxy } of moving) proxy.target = { host: '127.0.0.1', port: server.fleetPort };
      // on its next connection
    } else this.#random.pick(this.#fleet).proxy.target = { host: '127.0.0.1', port: server.fleetPort };
  }

  async #killShips(ships: ShipsProcess): Promise<void> {
    await killed(ships.child);
    ships.child = launch(ships.file);
  }

  async #submit(key: string, project: string): Promise<string> {
    for (;;) {
      const answer = await this.#random.pick(this.#servers).call<Run>('POST', '/runs', {
        project_id: project,
        kind: 'pipeline',
        task: 'go',
      }, key).catch(() => undefined);
      if (answer?.status === 202) return answer.body.data.id;
      if (answer !== undefined && answer.status < 500)
        throw new Error(`a run was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
      await setTimeout(100);
    }
  }
}

const launch = (file: string): ChildProcess =>
  fork(join(import.meta.dirname, 'ships-process.ts'), [file], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
