import type { Sql } from '../../storage/index.ts';
import { JUMP_MS, type Elapsed, type QueueClock } from './queue-time.ts';

const LOOK = 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS ms';

/**
 * The queue's own time where several servers share a store: that of the database's clock, whatever the clocks of the
 * servers say. Between two looks, one at each tick, it runs with what elapses here. The clock of the database may be
 * set, or another machine with another clock takes its place; all servers see that alike, before they end any lease.
 */
export class SharedQueueTime implements QueueClock {
  readonly elapsed: Elapsed;
  /** How far the database's clock is ahead of what has elapsed. */
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

  /** Looks at the database's clock. Returns by how much it was set since the last look, in milliseconds; 0 for not. */
  async save(sql: Sql): Promise<number> {
    const { ahead, tookMs } = await this.#look(sql);
    if (tookMs > JUMP_MS) return 0; // the answer says too little
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
