import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../open-database.ts';
import type { Sql } from '../port.ts';
import { documents } from './0001-documents.ts';
import { DOCUMENT_MIGRATIONS } from './document-migrations.ts';
import { migrate } from './migrate.ts';

const clock = { now: () => 1_700_000_000_000 };

describe('the formats of the document service', () => {
  let sql: Sql;
  beforeEach(async () => {
    sql = await openDatabase({ path: ':memory:' });
  });
  afterEach(() => sql.close());

  it('follow each other over what is stored', async () => {
    await migrate(sql, [documents], clock);
    await sql.transaction((tx) => tx.run("INSERT INTO schemas(collection, schema) VALUES ('blog', '{}')"));
    expect(await migrate(sql, DOCUMENT_MIGRATIONS, clock)).toEqual({ from: 1, to: DOCUMENT_MIGRATIONS.length });
    expect(await sql.all('SELECT collection FROM schemas')).toEqual([{ collection: 'blog' }]);
  });

  it('add strict tables alone', async () => {
    await migrate(sql, DOCUMENT_MIGRATIONS, clock);
    const loose = await sql.all(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite\\_%' " +
        "ESCAPE '\\'",
    );
    expect(loose).toEqual([]);
  });

  it('are refused by an older build, whose filters would read what is gone (format 8)', async () => {
    await migrate(sql, DOCUMENT_MIGRATIONS.slice(0, 7), clock);
    expect(await migrate(sql, [documents], clock)).toMatchObject({ to: 7 });
    await migrate(sql, DOCUMENT_MIGRATIONS, clock);
    await expect(migrate(sql, DOCUMENT_MIGRATIONS.slice(0, 7), clock)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
