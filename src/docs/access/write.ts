import { ServiceError } from '../../errors/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Standing } from '../../operations/index.ts';
import type { ChangeFeed, ChangeKind, Queries, Sql, Transaction } from '../../storage/index.ts';
import { transactFor } from '../environment.ts';
import type { Accounts } from './accounts.ts';
import { hasAdmin, readUser, type StoredUser } from './user-rows.ts';

/** Maximum number of each kind; lists are returned whole. */
export const MAX_USERS = 100_000;
export const MAX_ROLES = 1000;
export const MAX_GROUPS = 10_000;
export const MAX_API_KEYS_OF_A_USER = 1000;
export const MAX_MCP_KEYS = 1000;

export interface AccessStore {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly accounts: Accounts;
}

/** What changed: the kind of the change, and a name that is not confidential. */
interface AccessChange {
  readonly kind: ChangeKind;
  readonly key: string;
  /** Whose permission is needed for it when it is made; absent for what the service does by itself. */
  readonly by?: Standing | undefined;
}

/** Runs one change in one transaction, which also appends it to the feed; the change takes effect when it commits. */
export function write<T>({ sql, feed, accounts }: AccessStore, { kind, key, by }: AccessChange,
  work: (tx: Transaction) => Promise<T>): Promise<T>
{
  return transactFor(sql, by, async (tx) => {
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

/** Throws `not_found` if there is no user of this name. */
export async function requireUser(queries: Queries, username: string): Promise<StoredUser> {
  const user = await readUser(queries, username);
  if (user === undefined) throw notFound(`user ${username}`);
  return user;
}
