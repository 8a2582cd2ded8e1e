import { ServiceError } from '../../errors/index.ts';
import { ThreadClient, workerFile } from '../../lib/thread-client.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { closedError } from '../failures.ts';
import type { Row, SqlValue } from '../port.ts';
import { translate } from './failures.ts';

/** Requests of the main thread. `next` and `stop` refer to the stream that `open` started under the same id. */
export type ThreadRequest =
  | { op: 'all' | 'get'; sql: string; params: readonly SqlValue[] }
  | { id: number; op: 'open'; sql: string; params: readonly SqlValue[]; batch: number }
  | { id: number; op: 'next' | 'stop' }
  /**
   * Copies the log into the database as far as no reader needs it. A checkpoint returns the number of pages that are
   * copied.
   */
  | { op: 'checkpoint' | 'copy-log' }
  /** Rewrites the database without what was deleted; has no rows. */
  | { op: 'scrub' };

/** Rows are sent as arrays, the names of the columns once per message. */
export interface ThreadRows {
  readonly columns: readonly string[];
  readonly rows: readonly SqlValue[][];
  /** True with the last batch of a stream; always true for `all` and `get`. */
  readonly done: boolean;
}

/**
 * Every request but `stop` has exactly one reply. `code` is SQLite's result code, if it has one; `unreadable` says that
 * an encrypted value could not be decrypted.
 */
export type ThreadReply = ThreadRows | { error: string; code: number | undefined; unreadable?: boolean };

/** The main thread's side of `reader-thread.ts`. */
export class ReaderClient {
  readonly #thread: ThreadClient<ThreadRequest, ThreadReply>;
  #lastStream = 0;
  #closed = false;

  constructor(file: string, keys?: KeyRing) {
    this.#thread = new ThreadClient(workerFile(import.meta.url, 'reader-thread'), {
      name: 'the reading thread of the database',
      data: () => ({ file, keys: keys?.keys() }),
      failure: (message, cause) => new ServiceError('unavailable', message, { cause }),
    });
  }

  async all(sql: string, params: readonly SqlValue[]): Promise<Row[]> {
    return toRows(await this.#request({ op: 'all', sql, params }));
  }

  async get(sql: string, params: readonly SqlValue[]): Promise<Row | undefined> {
    return toRows(await this.#request({ op: 'get', sql, params }))[0];
  }

  /** The snapshot is taken with the first batch. At most one batch is read ahead of the consumer. */
  async *stream(sql: string, params: readonly SqlValue[], batch: number): AsyncGenerator<Row[]> {
    const id = ++this.#lastStream;
    let reply: Promise<ThreadRows> | undefined = this.#request({ id, op: 'open', sql, params, batch });
    try {
      while (reply !== undefined) {
        const rows: ThreadRows = await reply;
        reply = rows.done ? undefined : this.#request({ id, op: 'next' });
        reply?.catch(() => undefined); // handled in the next iteration, if there is one
        if (rows.rows.length > 0) yield toRows(rows);
      }
    } finally {
      if (reply !== undefined) this.#thread.tell({ id, op: 'stop' });
    }
  }

  /** Rejects when a reader prevents it from copying the whole log. */
  async copyLog(): Promise<void> {
    await this.#request({ op: 'copy-log' });
  }

  /** Whether a request would be handled at once. */
  get isIdle(): boolean {
    return this.#thread.isIdle;
  }

  /** Returns the number of pages of the log that are in the database now, counted from its start. */
  async checkpoint(): Promise<{ readonly checkpointed: number }> {
    const { rows } = await this.#request({ op: 'checkpoint' });
    return { checkpointed: Number(rows[0]![0]) };
  }

  /** See `Sql.scrub`; nothing else must write meanwhile. */
  async scrub(): Promise<void> {
    await this.#request({ op: 'scrub' });
  }

  /** Waits for the outstanding replies, then ends the thread; streams that continue after that fail. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread.drained();
    await this.#thread.end();
  }

  /** Ends the thread at once, as a crash would, for tests. */
  async crash(): Promise<void> {
    await this.#thread.end();
  }

  async #request(request: ThreadRequest): Promise<ThreadRows> {
    if (this.#closed) throw closedError();
    const reply = await this.#thread.request(request);
    if ('rows' in reply) return reply;
    throw reply.unreadable
      ? new ServiceError('internal', reply.error)
      : translate(Object.assign(new Error(reply.error), { errcode: reply.code }));
  }
}

function toRows({ columns, rows }: ThreadRows): Row[] {
  return rows.map((values) => {
    const row: Row = {};
    for (let i = 0; i < columns.length; i++) row[columns[i]!] = values[i]!;
    return row;
  });
}
