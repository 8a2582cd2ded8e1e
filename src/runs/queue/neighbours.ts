import type { Log } from '../../lib/log.ts';
import { inList, type Peers, type Sql } from '../../storage/index.ts';
import type { Changes } from './changes.ts';
import type { Lanes } from './lanes.ts';
import type { RunChange } from './port.ts';
import { type RunRow, toRecord } from './run-rows.ts';

/** Maximum number of runs that one statement reads. */
const STEP = 128;

/** The message of a server about a changed run: its id, and the values that cannot be read from its row any more. */
type Word = readonly ['run', id: string, ...Details];
type Details = readonly [from: RunChange['from'], formerShipId: string | null, reason?: string];

interface NeighboursOptions {
  readonly sql: Sql;
  readonly log: Log;
  readonly changes: Changes;
  readonly lanes: Lanes;
  /** Called when there may be runs to assign. */
  readonly wake: () => void;
}

/**
 * The other servers over the same store. They are told about changes here; their changes are read from the store and
 * announced here. A lost message only costs time: `catchUp` finds changed runs, and each tick finds queued ones.
 */
export class Neighbours {
  readonly #options: NeighboursOptions;
  readonly #peers: Peers;
  readonly #received = new Map<string, Details>();
  #missed = false;
  #reading: Promise<void> | undefined;
  #ends: (() => void)[] = [];

  constructor(peers: Peers, options: NeighboursOptions) {
    this.#peers = peers;
    this.#options = options;
  }

  /** Safe twice. */
  start(): void {
    if (this.#ends.length > 0) return;
    this.#ends = [this.#options.changes.listen((change) => this.#notify(change)),
      this.#peers.listen((message) => this.#receive(message))];
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    await this.#reading;
  }

  /** Looks for changes that this server was not told of. */
  async catchUp(): Promise<void> {
    const { sql, changes } = this.#options;
    const held = await sql.all<Pick<RunRow, 'id' | 'fence' | 'state'>>(
      "SELECT id, fence, state FROM runs WHERE state IN ('running', 'cancelling') AND cells = 0",
    );
    const ids = new Set(held.map(({ id }) => id));
    const gone = changes.heldRuns().filter((id) => !ids.has(id));
    const news = [...held.filter((row) => changes.isNews(row)).map(({ id }) => id), ...gone];
    for (const row of await readRuns(sql, news)) this.#announce(row, [row.state, row.ship_id]);
    if (news.length > 0) this.#options.wake();
  }

  #notify({ run, from, formerShipId, reason, isRemote }: RunChange): void {
    if (isRemote) return;
    const word: Word = reason === undefined
      ? ['run', run.id, from, formerShipId]
      : ['run', run.id, from, formerShipId, reason];
    this.#peers.notify(JSON.stringify(word));
  }

  #receive(message: string | undefined): void {
    if (message === undefined) this.#missed = true;
    else {
      const [what, id, ...details] = JSON.parse(message) as Word;
      if (what !== 'run') return;
      this.#received.set(id, details);
    }
    this.#reading ??= this.#read();
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    while (this.#received.size > 0 || this.#missed) {
      const received = new Map(this.#received);
      const missed = this.#missed;
      this.#received.clear();
      this.#missed = false;
      try {
        for (const row of await readRuns(this.#options.sql, [...received.keys()]))
          await this.#take(row, received.get(row.id)!);
        if (missed) await this.catchUp();
      } catch (error) {
        this.#options.log.warn({ err: error }, 'what other servers have changed could not be read; it is found later');
      }
      this.#options.wake();
    }
    this.#reading = undefined;
  }

  async #take(row: RunRow, details: Details): Promise<void> {
    const { sql, lanes } = this.#options;
    await lanes.learn(sql, row.lane_id);
    if (row.waits_for === 'ship') lanes.filled(row.lane_id);
    this.#announce(row, details);
  }

  #announce(row: RunRow, [from, formerShipId, reason]: Details): void {
    this.#options.changes.announce({
      run: toRecord(row),
      from,
      formerShipId,
      isRemote: true,
      reason,
    });
  }
}

async function readRuns(sql: Sql, ids: readonly string[]): Promise<RunRow[]> {
  const rows: RunRow[] = [];
  for (let i = 0; i < ids.length; i += STEP) {
    const { marks, params } = inList(ids.slice(i, i + STEP));
    rows.push(...await sql.all<RunRow>(`SELECT * FROM runs WHERE id IN (${marks})`, params));
  }
  return rows;
}
