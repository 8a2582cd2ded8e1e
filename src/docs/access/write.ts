import { ServiceError } from '../../errors/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ChangeFeed, ChangeKind, Sql, Transaction } from '../../storage/index.ts';
import type { Accounts } from './accounts.ts';
import { hasAdmin } from './rows/user-rows.ts';

export interface AccessStore {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly accounts: Accounts;
}

/**
 * Runs one change in one transaction, which also appends it to the feed; the change takes effect when it commits. `key` names what changed
 * and is not confidential.
 */
export function write<T>({ sql, feed, accounts }: AccessStore, kind: ChangeKind, key: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return sql.transaction(async (tx) => {
    const result = await work(tx);
    await feed.append(tx, [{ kind, collection: '', key }]);
    tx.onCommit(() => accounts.forget());
    return result;
  });
}

/** Rolls back a change that would leave no administrator; `what` completes the error message. */
export async function requireAdmin(tx: Transaction, what: string): Promise<void> {
  if (!(await hasAdmin(tx))) throw new ServiceError('invalid_argument', `the last administrator can't ${what}`);
}

/** Throws if the maximum number is reached. */
export function requireRoom(count: number, limit: number, what: string): void {
  if (count >= limit) throw new ServiceError('invalid_argument', `at most ${limit} ${what} are kept`);
}

export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `not found: ${what}`);
}
