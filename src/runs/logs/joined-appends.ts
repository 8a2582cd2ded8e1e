import { ServiceError } from '../../errors/index.ts';
import type { Sql, Transaction } from '../../storage/index.ts';
import type { RunRef } from '../queue/port.ts';
import type { AppendAnswer, ShipLine } from './port.ts';

/** Most calls that are written in one transaction. */
const BATCH = 64;

/** Codes of the store itself: no call can be written. */
const STORE_DOWN: ReadonlySet<string> = new Set(['unavailable', 'busy']);

/** Lines that a ship sends by one call. */
export interface Append {
  readonly ref: RunRef;
  readonly shipId: string;
  readonly firstSeq: number;
  readonly lines: readonly ShipLine[];
  /** The ship leaves lines out of this log. */
  readonly cut: boolean;
}

interface Waiting {
  readonly append: Append;
  readonly resolve: (answer: AppendAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes calls with few lines together: one transaction at a time, with all calls for different attempts that have
 * arrived during the one before it. So the number of commits and statements for each call decreases as the load grows,
 * and a single call waits for nothing. A call is answered once its transaction is committed.
 */
export class JoinedAppends {
  readonly #sql: Pick<Sql, 'transaction'>;
  readonly #write: (tx: Transaction, appends: readonly Append[]) => Promise<AppendAnswer[]>;
  #waiting: Waiting[] = [];
  #isWorking = false;

  constructor(sql: Pick<Sql, 'transaction'>,
    write: (tx: Transaction, appends: readonly Append[]) => Promise<AppendAnswer[]>)
  {
    this.#sql = sql;
    this.#write = write;
  }

  add(append: Append): Promise<AppendAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      if (!this.#isWorking) void this.#work();
    });
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) await this.#store(this.#take());
    this.#isWorking = false;
  }

  /** The first calls; a call for an attempt that one of them concerns waits. */
  #take(): Waiting[] {
    const batch: Waiting[] = [];
    const attempts = new Set<string>();
    const rest: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const { runId, attempt } = waiting.append.ref;
      const key = `${runId}.${attempt}`;
      if (batch.length >= BATCH || attempts.has(key)) {
        rest.push(waiting);
        continue;
      }
      attempts.add(key);
      batch.push(waiting);
    }
    this.#waiting = rest;
    return batch;
  }

  /** A call that cannot be written must not reject the others; a store that is unavailable rejects all. */
  async #store(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#sql.transaction((tx) => this.#write(tx, batch.map(({ append }) => append)));
      batch.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      if (batch.length === 1 || (error instanceof ServiceError && STORE_DOWN.has(error.code))) {
        for (const { reject } of batch) reject(error);
      } else for (const waiting of batch) await this.#store([waiting]);
    }
  }
}
