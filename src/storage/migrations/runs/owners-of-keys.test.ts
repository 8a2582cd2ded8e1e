import { expect, it } from 'vitest';
import { openDatabase } from '../../open-database.ts';
import type { Row } from '../../port.ts';
import { migrate } from '../migrate.ts';
import { ownersOfKeys } from './0015-owners-of-keys.ts';
import { RUN_QUEUE_MIGRATIONS } from './index.ts';

it('keys that tokens have used before belong to these tokens', async () => {
  const sql = await openDatabase({ path: ':memory:' });
  const before = RUN_QUEUE_MIGRATIONS.filter(({ version }) => version < ownersOfKeys.version);
  await migrate(sql, before);
  const columns = (await sql.all<Row & { name: string; notnull: number }>('PRAGMA table_info(runs)')).filter((
    { name, notnull },
  ) => notnull === 1 && name !== 'seq').map(({ name }) => name);
  const origins = [null, '{"by":"api"}', '{"by":"token:ci"}', '{"by":"token:cd","schedule":"nightly"}', '{"by":null}'];
  await sql.transaction(async (tx) => {
    for (const [index, origin] of origins.entries()) {
      const values = columns.map((name) => (name === 'id' ? `run-${index}` : 0));
      await tx.run(
        `INSERT INTO runs(${[...columns, 'origin'].join(', ')}) VALUES (${[...columns, ''].map(() => '?').join(', ')})`,
        [...values, origin],
      );
    }
    // The last one belongs to a schedule, and the run of one key is gone.
    const keys = [...origins.map((_, index) => ['api', index]), ['api', 99], ['schedule', 2]];
    await tx.runMany(
      "INSERT INTO idempotency(space, key_hash, request_hash, run_id, expires_at) VALUES (?, ?, x'01', ?, 0)",
      keys.map(([space, run], index) => [space!, new Uint8Array([index]), `run-${run}`]),
    );
  });
  await migrate(sql, RUN_QUEUE_MIGRATIONS);
  expect(
    (await sql.all<Row & { space: string }>('SELECT space FROM idempotency ORDER BY key_hash')).map(({ space }) =>
      space
    ),
  ).toEqual(['api', 'api', 'token:ci', 'token:cd', 'api', 'api', 'schedule']);
  await sql.close();
});
