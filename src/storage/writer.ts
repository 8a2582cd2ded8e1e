import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../errors/index.ts';
import { systemTimer, type Timer } from '../lib/clock.ts';
import type { KeyRing } from './encryption/key-ring.ts';
import { closedError } from './failures.ts';
import { OpenTransaction } from './open-transaction.ts';
import type { Row, SqlValue, Transaction } from './port.ts';

/**
 * One synchronous connection, as the writer uses it. Failures of the medium are thrown as
 * `ServiceError('unavailable')`, others as plain errors.
 */
export interface Engine {
  all(sql: string, params: readonly SqlValue[]): Row[];
  get(sql: string, params: readonly SqlValue[]): Row | undefined;
  run(sql: string, params: readonly SqlValue[]): { changes: number };
  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): { changes: number };
  /** See `Transaction.applyPatchset`. */
  applyPatchset?(patchset: Uint8Array, except: readonly string[]): boolean;
  /** Statements without parameters or rows, such as `SAVEPOINT s`. */
  exec(sql: string): void;
  commit(): void;
  /**
   * Resolves when what was committed before the call survives a power failure; absent if the driver is not durable.
   * Rejects when that is not certain.
   */
  durable?(): Promise<void>;
  /** False once SQLite has rolled back on its own, as it does when the disk is full. */
  inTransaction(): boolean;
  /** Restores a usable connection without a transaction; reopens it if there is no other way. */
  recover(): void;
}

/** A group of transactions ends after this many members or milliseconds, whichever is first. */
const GROUP_LIMIT = 512;
const GROUP_MILLIS = 8;

export interface WriterOptions {
  /**
   * Milliseconds that a group waits for more transactions before it begins; by default it takes those of one iteration
   * of the event loop.
   */
  readonly groupWindowMs?: number | undefined;
  readonly timer?: Timer;
}

interface Settle {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Member extends Settle {
  readonly work: (tx: Transaction) => Promise<unknown>;
  /** Runs a function in the asynchronous context of the caller, so that request-scoped state is kept. */
  readonly inContext: <T>(run: () => T) => T;
}

interface Exclusive extends Settle {
  readonly task: () => Promise<unknown>;
}

type Outcome = { member: Member; error: unknown } | { member: Member; value: unknown; tx: OpenTransaction };

/**
 * Group commit over one connection: a serial queue in which the transactions that arrive together share one BEGIN
 * IMMEDIATE … COMMIT, and so one fsync, which the event loop does not wait for. Each member after the first runs in a
 * savepoint of its own, so that its failure rolls back nothing else; when the commit itself fails, so do all members.
 *
 * Every outcome, a failed member's too, waits for the commit: an error may depend on what an earlier member wrote
 * ("exists already"), and is true only if that became durable.
 *
 * Neither this nor `TurnWriter` is a `Batcher`: members run one after the other, join while the group runs, and fail
 * alone within it.
 */
export class Writer {
  readonly #engine: Engine;
  readonly #keys: KeyRing | undefined;
  readonly #groupWindowMs: number;
  readonly #timer: Timer;
  readonly #queue: (Member | Exclusive)[] = [];
  readonly #inside = new AsyncLocalStorage<{ open: boolean }>();
  #draining: Promise<void> | undefined;
  #group: Promise<void> | undefined;
  #closed = false;
  #failed = false;

  constructor(engine: Engine, keys?: KeyRing, { groupWindowMs = 0, timer = systemTimer }: WriterOptions = {}) {
    this.#engine = engine;
    this.#keys = keys;
    this.#groupWindowMs = groupWindowMs;
    this.#timer = timer;
  }

  /** True when the medium failed for the last group or a member of it. */
  get failed(): boolean {
    return this.#failed;
  }

  /** See `Sql.transaction`. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#enqueue<T>((settle) => ({ ...settle, work, inContext: AsyncLocalStorage.snapshot() }));
  }

  /** Runs a task between two groups: no transaction is open, and none starts before the task ends. */
  exclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.#enqueue<T>((settle) => ({ ...settle, task }));
  }

  /** Resolves at a moment without an open group; the caller must act before it awaits anything. */
  async idle(): Promise<void> {
    while (this.#group !== undefined) await this.#group;
  }

  /** Throws when called from within a transaction's `work`, which would wait for itself forever. */
  refuseInside(): void {
    if (this.#inside.getStore()?.open) throw new Error('inside a transaction only the transaction itself may be used');
  }

  /** Refuses new work and resolves when all accepted work has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  #enqueue<T>(entry: (settle: Settle) => Member | Exclusive): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.refuseInside();
      if (this.#closed) throw closedError();
      this.#queue.push(entry({ resolve: resolve as (value: unknown) => void, reject }));
      this.#draining ??= this.#inside.exit(() => this.#drain());
    });
  }

  /**
   * Never rejects. Yields before each group, so that transactions that arrive in one iteration of the event loop share
   * it.
   */
  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      const first = this.#queue[0]!;
      if ('task' in first) {
        this.#queue.shift();
        await first.task().then(first.resolve, first.reject);
      } else {
        this.#group = this.#runGroup();
        await this.#group;
        this.#group = undefined;
      }
    }
    this.#draining = undefined;
  }

