import { randomUUID } from 'node:crypto';
import type { Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Loop } from '../lib/loop.ts';
import type { Peers, Sql } from '../storage/index.ts';

const HOLDER = 'duty';
const LOOK_MS = 1000;
/**
 * Number of checks in a row at which the holder was absent before another node replaces it: a restart of the database
 * must not cause that.
 */
const MISSED = 5;

interface DutyDeps {
  readonly sql: Sql;
  readonly peers: Pick<Peers, 'claim' | 'isClaimed'>;
  readonly log: Log;
  readonly timer?: Timer;
  /** Called once, when this node gets the duty. */
  readonly begin: () => Promise<void>;
  /** Called at each check while it has the duty. */
  readonly look: () => void;
  /**
   * Another node has taken the duty, because this node lost its connection to the database. The work that `begin`
   * started must end with this process.
   */
  readonly lost: () => void;
}

/**
 * Of several nodes over one database, one does the background work: the node that has the duty. The database contains
 * its name. Each node claims a name of its own while it is connected, so that the others notice when it is gone.
 */
export class Duty {
  readonly #deps: DutyDeps;
  readonly #node = randomUUID();
  readonly #loop: Loop;
  #missed = 0;
  #held = false;

  constructor(deps: DutyDeps) {
    this.#deps = deps;
    const { log, timer } = deps;
    const failure = 'the node that works in the background could not be looked up; trying again';
    this.#loop = new Loop({ name: 'duty', everyMs: LOOK_MS, waitsFirst: true, timer, log, failure },
      () => this.#look());
  }

  /** Resolves when it is known whether this node starts with the duty. */
  async start(): Promise<void> {
    await this.#deps.peers.claim(presenceOf(this.#node));
    // If no node has the duty, or the last one has given it up, this node need not wait.
    await this.#look();
    this.#loop.start();
  }

  /** Gives up the duty; call this when the work that `begin` started has ended. Harmless when repeated. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    if (!this.#held) return;
    this.#held = false;
    const { sql, log } = this.#deps;
    await sql.transaction((tx) => tx.run('DELETE FROM settings WHERE name = ? AND value = ?', [HOLDER, this.#node]))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the duty of this node could not be left to others; they notice by themselves')
      );
  }

  async #look(): Promise<void> {
    const { sql, peers, begin, look, lost, log } = this.#deps;
    const holder = (await sql.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', [HOLDER]))?.value;
    if (this.#held) {
      if (holder === this.#node) return look();
      log.error({}, 'another node does the work in the background, since this one was cut off from the database');
      this.#held = false;
      // Not awaited, because it waits for this round.
      void this.#loop.stop();
      return lost();
    }
    this.#missed = holder === undefined || await peers.isClaimed(presenceOf(holder)) ? 0 : this.#missed + 1;
    if (holder !== undefined && this.#missed < MISSED) return;
    this.#held = await this.#take(holder);
    if (this.#held) await begin();
  }

  /** Returns false if another node was faster. */
  #take(former: string | undefined): Promise<boolean> {
    return this.#deps.sql.transaction(async (tx) => {
      const { changes } = former === undefined
        ? await tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO NOTHING', [HOLDER,
          this.#node])
        : await tx.run('UPDATE settings SET value = ? WHERE name = ? AND value = ?', [this.#node, HOLDER, former]);
      return changes === 1;
    });
  }
}

const presenceOf = (node: string): string => `node ${node}`;
