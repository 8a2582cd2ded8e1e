import type { Transaction } from '../port.ts';

/**
 * Marks a format, by its name, as breaking, so that builds which do not know it refuse the database: from now on such a
 * build would damage what is stored; until now it could use it.
 */
export async function refuseOlderBuilds(tx: Transaction, format: string): Promise<void> {
  await tx.run('UPDATE schema_version SET breaking = 1 WHERE name = ?', [format]);
}
