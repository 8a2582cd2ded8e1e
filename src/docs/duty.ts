import { randomUUID } from 'node:crypto';
import type { Log } from '../lib/log.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';
import type { Peers, Sql } from '../storage/index.ts';

const HOLDER = 'duty';
const LOOK_MS = 1000;
/** Looks in a row at which the holder was not there, before another node takes its place: a database that restarts is no reason to. */
const MISSED = 5;

export interface DutyDeps {
  readonly sql: Sql;
  readonly peers: Pick<Peers, 'claim' | 'isClaimed'>;
  readonly log: Log;
  readonly timer?: Timer;
  /** Called once, when this node has the duty. */
  readonly begin: () => Promise<void>;
  /** Called at each look while it has. */
  readonly look: () => void;
  /** Another node has taken it, because this one was cut off from the database: what `begin` began must end with this process. */
  readonly lost: () => void;
}

/**
 * The work in the background of several nodes over one database is done by one of them. Its name stands in the database; each
 * node holds a name of its own for as long as it is connected, so that the others notice when it is gone.
 */
export class Duty {
  readonly #deps: DutyDeps;
  readonly #node = randomUUID();
  readonly #stopping = new AbortController();
  #missed = 0;
  #held = false;
  #work: Promise<void> | undefined;

  constructor(deps: DutyDeps) {
    this.#deps = deps;
  }

  /** Resolves when it is known whether this node begins with the duty. */
  async start(): Promise<void> {
    const { peers, log, timer = systemTimer } = this.#deps;
    await peers.claim(presenceOf(this.#node));
    // Where nobody is there, or the last one has left, nobody has to be waited for.
    await this.#look();
    this.#work = this.#repeat(log, timer);
  }

  /** Leaves the duty to others; to be called when what `begin` began has ended. Safe twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
    if (!this.#held) return;
    this.#held = false;
    const { sql, log } = this.#deps;
    await sql.transaction((tx) => tx.run('DELETE FROM settings WHERE name = ? AND value = ?', [HOLDER, this.#node])).catch((error: unknown) => log.warn({ err: error }, 'the duty of this node could not be left to others; they notice by themselves'));
  }

  async #repeat(log: Log, timer: Timer): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await timer.sleep(LOOK_MS, signal);
      if (signal.aborted) return;
      await this.#look().catch((error: unknown) => log.warn({ err: error }, 'the node that works in the background could not be looked up; trying again'));
    }
  }

  async #look(): Promise<void> {
    const { sql, peers, begin, look, lost, log } = this.#deps;
    const holder = (await sql.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', [HOLDER]))?.value;
    if (this.#held) {
      if (holder === this.#node) return look();
      log.error({}, 'another node does the work in the background, since this one was cut off from the database');
      this.#held = false;
      this.#stopping.abort();
      return lost();
    }
    this.#missed = holder === undefined || await peers.isClaimed(presenceOf(holder)) ? 0 : this.#missed + 1;
    if (holder !== undefined && this.#missed < MISSED) return;
    this.#held = await this.#take(holder);
    if (this.#held) await begin();
  }

  /** False where another node was quicker. */
  #take(former: string | undefined): Promise<boolean> {
    return this.#deps.sql.transaction(async (tx) => {
      const { changes } = former === undefined
        ? await tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO NOTHING', [HOLDER, this.#node])
        : await tx.run('UPDATE settings SET value = ? WHERE name = ? AND value = ?', [this.#node, HOLDER, former]);
      return changes === 1;
    });
  }
}

const presenceOf = (node: string): string => `node ${node}`;
