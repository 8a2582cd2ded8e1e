import { inList, type Transaction } from '../../storage/index.ts';
import { type Core, settings } from './core.ts';
import type { Lane } from './lanes.ts';
import type { Claim, Worker } from './port.ts';
import type { RunRow } from './run-rows.ts';
import { claimAll } from './transitions.ts';

/** Most runs that are assigned in one transaction, to all workers together (run-queue decisions, section 6). */
export const BATCH = 20;

/** Most lanes whose heads one statement reads. */
const LANES_AT_ONCE = 64;

/** The free slots of the workers in this batch. */
export interface FreeSlots {
  /** Free slots of all workers together. */
  total(): number;
  /** The worker with the most free slots among those that may get a run of the lane now, so that work spreads. */
  freest(lane: Lane): Worker | undefined;
  take(worker: Worker): void;
}

export interface Handout {
  readonly worker: Worker;
  readonly claim: Claim;
}

/** A run to be assigned, with its input and the number of its definition. */
interface TakenRow extends RunRow {
  readonly input: string | null;
  readonly definition_id: number;
}

interface Head {
  readonly lane: Lane;
  readonly seq: number;
  readonly priority: number;
}

/** Servers lock the rows that they claim, and each statement sees what other servers have claimed before. */
export const CLAIMING = { isolation: 'read committed' } as const;

/** Cells use the input of the run that they belong to. */
const TAKEN = `SELECT runs.*,
  (SELECT input FROM run_material WHERE seq = CASE WHEN runs.parent_id IS NULL THEN runs.seq ELSE (SELECT parent.seq FROM runs AS parent WHERE parent.id = runs.parent_id) END) AS input,
  (SELECT definition_id FROM run_material WHERE seq = runs.seq) AS definition_id FROM runs`;

/** The next runs of all lanes that no other server is claiming. */
export const NEXT =
  `${TAKEN} WHERE state = 'queued' AND waits_for = 'ship' ORDER BY priority DESC, seq LIMIT ? FOR UPDATE SKIP LOCKED`;

/** The first run of a lane that no other server is claiming. */
export const TAKE =
  `${TAKEN} WHERE lane_id = ? AND state = 'queued' AND waits_for = 'ship' ORDER BY priority DESC, seq LIMIT 1 FOR ` +
  'UPDATE SKIP LOCKED';

/**
 * Assigns the next runs of all lanes, up to the number of free slots; one statement finds them, however many lanes
 * there are. `isBlocked`: there may be assignable runs behind runs that could not be assigned; `claimByLane` finds
 * these. Must run in a transaction with the options `CLAIMING`.
 */
export async function claimNext(core: Core, tx: Transaction,
  freeSlots: FreeSlots): Promise<{ readonly handouts: Handout[]; readonly isBlocked: boolean }>
{
  const wanted = Math.min(BATCH, freeSlots.total());
  const backlog = core.lanes.backlog().map(({ id }) => ({ id, fillings: core.lanes.fillings(id) }));
  const rows = wanted === 0 ? [] : await tx.all<TakenRow>(NEXT, [wanted]);
  const lanes = new Map<number, Lane>();
  for (const { lane_id: id } of rows) lanes.set(id, await core.lanes.learn(tx, id));
  const rooms = new Rooms(core);
  for (const { projectId } of [...lanes.values()].sort(byProject)) await rooms.of(tx, projectId);
  const choices: Choice[] = [];
  const blocked = new Set<number>();
  for (const row of rows) {
    const lane = lanes.get(row.lane_id)!;
    const worker = !blocked.has(lane.id) && rooms.has(lane.projectId) ? freeSlots.freest(lane) : undefined;
    if (worker === undefined) blocked.add(lane.id); // the runs behind it cannot be assigned either
    else choices.push(choose(row, worker, freeSlots, rooms));
  }
  const fitting = await withinCapacity(core, tx, choices);
  for (const choice of choices) if (!fitting.includes(choice)) blocked.add(choice.row.lane_id);
  // The statement has returned all waiting runs, so every lane without a blocked run is empty.
  if (rows.length < wanted)
    tx.onCommit(() => backlog.forEach(({ id, fillings }) => blocked.has(id) || core.lanes.emptied(id, fillings)));
  return { handouts: await handOut(core, tx, fitting), isBlocked: blocked.size > 0 && rows.length === wanted };
}

