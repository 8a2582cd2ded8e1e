import { describe, expect, it } from 'vitest';
import { DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { Accounts } from './accounts.ts';
import { newTokenId } from './credentials/tokens.ts';
import { writeGrant } from './grants.ts';
import { removeUser, writeUser } from './user-rows.ts';

async function withAnn(): Promise<Sql> {
  const sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
  const ann = {
    username: 'ann',
    uid: newTokenId(),
    tokenId: newTokenId(),
    passwordHash: '',
    admin: false,
    disabled: false,
    mustChange: false,
    createdAt: 0,
  };
  await sql.transaction((tx) => writeUser(tx, ann));
  return sql;
}

/** Counts the reads, and runs `work` before the result of the next read is returned. */
function watched(sql: Sql): { sql: Sql; reads: () => number; during: (work: () => Promise<void>) => void } {
  let reads = 0;
  let next: (() => Promise<void>) | undefined;
  const get: Sql['get'] = async (...query) => {
    reads += 1;
    const answer = await sql.get(...query) as never;
    const work = next;
    next = undefined;
    await work?.();
    return answer;
  };
  return { sql: { ...sql, get, all: sql.all.bind(sql) } as Sql, reads: () => reads, during: (work) => (next = work) };
}

describe('the accounts that are remembered', () => {
  it('are read once, until something changes', async () => {
    const { sql, reads } = watched(await withAnn());
    const accounts = new Accounts(sql);
    for (let i = 0; i < 3; i++) expect(await accounts.account('ann')).toMatchObject({ username: 'ann', admin: false });
    expect(reads()).toBe(1);
    accounts.forget();
    await accounts.account('ann');
    expect(reads()).toBe(2);
  });

  it('do not cache unknown users: guessing fills no memory', async () => {
    const { sql, reads } = watched(await withAnn());
    const accounts = new Accounts(sql);
    for (let i = 0; i < 3; i++) expect(await accounts.account('nobody')).toBeUndefined();
    expect(reads()).toBe(3);
  });

  it('do not hold what was read before a change that was committed meanwhile', async () => {
    const real = await withAnn();
    const { sql, during } = watched(real);
    const accounts = new Accounts(sql);
    during(() =>
      real.transaction(async (tx) => {
        await removeUser(tx, 'ann');
        tx.onCommit(() => accounts.forget());
      })
    );
    await accounts.account('ann');
    expect(await accounts.account('ann')).toBeUndefined();
  });

  it('have the permissions of their groups, and learn of changes', async () => {
    const sql = await withAnn();
    const accounts = new Accounts(sql);
    let told = 0;
    accounts.onChange(() => (told += 1));
    await sql.transaction(async (tx) => {
      await tx.run("INSERT INTO group_members(group_name, username) VALUES ('g', 'ann')");
      await writeGrant(tx, 'group', 'g', { collection: '*', read: false, write: false, admin: true });
      tx.onCommit(() => accounts.forget());
    });
    expect(await accounts.account('ann')).toMatchObject({ admin: true });
    expect(told).toBe(1);
  });
});
