import { systemClock } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import { uuidV7Generator } from '../../lib/uuid-v7.ts';
import type { Transaction } from '../../storage/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { RunLogs } from '../logs/port.ts';
import { approve, reject as disapprove } from './approvals.ts';
import { attemptsOf, recordSource } from './attempts.ts';
import { Changes } from './changes.ts';
import type { Handout } from './claiming.ts';
import type { Core } from './core.ts';
import { DefinitionStore } from './definition-store.ts';
import { Dispatcher } from './dispatcher.ts';
import { explain, numbers } from './explain.ts';
import { repairGroups } from './groups.ts';
import { evict, reject, resume } from './holding.ts';
import { insert } from './insert.ts';
import { JoinedReports } from './joined-reports.ts';
import { Lanes } from './lanes.ts';
import { list } from './list.ts';
import { neededBy } from './needed.ts';
import { Neighbours } from './neighbours.ts';
import { mindingStandstills, Outage, regrant } from './outage.ts';
import type { Queue, RunRecord } from './port.ts';
import { type Elapsed, type QueueClock, QueueTime, SharedQueueTime } from './queue-time.ts';
import { reap } from './reaper.ts';
import { Renewals } from './renewals.ts';
import { expireRuns } from './retention.ts';
import { lockHeld, readById, toRecord } from './run-rows.ts';
import { readSummary } from './summaries.ts';
import { cancel, repairMatrices, runEnded } from './whole-run.ts';

/** How often the queue looks for work that nothing has woken it for. */
const TICK_MS = 1000;

export interface QueueOptions {
  readonly env: RunsEnvironment;
  /** Adds a line of the server to the log of an attempt. */
  readonly note: RunLogs['note'];
  /** Adds lines of the server about changes of the rows of runs; default: `note`, for each. */
  readonly lines?: RunLogs['lines'];
  /** Whether a ship of the fleet that is not connected has all these labels; used to explain why runs wait. */
  readonly knowsShip?: (selectors: readonly string[]) => boolean;
  /** Names a ship in logs, as in `ship build-01`; default: by its id. */
  readonly nameShip?: (shipId: string) => string;
  /** Called in the transaction in which a new run supersedes an older one of its group. */
  readonly onSuperseded?: Core['onSuperseded'];
  /** Called with the seconds that it took to assign each batch of runs. Must not throw. */
  readonly onHandedOut?: (seconds: number) => void;
  /** Called for each write of the queue that the store has refused. Must not throw. */
  readonly onStoreFailure?: () => void;
  /** Like `Math.random`, for the jitter of pauses. */
  readonly random?: () => number;
  /**
   * Elapsed milliseconds, independent of changes of the clock; default: those of the system, or of the passed clock.
   */
  readonly elapsed?: Elapsed;
}

/** The queue with its parts, so that tests can execute steps one by one. */
export interface QueueParts {
  readonly queue: Queue;
  readonly dispatcher: Dispatcher;
  /** The work of one tick, once a second. */
  tick(signal?: AbortSignal): Promise<void>;
  /** The work of `start` before the first tick. */
  load(): Promise<void>;
}

export function createQueue(options: QueueOptions): Queue {
  return assembleQueue(options).queue;
}