/**
 * Like `claimNext`, for the case that runs which cannot be assigned stand before others: merges the heads of all lanes
 * that a worker can take, by priority and then in the order of queueing. The next run of a lane is read only after its
 * head has been taken.
 */
export async function claimByLane(core: Core, tx: Transaction, freeSlots: FreeSlots): Promise<Handout[]> {
  const rooms = new Rooms(core);
  const lanes: Lane[] = [];
  // Sorted by project, so that limits are locked in the same order everywhere.
  for (const lane of core.lanes.backlog().sort(byProject)) {
    if (freeSlots.freest(lane) !== undefined && (await rooms.of(tx, lane.projectId)) > 0) lanes.push(lane);
  }
  const heads = new Map((await headsOf(core, tx, lanes)).map((head) => [head.lane, head]));
  const handouts: Handout[] = [];
  for (let head = best(heads); head !== undefined && handouts.length < BATCH; head = best(heads)) {
    const { lane } = head;
    const worker = freeSlots.freest(lane);
    // Another server may be claiming the head; then the statement returns the run behind it.
    const row = worker !== undefined && rooms.has(lane.projectId) ? await tx.get<TakenRow>(TAKE, [lane.id]) : undefined;
    if (worker === undefined || row === undefined) {
      heads.delete(lane); // the runs behind it cannot be assigned either
      continue;
    }
    const fitting = await withinCapacity(core, tx, [choose(row, worker, freeSlots, rooms)]);
    handouts.push(...await handOut(core, tx, fitting)); // later reads of its lane return runs behind it
    if (freeSlots.total() === 0) break;
    if (fitting.length === 0) continue; // the same run, for a ship that has a free slot
    const [next] = await headsOf(core, tx, [lane]);
    if (next === undefined) heads.delete(lane);
    else heads.set(lane, next);
  }
  return handouts;
}

/** A run, and the worker that gets it. */
interface Choice {
  readonly row: TakenRow;
  readonly worker: Worker;
}

function choose(row: TakenRow, worker: Worker, freeSlots: FreeSlots, rooms: Rooms): Choice {
  freeSlots.take(worker);
  rooms.take(row.project_id);
  return { row, worker };
}

/** How many runs each of these ships holds, whichever server has assigned them. */
export const heldQuery = (marks: string): string =>
  `SELECT ship_id, count(*) AS n FROM runs WHERE ship_id IN (${marks}) AND state IN ('running', 'cancelling') GROUP ` +
  'BY ship_id';

/**
 * The choices that do not exceed the capacities of their ships. A ship may have come from another server that was
 * assigning runs to it. If that server died before it sent them, they still count as the ship's until the time for
 * accepting them is over. So what a ship holds is counted in the transaction, under a lock on the ship.
 */
async function withinCapacity({ env: { sql } }: Core, tx: Transaction,
  choices: readonly Choice[]): Promise<readonly Choice[]>
{
  if (sql.peers === undefined) return choices;
  const left = new Map(
    choices.flatMap(({ worker: { shipId, maxHeld } }) => (maxHeld === undefined ? [] : [[shipId, maxHeld]])),
  );
  if (left.size === 0) return choices;
  const ids = [...left.keys()].sort();
  await tx.lock(...ids.map((id) => `claims of ship ${id}`));
  const { marks, params } = inList(ids);
  for (const { ship_id: id, n } of await tx.all<{ ship_id: string; n: number }>(heldQuery(marks), params))
    left.set(id, left.get(id)! - n);
  return choices.filter(({ worker: { shipId } }) => {
    const free = left.get(shipId);
    if (free === undefined) return true;
    left.set(shipId, free - 1);
    return free > 0;
  });
}

