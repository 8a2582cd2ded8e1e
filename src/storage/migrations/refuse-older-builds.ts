import type { Transaction } from '../port.ts';

/**
 * Makes a format, by its name, one that a build which does not know it refuses: from now on such a build
 * would damage what is stored, where until now it could live with it.
 */
export async function refuseOlderBuilds(tx: Transaction, format: string): Promise<void> {
  await tx.run('UPDATE schema_version SET breaking = 1 WHERE name = ?', [format]);
}
