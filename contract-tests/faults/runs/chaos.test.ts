import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { seededRandom } from '../../../src/testkit/crash/random.ts';
import { FaultBench, QUICK, type ShipProgram } from '../../../src/testkit/runs-faults/bench.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { counted, OVERLAP, pipelines, projects } from '../../../src/testkit/runs-faults/pipelines.ts';

const FAULTS = Number(process.env['QUIRE_FAULT_ROUNDS'] ?? 2);
const SEED = Number(process.env['QUIRE_FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const LINES = 30;

interface Fault {
  readonly name: string;
  happen(bench: FaultBench, ship: ShipProgram): Promise<void>;
}

/** A fault costs at most one attempt of each run that it affects. */
const KINDS: readonly Fault[] = [{
  name: 'the server is killed',
  happen: async (bench) => {
    await bench.killServer();
    await bench.serve();
  },
}, {
  name: 'the server is stopped',
  happen: async (bench) => {
    await bench.server.signal('SIGTERM').ended;
    await bench.serve();
  },
}, {
  name: 'a ship is killed',
  happen: async (_bench, ship) => {
    await ship.program.signal('SIGKILL').ended;
    await ship.restart();
  },
}, { name: 'a network breaks', happen: async (_bench, { proxy }) => proxy.drop() }, {
  name: 'a network is cut for a moment',
  happen: async (_bench, { proxy }) => {
    proxy.cut();
    await setTimeout(1000);
    proxy.heal();
  },
}, {
  name: 'a network is cut for long',
  happen: async (_bench, { proxy }) => {
    proxy.cut();
    await setTimeout(9000);
    proxy.heal();
  },
}, { name: 'connections go dead', happen: async (_bench, { proxy }) => proxy.strand() }, {
  name: 'a ship is frozen',
  happen: async (_bench, { program }) => {
    program.signal('SIGSTOP');
    await setTimeout(9000);
    program.signal('SIGCONT');
  },
}];

/** A client that keeps the fleet busy: it queues runs, some of which it cancels, until it is stopped. */
class Client {
  /** Runs whose key was sent, and whether a cancellation of them was acknowledged. */
  readonly runs = new Map<string, { cancelled: boolean }>();
  readonly #bench: FaultBench;
  readonly #cancels: () => boolean;
  #isOver = false;
  readonly #ended: Promise<void>;

  constructor(bench: FaultBench, cancels: () => boolean) {
    this.#bench = bench;
    this.#cancels = cancels;
    this.#ended = this.#work();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const id = await this.#submit(crypto.randomUUID());
      this.runs.set(id, { cancelled: false });
      if (this.#cancels()) this.runs.set(id, { cancelled: await this.#cancel(id) });
      else await this.#untilItEnds(id);
    }
  }

  /** Repeats the same request until there is a response. */
  #submit(key: string): Promise<string> {
    const body = { project_id: 'all', kind: 'pipeline', task: 'count', input: String(LINES) };
    return eventually('a run to be queued', async () => (await this.#ask<Run>('POST', '/runs', body, key))?.id);
  }

  async #cancel(id: string): Promise<boolean> {
    await setTimeout(300);
    return await this.#ask<Run>('POST', `/runs/${id}/cancel`) !== undefined;
  }

  async #untilItEnds(id: string): Promise<void> {
    while (!this.#isOver && (await this.#ask<Run>('GET', `/runs/${id}`))?.finished_at === null) await setTimeout(50);
  }

  /** Undefined if there is no server, or if it rejects the request. */
  async #ask<T>(method: string, path: string, body?: object, key?: string): Promise<T | undefined> {
    const answer = await this.#bench.call<T>(method, path, body, key).catch(() => undefined);
    return answer !== undefined && answer.status < 400 ? answer.body.data : undefined;
  }
}

describe('a server and two ships under a random sequence of faults', () => {
  it(`lose no run and no line, and work on none twice at once (${FAULTS} faults from seed ${SEED})`, {
    timeout: 120_000 + FAULTS * 20_000,
  }, async ({ onTestFinished }) => {
    const random = seededRandom(SEED);
    // A run may be affected by several faults: the test only requires that it ends successfully.
    const bench = new FaultBench({
      yaml: (folder) => `${QUICK}\n${projects(['all'])}${pipelines(folder, 'max_attempts: 100, ')}`,
    });
    onTestFinished(() => bench.close());
    await bench.serve();
    const ships = [await bench.ship('one', ['zone=all']), await bench.ship('two', ['zone=all'])];
    const clients = Array.from({ length: 6 }, () => new Client(bench, () => random.next() < 0.2));
    const happened: string[] = [];
    for (let i = 0; i < FAULTS; i++) {
      // at an arbitrary time, so the test waits for a time instead of an event
      await setTimeout(random.integer(100, 1200));
      const fault = random.pick(KINDS);
      happened.push(fault.name);
      await fault.happen(bench, random.pick(ships));
    }
    await Promise.all(clients.map((client) => client.end()));
    const story = `after: ${happened.join(', ')}`;
    const ids = clients.flatMap(({ runs }) => [...runs.keys()]);
    for (const [id, { cancelled }] of clients.flatMap(({ runs }) => [...runs])) {
      const { state, attempt } = await bench.reached(id, 'succeeded', 'cancelled');
      if (cancelled) expect(state, `${id} ${story}`).toBe('cancelled');
      if (state === 'succeeded')
        expect(await bench.output(id, attempt), `the log of ${id} ${story}`).toEqual(counted(LINES));
      for (let each = 1; each <= attempt; each++)
        expect(await bench.output(id, each), `${id} ${story}`).not.toContain(OVERLAP);
    }
    await eventually('all steps to be gone',
      () => (ids.every((id) => bench.stepsOf(id).length === 0) ? true : undefined));
    await eventually('both ships to be free',
      async () => ((await bench.listShips()).every(({ online, running }) => online && running === 0)
        ? true
        : undefined));
  });
});
