import type { Transaction } from './port.ts';

/**
 * A write that checks whether a writer that failed works again. It needs new pages and a commit, so that a disk that is
 * still full is noticed, and leaves nothing behind.
 */
export async function probe(tx: Transaction): Promise<void> {
  await tx.run('CREATE TABLE quire_health_probe(payload BLOB)');
  await tx.run('INSERT INTO quire_health_probe VALUES (zeroblob(16384))');
  await tx.run('DROP TABLE quire_health_probe');
}
