import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { type Backoff, backoffDelay } from '../../lib/clock.ts';
import { closedError } from '../failures.ts';
import type { Queries, Row, SqlValue, Transaction } from '../port.ts';
import { leave } from './connections.ts';
import { commitDoubt, isLost, translate } from './failures.ts';
import { type OpenRows, PostgresTransaction, settled } from './postgres-transaction.ts';
import { inOneWrite, type Statements } from './statements.ts';

/** A database that cannot be reached is tried again for so long before `unavailable` is told. */
const RECONNECT_MS = 5000;
const LOST_AGAIN: Backoff = { initial: 10, max: 500 };

/** Waits between tries, longer each time, until it has waited long enough. */
export class ReconnectBudget {
  readonly #until = performance.now() + RECONNECT_MS;
  #failures = 0;

  async allows(): Promise<boolean> {
    const pause = backoffDelay(++this.#failures, LOST_AGAIN);
    if (performance.now() + pause > this.#until) return false;
    await setTimeout(pause);
    return true;
  }
}

/** A turn ends after this many members or milliseconds, whichever is first, because other processes wait for it. */
const TURN_LIMIT = 512;
const TURN_MILLIS = 20;

/** One writer per schema, across all processes; those that share their turn wait, too. */
const TAKE_TURN = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':turn', 3)) IS NULL AS done";

/**
 * Many writers of documents per schema, while nobody has the whole turn, and one of them per collection. The locks are
 * taken in the order of the list.
 */
const SHARE_TURN =
  "SELECT count(CASE name WHEN ':turn' THEN pg_advisory_xact_lock_shared(key) ELSE pg_advisory_xact_lock(key) END) " +
  'FROM (SELECT name, hashtextextended(current_schema() || name, 3) AS key FROM unnest($1::text[]) AS name) AS names';

interface Member {
  readonly work: (tx: Transaction) => Promise<unknown>;
  /** See `TransactionOptions`. */
  readonly collections: (() => readonly string[]) | undefined;
  /** Runs a function in the asynchronous context of the caller. */
  readonly inContext: <T>(run: () => T) => T;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly member: Member; readonly error: unknown } | { readonly member: Member;
  readonly value: unknown; readonly tx: PostgresTransaction };

interface Turn {
  readonly client: PoolClient;
  readonly outcomes: Outcome[];
  /** The only transaction of a turn that is shared with other processes. */
  readonly sharer: Member | undefined;
  /** The commit, if it was sent before the results of the statements arrived. */
  commit?: Promise<QueryResult>;
}

interface TurnWriterOptions {
  readonly pool: Pool;
  readonly statements: Statements;
  /** See `PostgresTransaction`. */
  readonly opened?: OpenRows | undefined;
}

/**
 * Writers of several processes that take turns: only the holder of the advisory lock writes, until its commit. The
 * transactions that wait in this process share a turn and its commit, each in a savepoint of its own, so that for
 * callers the database has one writer, as with SQLite. Every outcome waits for the commit, as in `Writer`.
 *
 * A transaction that names its collections has a turn to itself, which it shares with those of other processes for
 * other collections; whoever appends to the change feed locks it until the commit (`Transaction.isShared`).
 *
 * A work runs once: if its connection is lost, it is rejected with `unavailable`. Only the wait for a turn is repeated.
 */
export class TurnWriter {
  readonly #options: TurnWriterOptions;
  readonly #queue: Member[] = [];
  readonly #inside = new AsyncLocalStorage<{ open: boolean }>();
  #onTurn: ((queries: Queries) => Promise<void>) | undefined;
  #draining: Promise<void> | undefined;
  #closed = false;

  constructor(options: TurnWriterOptions) {
    this.#options = options;
  }

  /** See `Sql.onTurn`. */
  set onTurn(listener: (queries: Queries) => Promise<void>) {
    this.#onTurn = listener;
  }