export function assembleQueue(options: QueueOptions): QueueParts {
  const core = coreOf(options, () => dispatcher.wake());
  const dispatcher: Dispatcher = new Dispatcher(core, {
    giveBack: (handout) => giveBack(core, handout),
    onHandedOut: options.onHandedOut ?? (() => {}),
  });
  const renewals = new Renewals(core);
  const reports = new JoinedReports(core);
  const neighbours = neighboursOf(core);
  const tick = (signal?: AbortSignal): Promise<void> => runTick(core, dispatcher, neighbours, signal);
  const { timer, log } = options.env;
  const ticker = new Loop({
    name: 'queue',
    everyMs: TICK_MS,
    timer,
    log,
    failure: 'the queue could not be looked after; the next tick tries again',
  }, mindingStandstills(core, tick));
  const load = async (): Promise<void> => {
    await core.time.load(options.env.sql);
    // If several servers share the store, ships could renew their leases at the other ones.
    if (options.env.sql.peers?.first ?? true) await regrant(core);
    await repairGroups(core);
    await repairMatrices(core);
    neighbours?.start();
    await core.changes.load(options.env.sql);
    await core.lanes.load(options.env.sql);
  };
  const queue: Queue = {
    ...stored(core),
    ...handing(core, dispatcher, renewals, reports),
    ...reporting(core, dispatcher),
    start: async () => {
      await load();
      renewals.open();
      dispatcher.start();
      ticker.start();
    },
    stop: async () => {
      await ticker.stop();
      await dispatcher.stop();
      await renewals.close();
      await reports.idle();
      await neighbours?.stop();
    },
  };
  return { queue, dispatcher, tick, load };
}

/** Adds the bytes to the runs' rows itself. */
const byNote = (note: RunLogs['note']): RunLogs['lines'] => async (tx, lines) => {
  for (const { runId, attempt, level, message } of lines) await note(tx, runId, attempt, level, message);
  return lines.map(() => 0);
};

function coreOf(
  { env, note, lines = byNote(note), random = Math.random, elapsed, knowsShip = () => false, nameShip = (id) =>
    `ship ${id}`, onStoreFailure = () => {}, onSuperseded = async () => {} }: QueueOptions,
  wake: () => void,
): Core {
  const time = timeOf(env, elapsed);
  const core: Core = {
    env,
    note,
    lines,
    random,
    wake,
    knowsShip,
    nameShip,
    time,
    onSuperseded,
    onEnd: (tx, run) => runEnded(core, tx, run),
    outage: new Outage(env.log, time, onStoreFailure),
    nextId: uuidV7Generator(env.clock),
    lanes: new Lanes(),
    definitions: new DefinitionStore(),
    changes: new Changes(env.log),
  };
  return core;
}

/** The clock of the database if several servers share one; a clock that tests move is used directly. */
function timeOf({ sql, clock, nodeId }: RunsEnvironment, elapsed: Elapsed | undefined): QueueClock {
  return sql.peers === undefined || elapsed !== undefined || clock !== systemClock
    ? new QueueTime(clock, nodeId, elapsed)
    : new SharedQueueTime();
}

function neighboursOf({ env: { sql, log }, changes, lanes, wake }: Core): Neighbours | undefined {
  return sql.peers && new Neighbours(sql.peers, { sql, log, changes, lanes, wake });
}

async function runTick(core: Core, dispatcher: Dispatcher, neighbours: Neighbours | undefined,
  signal?: AbortSignal): Promise<void>
{
  const jump = await core.time.save(core.env.sql);
  if (jump !== 0) {
    core.env.log.warn({ jumpMs: jump }, 'the clock was set; leases and deadlines of runs are not affected');
    if (neighbours !== undefined) await regrant(core); // the time of all servers has jumped with it
  }
  await neighbours?.catchUp();
  await reap(core, signal);
  await expireRuns(core, signal);
  await core.lanes.refresh(core.env.sql);
  dispatcher.wake();
}

async function giveBack(core: Core, { worker, claim }: Handout): Promise<void> {
  await core.env.sql.transaction((tx) => reject(core, tx, claim.ref, worker.shipId, 'it has left'));
}

/** Cells use the input of the run that they belong to. */
const MATERIAL =
  `SELECT coalesce(m.input, pm.input) AS input, coalesce(pm.input_is_json, m.input_is_json) AS input_is_json, m.definition_id FROM runs r JOIN run_material m ON m.seq = r.seq
  LEFT JOIN runs p ON p.id = r.parent_id LEFT JOIN run_material pm ON pm.seq = p.seq WHERE r.id = ?`;

