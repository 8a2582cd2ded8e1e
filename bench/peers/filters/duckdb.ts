import { DuckDBInstance, type DuckDBPreparedStatement, type DuckDBValue } from '@duckdb/node-api';
import type { FilterEngine } from './engine.ts';
import type { Ask, FilterJob } from './job.ts';

/** A table of the metadata in memory, with one thread; it has no full-text search. */
export async function makeDuckDb({ meta }: FilterJob): Promise<FilterEngine> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const db = await instance.connect();
  await db.run(`CREATE TABLE documents AS
    SELECT row_number() OVER () - 1 AS id, 'page-' || (row_number() OVER () - 1) AS key, *
    FROM read_csv('${meta.replaceAll("'", "''")}', delim = '\t', header = true, all_varchar = true, parallel = false)`);
  await db.run('ALTER TABLE documents ALTER day TYPE DATE; ALTER TABLE documents ALTER price TYPE INTEGER');
  const statements = new Map<string, DuckDBPreparedStatement>();
  const all = async (sql: string,
    ...values: readonly (string | number)[]): Promise<readonly (readonly DuckDBValue[])[]> =>
  {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, statement = await db.prepare(sql));
    for (const [i, value] of values.entries()) {
      if (typeof value === 'number') statement.bindInteger(i + 1, value);
      else statement.bindVarchar(i + 1, value);
    }
    return (await statement.runAndReadAll()).getRows();
  };
  const [counted] = await all('SELECT count(*) FROM documents');
  return {
    documents: Number(counted![0]),
    search: async (ask) => {
      if (ask.words !== undefined) return undefined;
      const { where, values } = conditionsOf(ask);
      const [found] = await all(`SELECT count(*) FROM documents ${where}`, ...values);
      const column = ask.facet ?? ask.histogram;
      if (column !== undefined)
        await all(
          `SELECT ${column}, count(*) AS matches FROM documents ${where} GROUP BY ${column} ORDER BY matches DESC ` +
            'LIMIT 400',
          ...values,
        );
      else await all(
          `SELECT key FROM documents ${where} ${
            ask.sort === undefined ? '' : `ORDER BY ${ask.sort} DESC`
          } LIMIT 10 OFFSET ?`,
          ...values,
          ask.offset ?? 0,
        );
      return Number(found![0]);
    },
  };
}

function conditionsOf({ filter, days }: Ask): { where: string; values: readonly string[] } {
  const conditions = [...(filter === undefined ? [] : [`${filter[0]} = ?`]),
    ...(days === undefined ? [] : ['day BETWEEN CAST(? AS DATE) AND CAST(? AS DATE)'])];
  return {
    where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`,
    values: [...(filter === undefined ? [] : [filter[1]]), ...(days ?? [])],
  };
}
