import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { type Random, seededRandom } from '../../../src/testkit/crash/random.ts';
import { type Execution, FleetShip, type Work } from '../../../src/testkit/runs-scale/fleet-ship.ts';
import { QueueServer } from '../../../src/testkit/runs-scale/queue-server.ts';

const SHIPS = 40;
const RUNS = 1000;
const CLIENTS = 8;
/** Concurrent runs of the project `narrow`. */
const PARALLEL = 7;
/** Number of executions after which a fault affects a ship. */
const CALM = 20;

/** Leases outlive the time for which the server is down; the runs must not exhaust their attempts. */
const YAML = `
queue: {heartbeat: 500ms, cancel_grace: 1s, max_attempts: 100, backoff: {initial: 20ms, max: 50ms}}
pipelines: [{name: build, max_attempts: 100, steps: [{name: only, run: 'true'}]}]
projects: [{id: wide, repository: org/wide}, {id: narrow, repository: org/narrow, max_parallel: ${PARALLEL}}]
`;

/** Selects another random sequence: QUIRE_SCALE_SEED=7. */
const SEED = Number(process.env['QUIRE_SCALE_SEED'] ?? 1);

/** How each assignment ended, as the store has it. */
interface Attempt {
  readonly run_id: string;
  readonly ship_id: string;
  readonly fence: number;
  readonly outcome: string;
  readonly reported: number;
}

let server: QueueServer;

afterEach(() => server.remove());

/** The ships of a server, the runs that they execute, and their faults. */
class Fleet {
  readonly ships: FleetShip[] = [];
  readonly revoked = new Set<string>();
  readonly #random: Random;
  /** Runs of `narrow` in progress, and their maximum so far. */
  #narrow = 0;
  mostNarrow = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get executions(): Execution[] {
    return this.ships.flatMap(({ executions }) => executions);
  }

