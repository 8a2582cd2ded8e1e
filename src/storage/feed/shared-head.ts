import { setImmediate } from 'node:timers/promises';
import type { Queries } from '../port.ts';

/**
 * A change by its number and its time in milliseconds since 1970; together they distinguish the changes of different
 * histories.
 */
interface Mark {
  readonly lsn: number;
  readonly at: number;
}

const READ = 'SELECT lsn, at, (SELECT at FROM changes WHERE lsn = ?) AS marked FROM changes ORDER BY lsn DESC LIMIT 1';

/**
 * Reads the head of a feed to which other processes append. Reads that are requested while one is running share the
 * next one, so that many requests at once cost few queries; each read begins after it was requested, and never beside
 * another one.
 *
 * Each read also looks for a change that this process knows: a database that was promoted or restored without the
 * latest commits has another one at its number, or none.
 */
export class SharedHead {
  readonly #sql: Pick<Queries, 'get'>;
  readonly #onRead: (head: number, isRewound: boolean) => void;
  #known: Mark = { lsn: 0, at: 0 };
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<number> | undefined;

  /**
   * `onRead` is called once for each read, before it resolves; `isRewound`: the database has lost a change that this
   * process knew.
   */
  constructor(sql: Pick<Queries, 'get'>, onRead: (head: number, isRewound: boolean) => void) {
    this.#sql = sql;
    this.#onRead = onRead;
  }

  /** Records a change that this process has committed. */
  know(change: Mark): void {
    if (change.lsn > this.#known.lsn) this.#known = { lsn: change.lsn, at: change.at };
  }

  /** Number of the newest change; 0 when there was none yet. */
  read(): Promise<number> {
    return (this.#next ??= this.#after(this.#running));
  }

  async #after(running: Promise<unknown>): Promise<number> {
    await running;
    // Requests that arrive in one turn of the event loop share a read; otherwise the first one would have a read to
    // itself.
    await setImmediate();
    this.#next = undefined;
    const reading = this.#read();
    this.#running = reading.catch(() => undefined);
    return reading;
  }

  /**
   * Reads by a connection of the caller, at once. If it ends after a later read, the head may seem to go back; the next
   * read corrects that.
   */
  async readBy(queries: Pick<Queries, 'get'>): Promise<number> {
    return this.#read(queries);
  }

  async #read(queries: Pick<Queries, 'get'> = this.#sql): Promise<number> {
    const known = this.#known;
    const row = await queries.get<{ lsn: number; at: number; marked: number | null }>(READ, [known.lsn]);
    const head: Mark = row === undefined ? { lsn: 0, at: 0 } : { lsn: row.lsn, at: row.at };
    // A known change that is missing below the head was pruned, or a restore restarted the feed after it.
    const isRewound = head.lsn < known.lsn || (row?.marked ?? known.at) !== known.at;
    if (isRewound) this.#known = head;
    else this.know(head);
    this.#onRead(head.lsn, isRewound);
    return head.lsn;
  }
}