type Part<Names extends keyof Queue> = Pick<Queue, Names>;

function stored(core: Core): Part<
  'insert' | 'get' | 'material' | 'list' | 'result' | 'summary' | 'cancel' | 'approve' | 'disapprove' | 'attempts'
    | 'neededBy'
> {
  const { sql } = core.env;
  const audited = (audit: (tx: Transaction) => Promise<void>,
    work: (tx: Transaction) => Promise<RunRecord | undefined>): Promise<RunRecord | undefined> =>
    sql.transaction(async (tx) => {
      const run = await work(tx);
      if (run !== undefined) await audit(tx);
      return run;
    });
  return {
    insert: (tx, run) => insert(core, tx, run),
    get: async (id) => {
      const row = await readById(sql, id);
      return row === undefined ? undefined : toRecord(row);
    },
    material: async (id) => {
      const row = await sql.get<{ input: string | null; input_is_json: number; definition_id: number }>(MATERIAL, [id]);
      if (row === undefined) return undefined;
      return {
        input: row.input,
        inputIsJson: row.input_is_json === 1,
        definition: await core.definitions.load(sql, row.definition_id),
      };
    },
    list: (filter, before, limit) => list(sql, filter, before, limit),
    result: (id) =>
      sql.get<{ body: Uint8Array; type: string }>(
        'SELECT s.body, s.type FROM run_results s JOIN runs r ON r.seq = s.seq WHERE r.id = ?',
        [id],
      ),
    neededBy: (id) => neededBy(sql, core.definitions, id),
    summary: (id) => readSummary(sql, id),
    attempts: (run) => attemptsOf(sql, run),
    cancel: (id, audit) => audited(audit, (tx) => cancel(core, tx, id)),
    approve: (id, by, audit) => audited(audit, (tx) => approve(core, tx, id, by)),
    disapprove: (id, by, audit) => audited(audit, (tx) => disapprove(core, tx, id, by)),
  };
}

function handing(core: Core, dispatcher: Dispatcher, renewals: Renewals,
  reports: JoinedReports
): Part<'addWorker' | 'accept' | 'reject' | 'renew' | 'complete' | 'resume' | 'evict' | 'holds' | 'recordSource'> {
  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => core.env.sql.transaction(work);
  return {
    addWorker: (worker) => dispatcher.add(worker),
    accept: (ref, shipId) => reports.accept(ref, shipId),
    reject: async (ref, shipId, reason) => {
      const row = await inTransaction(async (tx) => {
        const found = await reject(core, tx, ref, shipId, reason);
        // Recorded before other servers are told, because otherwise the run would be assigned to the same ship again.
        if (found !== undefined) dispatcher.refused(shipId, reason === 'unsupported' ? found.lane_id : undefined);
        return found;
      });
      if (row !== undefined) dispatcher.wake();
    },
    renew: (shipId, refs) => renewals.renew(shipId, refs),
    complete: (ref, shipId, completion) => reports.complete(ref, shipId, completion),
    recordSource: (ref, shipId, source) => inTransaction((tx) => recordSource(tx, ref, shipId, source)),
    resume: (shipId, held) => inTransaction((tx) => resume(core, tx, shipId, held)),
    evict: (tx, shipId) => evict(core, tx, shipId),
    holds: (tx, ref, shipId) => lockHeld(tx, ref, shipId),
  };
}

function reporting(core: Core,
  dispatcher: Dispatcher): Part<'explain' | 'onChanging' | 'onChange' | 'numbers' | 'runningOn'>
{
  return {
    explain: (run) => explain(core, dispatcher, run),
    onChanging: (listener) => core.changes.onChanging(listener),
    onChange: (listener) => core.changes.listen(listener),
    numbers: () => numbers(core, dispatcher),
    runningOn: (shipId) => core.changes.heldByShip(shipId),
  };
}
