import type { Sql } from '../storage/index.ts';

/** For tests: the next document that is added gets this ordinal. */
export function skipOrdinals(sql: Sql, next: number): Promise<void> {
  return sql.transaction(async (tx) => {
    if (sql.info.driver === 'postgres') {
      await tx.all("SELECT setval(pg_get_serial_sequence('documents', 'ord'), ?, false)", [next]);
      return;
    }
    await tx.run("DELETE FROM sqlite_sequence WHERE name = 'documents'");
    await tx.run("INSERT INTO sqlite_sequence(name, seq) VALUES ('documents', ?)", [next - 1]);
  });
}