  /** `collections`: see `TransactionOptions`. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, collections?: () => readonly string[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.refuseInside();
      if (this.#closed) throw closedError();
      this.#queue.push({
        work,
        collections,
        inContext: AsyncLocalStorage.snapshot(),
        resolve: resolve as (value: unknown) => void,
        reject,
      });
      this.#draining ??= this.#inside.exit(() => this.#drain());
    });
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

  /**
   * Never rejects. Yields before each turn, so that transactions that arrive in one iteration of the event loop share
   * it.
   */
  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await setImmediate();
      await this.#runTurn();
    }
    this.#draining = undefined;
  }

  async #runTurn(): Promise<void> {
    const sharer = this.#queue[0]!.collections === undefined ? undefined : this.#queue.shift();
    let client: PoolClient;
    try {
      client = await this.#begin(sharer?.collections!());
    } catch (error) {
      sharer?.reject(error);
      for (const { reject } of this.#queue.splice(0)) reject(error);
      return;
    }
    const turn: Turn = { client, outcomes: [], sharer };
    try {
      await this.#runMembers(turn);
    } catch (error) {
      await leave(client, isLost(error));
      rejectAll(turn, turn.commit === undefined ? translate(error) : commitDoubt(error));
      return;
    }
    try {
      await commit(turn);
    } catch (cause) {
      await leave(client, isLost(cause));
      rejectAll(turn, isLost(cause) ? commitDoubt(cause) : translate(cause));
      return;
    }
    client.release();
    for (const outcome of turn.outcomes) settle(outcome);
  }

  /**
   * Returns a connection that has the turn, or shares it and has some collections. No work has begun, so a connection
   * that is lost meanwhile costs only time.
   */
  async #begin(collections?: readonly string[]): Promise<PoolClient> {
    const budget = new ReconnectBudget();
    for (;;) {
      let client: PoolClient | undefined;
      try {
        client = await this.#options.pool.connect();
        inOneWrite(client);
        // In one round trip; the listener's first statement runs once the lock is held.
        await settled<unknown>([client.query('BEGIN ISOLATION LEVEL READ COMMITTED'),
          collections === undefined ? client.query(TAKE_TURN) : shareTurn(client, collections),
          this.#onTurn?.(this.#queriesOf(client)) ?? Promise.resolve()]);
        return client;
      } catch (error) {
        if (client !== undefined) await leave(client, isLost(error));
        if (!isLost(error) || !await budget.allows()) throw translate(error);
      }
    }
  }

  #queriesOf(client: PoolClient): Queries {
    const all = async (sql: string, params: readonly SqlValue[] = []): Promise<Row[]> =>
      (await this.#options.statements.query(client, sql, params)).rows;
    return { all: all as Queries['all'], get: (async (sql, params) => (await all(sql, params))[0]) as Queries['get'] };
  }

  /**
   * A transaction that waits alone needs no savepoint: if it fails, so does the turn. Those that come later have the
   * next turn.
   */
  async #runMembers(turn: Turn): Promise<void> {
    if (turn.sharer !== undefined) return this.#runAlone(turn, turn.sharer);
    if (this.#queue.length === 1) return this.#runAlone(turn, this.#queue.shift()!);
    const started = performance.now();
    do {
      await this.#runMember(turn, this.#queue.shift()!);
    } while (this.#queue.length > 0 && turn.outcomes.length < TURN_LIMIT && performance.now() - started < TURN_MILLIS);
  }

  /** Only this transaction can send its commit with its last statements, because no other one follows in the turn. */
  async #runAlone(turn: Turn, member: Member): Promise<void> {
    const { client, outcomes } = turn;
    const commit = (): void => {
      turn.commit = client.query('COMMIT');
      turn.commit.catch(() => undefined); // it is awaited after the statements
    };
    const tx = new PostgresTransaction(client, this.#options.statements, {
      opened: this.#options.opened,
      commit,
      isShared: turn.sharer && true,
    });
    const outcome = await this.#work(member, tx);
    outcomes.push(outcome);
    if (tx.failure !== undefined && isLost(tx.failure.error)) throw tx.failure.error as Error;
    if ('error' in outcome && turn.commit === undefined) await client.query('ROLLBACK');
  }

  /** Throws when the whole turn fails; the member is among the outcomes by then. */
  async #runMember({ client, outcomes }: Turn, member: Member): Promise<void> {
    const tx = new PostgresTransaction(client, this.#options.statements, {
      begin: 'SAVEPOINT member',
      opened: this.#options.opened,
    });
    const outcome = await this.#work(member, tx);
    outcomes.push(outcome);
    if (tx.failure !== undefined && isLost(tx.failure.error)) throw tx.failure.error as Error;
    if (!tx.hasBegun) return;
    if ('error' in outcome) await Promise.all([client.query('ROLLBACK TO member'), client.query('RELEASE member')]);
    else await client.query('RELEASE member');
  }

  async #work(member: Member, tx: PostgresTransaction): Promise<Outcome> {
    const inside = { open: true };
    try {
      const value = await member.inContext(() => this.#inside.run(inside, () => member.work(tx)));
      return tx.failure === undefined ? { member, value, tx } : { member, error: translate(tx.failure.error) };
    } catch (error) {
      return { member, error };
    } finally {
      inside.open = false;
      tx.end();
    }
  }
}

/** In one order, so that processes never wait for each other in a circle. */
function shareTurn(client: PoolClient, collections: readonly string[]): Promise<QueryResult> {
  const names = [...new Set(collections)].sort().map((name) => `:collection:${name}`);
  return client.query({ name: 'share-turn', text: SHARE_TURN, values: [[':turn', ...names]] });
}

/** PostgreSQL confirms the commit of a transaction in which a statement has failed as a rollback. */
async function commit({ client, outcomes, commit: sent }: Turn): Promise<void> {
  const { command } = await (sent ?? client.query('COMMIT'));
  if (command !== 'COMMIT' && outcomes.some((outcome) => 'value' in outcome))
    throw new Error(`the database ended the transaction by ${command}`);
}

function rejectAll({ outcomes }: Turn, error: unknown): void {
  for (const { member } of outcomes) member.reject(error);
}

function settle(outcome: Outcome): void {
  if ('error' in outcome) return outcome.member.reject(outcome.error);
  outcome.tx.committed();
  outcome.member.resolve(outcome.value);
}