  /** A closing writer does not wait for more transactions. */
  async #gather(): Promise<void> {
    if (this.#groupWindowMs > 0 && !this.#closed && this.#hasMember() && this.#queue.length < GROUP_LIMIT)
      await this.#timer.sleep(this.#groupWindowMs);
    else await setImmediate();
  }

  async #runGroup(): Promise<void> {
    const outcomes: Outcome[] = [];
    try {
      this.#engine.exec('BEGIN IMMEDIATE');
      this.#failed = false;
      await this.#runMembers(outcomes);
      this.#engine.commit();
    } catch (cause) {
      return this.#abandon(outcomes, cause);
    }
    try {
      const durable = this.#engine.durable?.();
      // Listeners work while the disk does.
      for (const outcome of outcomes) if ('tx' in outcome) outcome.tx.written();
      await durable;
    } catch (cause) {
      return this.#doubt(outcomes, cause);
    }
    for (const outcome of outcomes) settle(outcome);
  }

  async #runMembers(outcomes: Outcome[]): Promise<void> {
    const started = performance.now();
    do {
      await this.#runMember(this.#queue.shift() as Member, outcomes);
    } while (this.#hasMember() && outcomes.length < GROUP_LIMIT && performance.now() - started < GROUP_MILLIS);
  }

  #hasMember(): boolean {
    return this.#queue.length > 0 && 'work' in this.#queue[0]!;
  }

  /**
   * Throws when the whole group fails; the member is among the outcomes by then. The first member needs no savepoint,
   * because its failure may roll back the whole group.
   */
  async #runMember(member: Member, outcomes: Outcome[]): Promise<void> {
    const tx = new OpenTransaction(this.#engine, this.#keys);
    const isFirst = outcomes.length === 0;
    const outcome = await this.#work(member, tx, isFirst);
    outcomes.push(outcome);
    if (tx.failure !== undefined) this.#failed = true;
    if (tx.failure !== undefined && !this.#engine.inTransaction()) throw tx.failure;
    if (isFirst) {
      if ('error' in outcome) this.#beginAgain();
      return;
    }
    if ('error' in outcome) this.#engine.exec('ROLLBACK TO member');
    this.#engine.exec('RELEASE member');
  }

  #beginAgain(): void {
    this.#engine.exec('ROLLBACK');
    this.#engine.exec('BEGIN IMMEDIATE');
  }

  async #work(member: Member, tx: OpenTransaction, isFirst: boolean): Promise<Outcome> {
    const inside = { open: true };
    try {
      if (!isFirst) this.#engine.exec('SAVEPOINT member');
      const value = await member.inContext(() => this.#inside.run(inside, () => member.work(tx)));
      return tx.failure === undefined ? { member, value, tx } : { member, error: tx.failure };
    } catch (error) {
      return { member, error: tx.failure ?? error };
    } finally {
      inside.open = false;
      tx.end();
    }
  }

  /** The group is written, but a power failure may undo it, so it is acknowledged to no caller. */
  #doubt(outcomes: readonly Outcome[], cause: unknown): void {
    this.#failed = true;
    const error = new ServiceError('unavailable',
      `the disk did not confirm the transaction, which may be written or not: ${reasonOf(cause)}`, { cause });
    for (const { member } of outcomes) member.reject(error);
  }

  /** Nothing of the group was written. If it could not even begin, the queued work cannot either. */
  #abandon(outcomes: readonly Outcome[], cause: unknown): void {
    this.#failed = true;
    this.#engine.recover();
    const error = cause instanceof ServiceError ? cause : commitError(cause);
    for (const { member } of outcomes) member.reject(error);
    while (outcomes.length === 0 && this.#hasMember()) this.#queue.shift()!.reject(error);
  }
}

function settle(outcome: Outcome): void {
  if ('error' in outcome) return outcome.member.reject(outcome.error);
  outcome.tx.committed();
  outcome.member.resolve(outcome.value);
}

function commitError(cause: unknown): ServiceError {
  return new ServiceError('unavailable', `the transaction could not be committed: ${reasonOf(cause)}`, { cause });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/**
 * A write that checks whether a writer that failed works again. It needs new pages and a commit, so that a disk that is
 * still full is noticed, and leaves nothing behind.
 */
export async function probe(tx: Transaction): Promise<void> {
  await tx.run('CREATE TABLE quire_health_probe(payload BLOB)');
  await tx.run('INSERT INTO quire_health_probe VALUES (zeroblob(16384))');
  await tx.run('DROP TABLE quire_health_probe');
}