  async join(): Promise<void> {
    this.ships.push(
      ...await Promise.all(Array.from({ length: SHIPS }, (_, n) => FleetShip.join(server, `ship-${n}`, this.#work))),
    );
    for (const ship of this.ships) ship.start();
  }

  /** Causes a fault in one of the remaining ships. */
  async disturb(): Promise<void> {
    const ship = this.#random.pick(this.ships.filter(({ id }) => !this.revoked.has(id)));
    if (this.#random.next() < 0.5) return ship.proxy.drop();
    ship.crash();
    await setTimeout(this.#random.integer(0, 50));
    ship.start();
  }

  async revoke(): Promise<void> {
    const [ship] = this.ships.filter(({ id }) => !this.revoked.has(id));
    this.revoked.add(ship!.id);
    await server.api('POST', `/ships/${ship!.id}/revoke`);
    ship!.crash(); // its runs in progress no longer count
  }

  readonly #work: Work = async ({ projectId }, signal) => {
    const isNarrow = projectId === 'narrow';
    if (isNarrow) this.mostNarrow = Math.max(this.mostNarrow, ++this.#narrow);
    await setTimeout(this.#random.integer(0, 30), undefined, { signal }).catch(() => undefined);
    if (isNarrow) this.#narrow--;
  };
}

/** Queues all runs, with several clients at once. */
async function submitAll(random: Random): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (next++ < RUNS) {
      const project_id = random.next() < 0.1 ? 'narrow' : 'wide';
      ids.push(
        (await server.submit({ project_id, kind: 'pipeline', task: 'build', priority: random.integer(-2, 2) })).id,
      );
    }
  }));
  return ids;
}

/** A finished run stays finished, so none is missed on its way from one state to another. */
async function areAllFinished(): Promise<boolean> {
  let [finished, cursor] = [0, ''];
  for (;;) {
    const { data, next_cursor } = await server.page<Run>(`/runs?limit=100${cursor}`);
    if (data.some(({ finished_at }) => finished_at === null)) return false;
    finished += data.length;
    if (next_cursor === null) return finished === RUNS;
    cursor = `&before=${next_cursor}`;
  }
}

/** Kills the server and restarts it; ships reconnect by themselves. */
async function restart({ ships }: Fleet): Promise<void> {
  await server.kill();
  await server.start();
  for (const { proxy } of ships) proxy.target = server.fleet;
}

describe('a fleet', () => {
  it(
    `executes ${RUNS} runs on ${SHIPS} ships to the end once each, while ships crash, connections break, ships are ` +
      'revoked and the server is killed',
    async () => {
      const random = seededRandom(SEED);
      server = new QueueServer({ yaml: YAML });
      await server.start();
      const fleet = new Fleet(random);
      await fleet.join();
      const submitting = submitAll(random);
      let [calm, restarts] = [CALM, 0];
      while (fleet.executions.length < RUNS || !await areAllFinished()) {
        if (fleet.executions.length >= RUNS / 2 && restarts === 0) {
          restarts++;
          await restart(fleet);
        } else if (fleet.executions.length >= calm && fleet.executions.length < RUNS) {
          calm = fleet.executions.length + CALM;
          await fleet.disturb();
          if (calm > 200 && fleet.revoked.size === 0) await fleet.revoke();
        } else await setTimeout(20);
      }
      const ids = await submitting;
      for (const id of ids.slice(0, 20)) await expectOneLog(id);
      const ends = await Promise.all(fleet.ships.map(async (ship) => ({ id: ship.id, reason: await ship.end() })));
      // The ship that is revoked crashes at once, so it may not have heard of it.
      expect(ends.filter(({ id, reason }) => !fleet.revoked.has(id) && reason !== 'drained')).toEqual([]);
      await server.stop();

      expectOnce(ids, fleet);
      expect(fleet.mostNarrow).toBeGreaterThan(0);
      expect(fleet.mostNarrow).toBeLessThanOrEqual(PARALLEL);
    },
    60_000,
  );
});

/** The last attempt has the line that its work wrote, exactly once. */
async function expectOneLog(id: string): Promise<void> {
  const { attempt } = await server.api<Run>('GET', `/runs/${id}`);
  const lines = await server.api<{ message: string; stream: string }[]>('GET', `/runs/${id}/logs`);
  expect(lines.filter(({ stream }) => stream === 'stdout').map(({ message }) => message)).toEqual([`${id} ${attempt}`]);
}

function expectOnce(ids: readonly string[], fleet: Fleet): void {
  const database = new DatabaseSync(server.database, { readOnly: true });
  const states = database.prepare('SELECT id, state FROM runs').all() as { id: string; state: string }[];
  const attempts = database.prepare(
    'SELECT r.id AS run_id, a.ship_id, a.fence, a.outcome, a.reported FROM attempts a JOIN runs r USING (seq)',
  ).all() as unknown as Attempt[];
  database.close();
  expect(new Set(ids).size).toBe(RUNS);
  expect(new Set(states.map(({ id }) => id))).toEqual(new Set(ids));
  expect(states.filter(({ state }) => state !== 'succeeded')).toEqual([]);

  const successes = attempts.filter(({ outcome }) => outcome === 'succeeded');
  expect(successes.map(({ run_id }) => run_id).sort()).toEqual([...ids].sort());
  const executions = new Map(fleet.executions.map((each) => [`${each.runId} ${each.fence}`, each]));
  expect(executions.size).toBe(fleet.executions.length); // no run was executed twice by ships
  for (const { run_id, fence, ship_id } of successes) {
    expect(executions.get(`${run_id} ${fence}`)).toMatchObject({ shipId: ship_id, finished: true });
  }

  // Work finished more than once only if the ship crashed before it had reported the end to the server.
  const heard = fleet.executions.filter(({ finished, crashed }) => finished && !crashed).map(({ runId }) => runId);
  expect(new Set(heard).size).toBe(heard.length);
  // Only a crash costs an attempt: neither a broken connection nor a restart of the server does.
  const lost = attempts.filter(({ outcome }) => outcome !== 'succeeded' && outcome !== 'not_accepted');
  const blameless = lost.filter(({ run_id, fence }) => executions.get(`${run_id} ${fence}`)?.crashed === false);
  expect(blameless).toEqual([]);
}
