import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Run } from '../../../../generated/runs/sdk/types.gen.ts';
import { seededRandom, type Random } from '../../../testkit/crash/random.ts';
import { FleetShip, type Execution, type Work } from '../../../testkit/runs-scale/fleet-ship.ts';
import { QueueServer } from '../../../testkit/runs-scale/queue-server.ts';

const SHIPS = 40;
const RUNS = 1000;
const CLIENTS = 8;
/** Runs of the project `narrow` at once. */
const PARALLEL = 7;
/** After so many executions something happens to a ship. */
const CALM = 20;

/** Leases outlive the time that the server is away; attempts are not to run out. */
const YAML = `
queue: {heartbeat: 500ms, cancel_grace: 1s, max_attempts: 100, backoff: {initial: 20ms, max: 50ms}}
pipelines: [{name: build, max_attempts: 100, steps: [{name: only, run: 'true'}]}]
projects: [{id: wide, repository: org/wide}, {id: narrow, repository: org/narrow, max_parallel: ${PARALLEL}}]
`;

/** Another run of it: QUIRE_SCALE_SEED=7. */
const SEED = Number(process.env['QUIRE_SCALE_SEED'] ?? 1);

/** How each handing-out ended, as the store has it. */
interface Attempt {
  readonly run_id: string;
  readonly ship_id: string;
  readonly fence: number;
  readonly outcome: string;
  readonly reported: number;
}

let server: QueueServer;

afterEach(() => server.remove());

/** The ships of a server, what they work on, and what happens to them. */
class Fleet {
  readonly ships: FleetShip[] = [];
  readonly revoked = new Set<string>();
  readonly #random: Random;
  /** Runs of `narrow` that are being worked on, and the most that ever were. */
  #narrow = 0;
  mostNarrow = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get executions(): Execution[] {
    return this.ships.flatMap(({ executions }) => executions);
  }

  async join(): Promise<void> {
    this.ships.push(...await Promise.all(Array.from({ length: SHIPS }, (_, n) => FleetShip.join(server, `ship-${n}`, this.#work))));
    for (const ship of this.ships) ship.start();
  }

  /** Something happens to one of those that are left. */
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
    ship!.crash(); // what it still has under way counts no more
  }

  readonly #work: Work = async ({ projectId }, signal) => {
    const isNarrow = projectId === 'narrow';
    if (isNarrow) this.mostNarrow = Math.max(this.mostNarrow, ++this.#narrow);
    await setTimeout(this.#random.integer(0, 30), undefined, { signal }).catch(() => undefined);
    if (isNarrow) this.#narrow--;
  };
}

/** Queues all runs, some clients side by side. */
async function submitAll(random: Random): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (next++ < RUNS) {
      const project_id = random.next() < 0.1 ? 'narrow' : 'wide';
      ids.push((await server.submit({ project_id, kind: 'pipeline', task: 'build', priority: random.integer(-2, 2) })).id);
    }
  }));
  return ids;
}

/** A run that has finished stays so: none is overlooked on its way from one state to another. */
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

/** Kills the server and starts it again; ships find it by themselves. */
async function restart({ ships }: Fleet): Promise<void> {
  await server.kill();
  await server.start();
  for (const { proxy } of ships) proxy.target = server.fleet;
}

describe('a fleet', () => {
  it(`executes ${RUNS} runs on ${SHIPS} ships to the end once each, while ships crash, connections break, ships are revoked and the server is killed`, async () => {
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
    const ends = await Promise.all(fleet.ships.map((ship) => ship.end()));
    expect(ends.filter((end) => end !== 'drained')).toHaveLength(fleet.revoked.size);
    await server.stop();

    expectOnce(ids, fleet);
    expect(fleet.mostNarrow).toBeGreaterThan(0);
    expect(fleet.mostNarrow).toBeLessThanOrEqual(PARALLEL);
  }, 60_000);
});

/** The last attempt has the line that its work wrote, once. */
async function expectOneLog(id: string): Promise<void> {
  const { attempt } = await server.api<Run>('GET', `/runs/${id}`);
  const lines = await server.api<{ message: string; stream: string }[]>('GET', `/runs/${id}/logs`);
  expect(lines.filter(({ stream }) => stream === 'stdout').map(({ message }) => message)).toEqual([`${id} ${attempt}`]);
}

function expectOnce(ids: readonly string[], fleet: Fleet): void {
  const database = new DatabaseSync(server.database, { readOnly: true });
  const states = database.prepare('SELECT id, state FROM runs').all() as { id: string; state: string }[];
  const attempts = database.prepare('SELECT r.id AS run_id, a.ship_id, a.fence, a.outcome, a.reported FROM attempts a JOIN runs r USING (seq)').all() as unknown as Attempt[];
  database.close();
  expect(new Set(ids).size).toBe(RUNS);
  expect(new Set(states.map(({ id }) => id))).toEqual(new Set(ids));
  expect(states.filter(({ state }) => state !== 'succeeded')).toEqual([]);

  const successes = attempts.filter(({ outcome }) => outcome === 'succeeded');
  expect(successes.map(({ run_id }) => run_id).sort()).toEqual([...ids].sort());
  const executions = new Map(fleet.executions.map((each) => [`${each.runId} ${each.fence}`, each]));
  expect(executions.size).toBe(fleet.executions.length); // none was executed twice by ships
  for (const { run_id, fence, ship_id } of successes) {
    expect(executions.get(`${run_id} ${fence}`)).toMatchObject({ shipId: ship_id, finished: true });
  }

  // Work that came to its end more than once did so only where the ship crashed before the server had heard of it.
  const heard = fleet.executions.filter(({ finished, crashed }) => finished && !crashed).map(({ runId }) => runId);
  expect(new Set(heard).size).toBe(heard.length);
  // Only a crash costs an attempt: neither a broken connection nor the end of the server does.
  const lost = attempts.filter(({ outcome }) => outcome !== 'succeeded' && outcome !== 'not_accepted');
  const blameless = lost.filter(({ run_id, fence }) => executions.get(`${run_id} ${fence}`)?.crashed === false);
  expect(blameless).toEqual([]);
}
