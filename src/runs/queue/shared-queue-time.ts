import type { Sql } from '../../storage/index.ts';
import { type Elapsed, JUMP_MS, type QueueClock } from './queue-time.ts';

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
