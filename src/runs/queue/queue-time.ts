import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Sql } from '../../storage/index.ts';

/** If the clock differs by more than this from the elapsed time, it was set, not corrected. */
const JUMP_MS = 2000;

/** Milliseconds that have elapsed since some moment; independent of changes of the clock. */
export type Elapsed = () => number;

/** The time of a queue; there are two implementations. */
export interface QueueClock {
  /** Milliseconds since 1970. */
  now(): number;
  readonly elapsed: Elapsed;
  load(sql: Sql): Promise<void>;
  /**
   * Must be called at each tick, before due work is looked for. Returns by how many milliseconds the clock was set; 0
   * if it was not.
   */
  save(sql: Sql): Promise<number>;
}

/**
 * The queue's own time, in milliseconds; leases, deadlines and waiting times are stored in it. It runs with the clock
 * of the machine, but does not follow when that is set: an hour forward would end all leases at once, an hour back
 * would keep a dead ship's runs for an hour. The difference from the clock is stored for each server, so that times
 * written before a restart, or by another server, keep their meaning.
 *
 * A change of the clock while the server is down cannot be detected; `regrant` handles that.
 */
export class QueueTime implements QueueClock {
  readonly #clock: Clock;
  readonly elapsed: Elapsed;
  readonly #nodeId: string;
  /** `clock - elapsed` at the last check. */
  #base: number;
  #offset = 0;
  #stored = 0;

  constructor(clock: Clock, nodeId: string, elapsed: Elapsed = elapsedOf(clock)) {
    this.#clock = clock;
    this.elapsed = elapsed;
    this.#nodeId = nodeId;
    this.#base = clock.now() - elapsed();
  }

  now(): number {
    const clock = this.#clock.now();
    const base = clock - Math.round(this.elapsed());
    const jump = base - this.#base;
    this.#base = base; // small steps are followed, because that is how clocks are corrected
    if (Math.abs(jump) > JUMP_MS) this.#offset -= Math.round(jump);
    return clock + this.#offset;
  }

  async load(sql: Sql): Promise<void> {
    const row = await sql.get<{ offset_ms: number }>('SELECT offset_ms FROM queue_time WHERE node_id = ?', [
      this.#nodeId,
    ]);
    const earlier = row?.offset_ms ?? 0;
    this.#offset += earlier - this.#stored;
    this.#stored = earlier;
  }

  /** Stores the offset if it has changed. Returns by how much the clock was set, in milliseconds; 0 if it was not. */
  async save(sql: Sql): Promise<number> {
    this.now();
    const offset = this.#offset;
    const jump = this.#stored - offset;
    if (jump === 0) return 0;
    await sql.transaction((tx) =>
      tx.run(
        'INSERT INTO queue_time(node_id, offset_ms) VALUES (?, ?) ON CONFLICT(node_id) DO UPDATE SET offset_ms = ' +
          'excluded.offset_ms',
        [this.#nodeId, offset],
      )
    );
    this.#stored = offset;
    return jump;
  }
}

/** For a clock that tests move: it also measures the elapsed time. */
function elapsedOf(clock: Clock): Elapsed {
  return clock === systemClock ? () => performance.now() : () => clock.now();
}

const LOOK = 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS ms';

/**
 * The queue's own time if several servers share a store: the time of the database's clock, whatever the clocks of the
 * servers say. It is read at each tick; in between, the locally elapsed time is added. The clock of the database may be
 * set, or a database on another machine with another clock may replace it; all servers notice that in the same way,
 * before they end any lease.
 */
export class SharedQueueTime implements QueueClock {
  readonly elapsed: Elapsed;
  /** Difference between the database's clock and the elapsed time. */
  #ahead = 0;

  constructor(elapsed: Elapsed = () => performance.now()) {
    this.elapsed = elapsed;
  }

  now(): number {
    return Math.round(this.elapsed() + this.#ahead);
  }

  async load(sql: Sql): Promise<void> {
    this.#ahead = (await this.#look(sql)).ahead;
  }

  /**
   * Reads the database's clock. Returns by how much it was set since the last read, in milliseconds; 0 if it was not.
   */
  async save(sql: Sql): Promise<number> {
    const { ahead, tookMs } = await this.#look(sql);
    if (tookMs > JUMP_MS) return 0; // the round trip took too long for an accurate reading
    const jump = ahead - this.#ahead;
    this.#ahead = ahead;
    return Math.abs(jump) > JUMP_MS ? Math.round(jump) : 0;
  }

  async #look(sql: Sql): Promise<{ ahead: number; tookMs: number }> {
    const before = this.elapsed();
    const { ms } = (await sql.get<{ ms: number }>(LOOK))!;
    const tookMs = this.elapsed() - before;
    return { ahead: ms - (before + tookMs / 2), tookMs };
  }
}
