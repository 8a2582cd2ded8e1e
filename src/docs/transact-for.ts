import type { Standing } from '../operations/index.ts';
import type { Sql, Transaction } from '../storage/index.ts';

/**
 * Runs a transaction for a caller, whose permission is checked when the transaction begins: it may have waited for its
 * turn, and the handler for something else. Rejects with the reason if there is no permission any more; then nothing is
 * written. Without a caller, the work is the service's own.
 */
export async function transactFor<T>(sql: Pick<Sql, 'transaction'>, caller: Standing | undefined,
  work: (tx: Transaction) => Promise<T>): Promise<T>
{
  if (caller === undefined) return sql.transaction(work);
  for (;;) {
    await caller.requirePermission();
    // The transaction itself must not read accounts by another connection, so it ends if something has changed, and is
    // requested again.
    const outcome = await sql.transaction(async (tx) => (caller.isPermitted() ? { value: await work(tx) } : undefined));
    if (outcome !== undefined) return outcome.value;
  }
}