async function handOut(core: Core, tx: Transaction, choices: readonly Choice[]): Promise<Handout[]> {
  const runs = await claimAll(core, tx, choices.map(({ row, worker: { shipId } }) => ({ row, shipId })));
  return Promise.all(choices.map(async ({ row, worker }, i) => {
    const run = runs[i]!;
    const definition = await core.definitions.ofClaimed(tx, row);
    return {
      worker,
      claim: { run, ref: { runId: run.id, attempt: run.attempt, fence: run.fence }, input: row.input, definition },
    };
  }));
}

const byProject = (a: Lane, b: Lane): number => (a.projectId < b.projectId ? -1 : Number(a.projectId > b.projectId));

function best(heads: ReadonlyMap<Lane, Head>): Head | undefined {
  let found: Head | undefined;
  for (const head of heads.values()) {
    if (found === undefined || head.priority > found.priority ||
      (head.priority === found.priority && head.seq < found.seq)) found = head;
  }
  return found;
}

/**
 * The query for the heads of this many lanes; both SQLite and PostgreSQL call the column of a VALUES list `column1`.
 */
export const headsQuery = (lanes: number): string =>
  `SELECT wanted.column1 AS lane, head.seq AS seq, head.priority AS priority
  FROM (VALUES ${Array(lanes).fill('(CAST(? AS INTEGER))').join(', ')}) AS wanted JOIN runs AS head ON head.seq =
  (SELECT seq FROM runs WHERE lane_id = wanted.column1 AND state = 'queued' AND waits_for = 'ship' ORDER BY priority DESC, seq LIMIT 1)`;

const HEAD_OF_ONE = headsQuery(1);
const HEADS_OF_MANY = headsQuery(LANES_AT_ONCE);

async function headsOf(core: Core, tx: Transaction, lanes: readonly Lane[]): Promise<Head[]> {
  const found = new Map<number, Head>();
  const fillings = lanes.map(({ id }) => core.lanes.fillings(id));
  const byId = new Map(lanes.map((lane) => [lane.id, lane]));
  for (let first = 0; first < lanes.length; first += LANES_AT_ONCE) {
    const ids = lanes.slice(first, first + LANES_AT_ONCE).map(({ id }) => id);
    // one statement for any number of lanes
    const padded = ids.length === 1 ? ids : [...ids, ...Array<number>(LANES_AT_ONCE - ids.length).fill(0)];
    const rows = await tx.all<{ lane: number; seq: number; priority: number }>(
      ids.length === 1 ? HEAD_OF_ONE : HEADS_OF_MANY,
      padded,
    );
    for (const { lane, seq, priority } of rows) found.set(lane, { lane: byId.get(lane)!, seq, priority });
  }
  lanes.forEach(({ id }, i) => {
    if (!found.has(id)) tx.onCommit(() => core.lanes.emptied(id, fillings[i]!));
  });
  return [...found.values()];
}

export const PARALLEL =
  "SELECT count(*) AS n FROM runs WHERE project_id = ? AND state IN ('running', 'cancelling') AND cells = 0";

/**
 * How many more runs of each project may be assigned: counted in the transaction that assigns them, so the limit is
 * exact.
 */
class Rooms {
  readonly #core: Core;
  readonly #left = new Map<string, number>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** 0 for a project that is disabled or no longer configured. */
  async of(tx: Transaction, projectId: string): Promise<number> {
    const known = this.#left.get(projectId);
    if (known !== undefined) return known;
    const left = await this.#count(tx, projectId);
    this.#left.set(projectId, left);
    return left;
  }

  has(projectId: string): boolean {
    return (this.#left.get(projectId) ?? 0) > 0;
  }

  take(projectId: string): void {
    this.#left.set(projectId, this.#left.get(projectId)! - 1);
  }

  async #count(tx: Transaction, projectId: string): Promise<number> {
    const project = settings(this.#core).projects.find(({ id }) => id === projectId);
    if (project === undefined || !project.enabled) return 0;
    if (project.max_parallel === 0) return Infinity;
    await tx.lock(`claims of project ${projectId}`);
    const held = (await tx.get<{ n: number }>(PARALLEL, [projectId]))!.n;
    return Math.max(0, project.max_parallel - held);
  }
}
