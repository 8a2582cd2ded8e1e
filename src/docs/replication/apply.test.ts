import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Sql } from '../../storage/index.ts';
import { applyCommit, BadPatchset, createColumnsCache, Diverged, readPatchset, tablesOf } from './apply.ts';

const SCHEMA = [
  'CREATE TABLE parents(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, real REAL, bytes BLOB) STRICT',
  'CREATE TABLE children(a INTEGER NOT NULL, b TEXT NOT NULL, parent INTEGER REFERENCES parents(id) ON DELETE ' +
  'CASCADE, big INTEGER, PRIMARY KEY(b, a)) STRICT, WITHOUT ROWID',
];

let leader: DatabaseSync;
let follower: Sql;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-apply-'));
  leader = new DatabaseSync(':memory:');
  leader.exec(`PRAGMA foreign_keys = ON; ${SCHEMA.join(';')}`);
});
afterEach(async () => {
  leader.close();
  await follower.close();
  await rm(folder, { recursive: true, force: true });
});

async function openFollower(path: string): Promise<void> {
  follower = await openDatabase({ path });
  for (const statement of SCHEMA) await follower.transaction((tx) => tx.run(statement));
}

type Write = { sql: string; values: (string | number | bigint | null | Uint8Array)[] };

const id = fc.integer({ min: 1, max: 8 });
const name = fc.constantFrom('a', 'b', 'c', 'ü', '𝄞', 'x\u0000y');
const big = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(id, name, fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.option(fc.uint8Array({ maxLength: 300 }))).map(([...values]) => ({
      sql: 'INSERT OR REPLACE INTO parents VALUES (?, ?, ?, ?)',
      values,
    })),
  fc.tuple(fc.option(fc.uint8Array({ maxLength: 20 })), id).map(([...values]) => ({
    sql: 'UPDATE parents SET bytes = ? WHERE id = ?',
    values,
  })),
  fc.tuple(id, id).map(([...values]) => ({ sql: 'UPDATE OR IGNORE parents SET id = ? WHERE id = ?', values })),
  id.map((value) => ({ sql: 'DELETE FROM parents WHERE id = ?', values: [value] })),
  fc.tuple(id, name, id, fc.option(big)).map(([...values]) => ({
    sql: 'INSERT OR IGNORE INTO children SELECT ?1, ?2, id, ?4 FROM parents WHERE id = ?3',
    values,
  })),
  fc.tuple(fc.option(big), id).map(([...values]) => ({ sql: 'UPDATE children SET big = ? WHERE a = ?', values })),
);

/** Makes one commit, and returns its rows. */
function commit(writes: readonly Write[]): Buffer {
  const session = leader.createSession();
  leader.exec('BEGIN');
  for (const { sql, values } of writes) {
    try {
      leader.prepare(sql).run(...values);
    } catch (error) {
      if (!/FOREIGN KEY/.test(String(error))) throw error;
    }
  }
  const patchset = Buffer.from(session.patchset());
  session.close();
  leader.exec('COMMIT');
  return patchset;
}

async function contents(): Promise<[unknown, unknown]> {
  const queries = ['SELECT id, name, real, hex(bytes) AS bytes FROM parents ORDER BY id',
    'SELECT a, b, parent, CAST(big AS TEXT) AS big FROM children ORDER BY b, a'];
  const here = queries.map((sql) => leader.prepare(sql).all().map((row) => ({ ...row })));
  return [await Promise.all(queries.map((sql) => follower.all(sql))), here];
}

describe('rows of a commit, applied to a copy', () => {
  it.each(['sql.js', 'node:sqlite'])('make it equal again, whatever was written, with %s', async (driver) => {
    await openFollower(driver === 'sql.js' ? ':memory:' : join(folder, 'follower.db'));
    const columnsOf = createColumnsCache();
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(write, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 }),
        async (commits) => {
          leader.exec('DELETE FROM children; DELETE FROM parents; DELETE FROM sqlite_sequence');
          await follower.transaction(async (tx) => {
            for (const table of ['children', 'parents', 'sqlite_sequence']) await tx.run(`DELETE FROM ${table}`);
          });
          for (const writes of commits) {
            const patchset = commit(writes);
            try {
              await follower.transaction((tx) => applyCommit(tx, patchset, columnsOf));
            } catch (error) {
              // An exchange of values between rows is not possible row by row: then a follower takes a snapshot, and is
              // never wrong.
              expect(String(error)).toMatch(/UNIQUE constraint failed/);
              await follower.transaction(async (tx) => {
                await tx.run('DELETE FROM children');
                await tx.run('DELETE FROM parents');
                for (const row of leader.prepare('SELECT * FROM parents').all())
                  await tx.run('INSERT INTO parents VALUES (?, ?, ?, ?)', Object.values(row) as never);
                const children = leader.prepare('SELECT * FROM children');
                children.setReadBigInts(true);
                for (const row of children.all())
                  await tx.run('INSERT INTO children VALUES (?, ?, ?, ?)', Object.values(row) as never);
              });
            }
            const [there, here] = await contents();
            expect(there).toEqual(here);
            compared += 1;
          }
        }),
      { numRuns: 25 },
    );
    expect(compared).toBeGreaterThan(25);
  });

  it('are refused where the copy misses a row that changes', async () => {
    await openFollower(join(folder, 'follower.db'));
    commit([{ sql: 'INSERT INTO parents VALUES (?, ?, ?, ?)', values: [1, 'a', null, null] }]);
    const patchset = commit([{ sql: 'UPDATE parents SET name = ? WHERE id = ?', values: ['b', 1] }]);
    await expect(follower.transaction((tx) => applyCommit(tx, patchset, createColumnsCache()))).rejects.toThrow(
      Diverged,
    );
  });
});

describe('readPatchset', () => {
  it('refuses what is cut off, and never reads on', async () => {
    await openFollower(':memory:');
    const whole = commit([{
      sql: 'INSERT INTO parents VALUES (?, ?, ?, ?)',
      values: [1, 'a', 0.5, new Uint8Array(300)],
    }]);
    expect([...readPatchset(whole)]).toHaveLength(1);
    expect(tablesOf(whole)).toEqual({ changed: new Set(['parents']), deleted: new Set() });
    const lengths = Array.from({ length: whole.length - 1 }, (_, i) => i + 1);
    const accepted = lengths.filter((length) => {
      try {
        return [...readPatchset(whole.subarray(0, length))].length > 0;
      } catch (error) {
        if (error instanceof BadPatchset) return false;
        throw error;
      }
    });
    expect(accepted).toEqual([]);
  });
});
