import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors/index.ts';
import { workerFile } from '../../lib/worker-file.ts';
import type { KeyRing } from '../encryption/index.ts';
import { closedError } from '../failures.ts';
import type { Row, SqlValue } from '../port.ts';
import { translate } from './failures.ts';
import type { ThreadReply, ThreadRequest, ThreadRows } from './thread-protocol.ts';

interface Pending {
  readonly resolve: (rows: ThreadRows) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's side of `reader-thread.ts`. The thread starts with the first request and again after a crash, and
 * keeps the process alive only while a request is running.
 */
export class ReaderClient {
  readonly #file: string;
  readonly #keys: KeyRing | undefined;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;
  #drained: (() => void) | undefined;

  constructor(file: string, keys?: KeyRing) {
    this.#file = file;
    this.#keys = keys;
  }

  async all(sql: string, params: readonly SqlValue[]): Promise<Row[]> {
    return toRows(await this.#request({ id: ++this.#lastId, op: 'all', sql, params }));
  }

  async get(sql: string, params: readonly SqlValue[]): Promise<Row | undefined> {
    return toRows(await this.#request({ id: ++this.#lastId, op: 'get', sql, params }))[0];
  }

  /** The snapshot is taken with the first batch. At most one batch is read ahead of the consumer. */
  async *stream(sql: string, params: readonly SqlValue[], batch: number): AsyncGenerator<Row[]> {
    const id = ++this.#lastId;
    let reply: Promise<ThreadRows> | undefined = this.#request({ id, op: 'open', sql, params, batch });
    try {
      while (reply !== undefined) {
        const rows: ThreadRows = await reply;
        reply = rows.done ? undefined : this.#request({ id, op: 'next' });
        reply?.catch(() => undefined); // handled in the next iteration, if there is one
        if (rows.rows.length > 0) yield toRows(rows);
      }
    } finally {
      if (reply !== undefined) this.#worker?.postMessage({ id, op: 'stop' } satisfies ThreadRequest);
    }
  }

  /** Rejects when a reader prevents it from copying the whole log. */
  async copyLog(): Promise<void> {
    await this.#request({ id: ++this.#lastId, op: 'copy-log' });
  }

  /** Whether a request would be handled at once. */
  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Returns the number of pages of the log that are in the database now, counted from its start. */
  async checkpoint(): Promise<{ readonly checkpointed: number }> {
    const { rows } = await this.#request({ id: ++this.#lastId, op: 'checkpoint' });
    return { checkpointed: Number(rows[0]![0]) };
  }

  /** See `Sql.scrub`; nothing else must write meanwhile. */
  async scrub(): Promise<void> {
    await this.#request({ id: ++this.#lastId, op: 'scrub' });
  }

  /** Waits for the outstanding replies, then ends the thread; streams that continue after that fail. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#pending.size > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    await this.#worker?.terminate();
  }

  /** Ends the thread at once, as a crash would, for tests. */
  async crash(): Promise<void> {
    await this.#worker?.terminate();
  }

  #request(request: ThreadRequest): Promise<ThreadRows> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw closedError();
      const worker = (this.#worker ??= this.#start());
      worker.postMessage(request); // throws before anything is recorded if a parameter can't be sent
      this.#pending.set(request.id, { resolve, reject });
      worker.ref();
    });
  }

  #start(): Worker {
    const worker = new Worker(workerFile(import.meta.url, 'reader-thread'), {
      workerData: { file: this.#file, keys: this.#keys?.keys() },
    });
    let cause: unknown;
    worker.on('message', (reply: ThreadReply) => this.#settle(reply));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => this.#lost(worker, cause));
    return worker;
  }

  #settle(reply: ThreadReply): void {
    const pending = this.#pending.get(reply.id);
    this.#forget(reply.id);
    if ('rows' in reply) pending?.resolve(reply);
    else pending?.reject(
        reply.unreadable
          ? new ServiceError('internal', reply.error)
          : translate(Object.assign(new Error(reply.error), { errcode: reply.code })),
      );
  }

  #lost(worker: Worker, cause: unknown): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const [id, pending] of this.#pending) {
      this.#forget(id);
      pending.reject(new ServiceError('unavailable', 'the reading thread of the database ended', { cause }));
    }
  }

  #forget(id: number): void {
    this.#pending.delete(id);
    if (this.#pending.size > 0) return;
    this.#worker?.unref();
    this.#drained?.();
  }
}

function toRows({ columns, rows }: ThreadRows): Row[] {
  return rows.map((values) => {
    const row: Row = {};
    for (let i = 0; i < columns.length; i++) row[columns[i]!] = values[i]!;
    return row;
  });
}
