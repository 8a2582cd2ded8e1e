import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../errors/index.ts';
import type { Sql, SqlValue, Transaction } from '../storage/port.ts';

/** Opens an empty database of the driver under test; `folder` is fresh and removed afterwards. */
export type OpenDriver = (folder: string) => Promise<Sql>;

export interface DriverTraits {
  /**
   * Several processes may have the database open: transactions run concurrently, and its files belong to the server.
   */
  readonly shared?: boolean;
}

/** The contract of every driver of the SQL port (design, section 4). */
export function storageSuite(name: string, open: OpenDriver, { shared = false }: DriverTraits = {}): void {
  describe(`${name}: the SQL port`, () => {
    let folder: string;
    let sql: Sql;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'quire-storage-'));
      sql = await open(folder);
      await sql.transaction((tx) =>
        tx.run('CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT UNIQUE, n INTEGER, r REAL, b BLOB)')
      );
    });
    afterEach(async () => {
      await sql.close();
      await rm(folder, { recursive: true, force: true });
    });

    const count = async () => Number((await sql.get('SELECT count(*) AS n FROM t'))!.n);
    const values = async () => (await sql.all('SELECT v FROM t ORDER BY id')).map((row) => row.v);
    const insert = (tx: Transaction, v: string) => tx.run('INSERT INTO t(v) VALUES (?)', [v]);
    const fill = (rows: number) =>
      sql.transaction((tx) =>
        tx.runMany('INSERT INTO t(v, n) VALUES (?, ?)', Array.from({ length: rows }, (_, i) => [`v${i}`, i]))
      );

    describe('values', () => {
      const columnOf = (value: SqlValue) => {
        if (typeof value === 'string') return 'v';
        if (typeof value === 'object') return 'b';
        return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'n' : 'r';
      };
      const roundTrip = async (value: SqlValue) => {
        const column = columnOf(value);
        await sql.transaction((tx) => tx.run(`INSERT INTO t(id, ${column}) VALUES (1, ?)`, [value]));
        return (await sql.get(`SELECT ${column} AS found FROM t`))!.found;
      };

      it.each(
        [['text', 'Zürich 🧭'], ['empty text', ''], ['text with control characters', '\u0000a\u0001\u00010'], ['null',
          null], ['a small integer', -7], ['a large integer', 1_700_000_000_123], ['the largest number',
          Number.MAX_SAFE_INTEGER], ['a bigint', 2n ** 63n - 1n], ['a negative bigint', -(2n ** 63n)], ['a double',
          0.1], ['a very large double', 1e300], ['bytes', new Uint8Array([0, 1, 255])], ['no bytes',
          new Uint8Array(0)]] as [string, SqlValue][],
      )('returns %s as it was', async (_, value) => {
        const found = await roundTrip(value);
        expect(found instanceof Uint8Array ? Uint8Array.from(found) : found).toEqual(value);
      });

      it('returns a bigint within ±(2^53 - 1) as a number', async () => {
        expect(await roundTrip(42n)).toBe(42);
      });

      // A server with its own types determines them from the columns.
      it.skipIf(shared)('binds integers as integers, whatever their size', async () => {
        const row = await sql.get('SELECT 5 / ? AS a, typeof(?) AS b, typeof(?) AS c', [2, 2 ** 40, 2n ** 60n]);
        expect(row).toEqual({ a: 2, b: 'integer', c: 'integer' });
      });

      it('reads exact integers inside a transaction, in the background and in a stream', async () => {
        await fill(3);
        const big = 2n ** 60n + 1n;
        const inside = await sql.transaction((tx) => tx.get('UPDATE t SET n = ? WHERE id = 2 RETURNING n, id', [big]));
        expect(inside).toEqual({ n: big, id: 2 });
        expect(await sql.background.all('SELECT n FROM t ORDER BY id')).toEqual([{ n: 0 }, { n: big }, { n: 2 }]);
        for await (const rows of sql.stream('SELECT n FROM t ORDER BY id'))
          expect(rows).toEqual([{ n: 0 }, { n: big }, { n: 2 }]);
      });

      it('returns plain objects', async () => {
        expect(Object.getPrototypeOf(await sql.get('SELECT 1 AS one'))).toBe(Object.prototype);
        expect(await sql.get('SELECT 1 AS one WHERE 1 = 0')).toBeUndefined();
      });

      it('knows whether a property of JSON is true, whatever characters the others have', async () => {
        const texts = ['\0', 'a\0b', '\u0001', String.raw`\u0000`, String.raw`\\\u0000`, '"', 'ß'];
        await sql.transaction(async (tx) => {
          await tx.run('CREATE TABLE settings(id INTEGER PRIMARY KEY, config TEXT) STRICT');
          for (const [id, text] of texts.entries())
            await tx.run('INSERT INTO settings(id, config) VALUES (?, ?)', [id,
              JSON.stringify({ [text]: text, isOn: id !== 2 })]);
        });
        const rows = await sql.all("SELECT id FROM settings WHERE config ->> '$.isOn' = 1 ORDER BY id");
        expect(rows.map(({ id }) => id)).toEqual([0, 1, 3, 4, 5, 6]);
      });

      it('does not take a ? in a literal or comment for a placeholder', async () => {
        expect(await sql.get(`SELECT '?''?' AS "a?", CAST(? AS INTEGER) AS b -- ?\n/* ? */`, [1])).toEqual({
          'a?': "?'?",
          b: 1,
        });
      });

      it('refuses a wrong count of parameters and values without an SQL form', async () => {
        await expect(sql.get('SELECT ?', [])).rejects.toThrow('takes 1 parameters, got 0');
        await expect(sql.get('SELECT ?', [1, 2])).rejects.toThrow('takes 1 parameters, got 2');
        await expect(sql.get('SELECT ?', [undefined as unknown as null])).rejects.toThrow('no SQL form');
        await expect(sql.get('SELECT ?', [NaN])).rejects.toThrow('no SQL form');
      });
    });

    describe('transactions', () => {
      it('returns what the work returns, and counts changed rows', async () => {
        expect(await sql.transaction(async (tx) => (await insert(tx, 'a')).changes)).toBe(1);
        expect((await fill(10)).changes).toBe(10);
        expect(await sql.transaction((tx) => tx.run('CREATE TABLE other(a TEXT)'))).toEqual({ changes: 0 });
        expect(await sql.transaction((tx) => tx.run('DELETE FROM t WHERE n >= ?', [5]))).toEqual({ changes: 5 });
      });

      it('sees its own writes; nobody else sees them before the commit', async () => {
        const reached = Promise.withResolvers<void>();
        const go = Promise.withResolvers<void>();
        const writing = sql.transaction(async (tx) => {
          await insert(tx, 'a');
          reached.resolve();
          await go.promise;
          return tx.all('SELECT v FROM t');
        });
        await reached.promise;
        const reading = values();
        const streaming = Array.fromAsync(sql.stream('SELECT v FROM t'));
        if (sql.info.driver !== 'sql.js') expect([await reading, await streaming]).toEqual([[], []]);
        go.resolve();
        expect(await writing).toEqual([{ v: 'a' }]);
        await Promise.all([reading, streaming]);
        expect(await values()).toEqual(['a']);
      });

      it('undoes all of a failed work and nothing of its neighbours', async () => {
        const outcomes = await Promise.allSettled([sql.transaction((tx) => insert(tx, 'a')),
          sql.transaction(async (tx) => {
            await insert(tx, 'b');
            throw new RangeError('no');
          }), sql.transaction((tx) => insert(tx, 'c'))]);
        expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect((outcomes[1] as PromiseRejectedResult).reason).toBeInstanceOf(RangeError);
        // Where transactions run concurrently, either may have the first number.
        const found = await values();
        expect(shared ? found.toSorted() : found).toEqual(['a', 'c']);
      });

      it('undoes a work that throws before it returns a promise', async () => {
        await expect(sql.transaction(() => {
          throw new Error('early');
        })).rejects.toThrow('early');
        expect(await sql.healthy()).toBe(true);
      });

      it('rejects a broken constraint with a plain error', async () => {
        await sql.transaction((tx) => insert(tx, 'a'));
        const clash = sql.transaction((tx) => insert(tx, 'a'));
        await expect(clash).rejects.toThrow(/unique/i);
        await expect(clash).rejects.not.toBeInstanceOf(ServiceError);
        expect(await values()).toEqual(['a']);
      });

      it.skipIf(shared)('lets the work catch a broken constraint and go on', async () => {
        await sql.transaction((tx) => insert(tx, 'a'));
        await sql.transaction((tx) => insert(tx, 'a').catch(() => insert(tx, 'b')));
        expect(await values()).toEqual(['a', 'b']);
      });

      it('ignores or keeps locks of rows and names, and knows both isolations', async () => {
        await fill(3);
        const locked = await sql.transaction(async (tx) => {
          await tx.lock('a name');
          return tx.all('SELECT n FROM t WHERE n > ? ORDER BY n LIMIT 1 FOR UPDATE SKIP LOCKED', [0]);
        }, { isolation: 'read committed' });
        expect(locked).toEqual([{ n: 1 }]);
        expect(await sql.transaction((tx) => tx.get('SELECT n FROM t WHERE id = ? FOR UPDATE', [1]))).toEqual({ n: 0 });
        expect(await sql.transaction((tx) => tx.get('SELECT n FROM t WHERE id = ? FOR KEY SHARE', [2]))).toEqual({
          n: 1,
        });
      });

      it.skipIf(shared)('runs them one at a time, in the order of the calls', async () => {
        let running = 0;
        const order: number[] = [];
        await Promise.all(Array.from({ length: 50 }, (_, i) =>
          sql.transaction(async (tx) => {
            expect(++running).toBe(1);
            const before = (await tx.get<{ n: number }>('SELECT count(*) AS n FROM t'))!.n;
            await insert(tx, `v${before}`);
            order.push(i);
            running--;
          })));
        expect(order).toEqual(Array.from({ length: 50 }, (_, i) => i));
        expect(await values()).toEqual(order.map((i) => `v${i}`));
      });

      it.skipIf(shared)('resolves members of a group in order, each once its writes can be read', async () => {
        const seen: string[] = [];
        await Promise.all(['a', 'b', 'c'].map(async (v) => {
          await sql.transaction((tx) => insert(tx, v));
          expect(await values()).toContain(v);
          seen.push(v);
        }));
        expect(seen).toEqual(['a', 'b', 'c']);
      });

      it('takes more transactions at once than one group holds', async () => {
        await Promise.all(Array.from({ length: 1500 }, (_, i) => sql.transaction((tx) => insert(tx, `v${i}`))));
        expect(await count()).toBe(1500);
      });

      it('refuses the transaction after its end, and control statements within it', async () => {
        const kept = await sql.transaction(async (tx) => tx);
        await expect(kept.run('DELETE FROM t')).rejects.toThrow('the transaction has ended');
        await expect(sql.transaction((tx) => tx.run('COMMIT'))).rejects.toThrow('not allowed inside a transaction');
        await expect(sql.transaction((tx) => tx.run('  rollback'))).rejects.toThrow('not allowed inside a transaction');
      });

      it('refuses to wait for itself', async () => {
        const inside = 'inside a transaction only the transaction itself may be used';
        await expect(sql.transaction(() => sql.all('SELECT 1'))).rejects.toThrow(inside);
        await expect(sql.transaction(() => sql.transaction(async () => 1))).rejects.toThrow(inside);
        await expect(sql.transaction(() => sql.background.get('SELECT 1'))).rejects.toThrow(inside);
        await expect(sql.transaction(() => Array.fromAsync(sql.stream('SELECT 1')))).rejects.toThrow(inside);
        await sql.transaction(async () => {}).then(() => sql.all('SELECT 1'));
      });

      it('keeps foreign keys', async () => {
        await sql.transaction((tx) => tx.run('CREATE TABLE child(t INTEGER NOT NULL REFERENCES t(id))'));
        await expect(sql.transaction((tx) => tx.run('INSERT INTO child VALUES (99)'))).rejects.toThrow(/foreign key/i);
      });

      it('sees a new column in a statement that was used before', async () => {
        await fill(1);
        expect(Object.keys((await sql.get('SELECT * FROM t'))!)).toHaveLength(5);
        expect(Object.keys((await sql.background.get('SELECT * FROM t'))!)).toHaveLength(5);
        await sql.transaction((tx) => tx.run('ALTER TABLE t ADD COLUMN extra TEXT'));
        expect(Object.keys((await sql.get('SELECT * FROM t'))!)).toHaveLength(6);
        expect(Object.keys((await sql.background.get('SELECT * FROM t'))!)).toHaveLength(6);
      });
    });

    describe('background and stream', () => {
      it('returns heavy reads as light ones', async () => {
        await fill(100);
        expect(await sql.background.all('SELECT * FROM t WHERE n > ?', [90])).toEqual(
          await sql.all('SELECT * FROM t WHERE n > ?', [90]),
        );
        expect(await sql.background.get('SELECT count(*) AS n FROM t')).toEqual({ n: 100 });
        expect(await sql.background.get('SELECT 1 AS n FROM t WHERE n < 0')).toBeUndefined();
        await expect(sql.background.all('SELECT a FROM nowhere')).rejects.toThrow(/nowhere/);
      });

      it('streams every row once, in batches of the asked size', async () => {
        await fill(1000);
        const sizes: number[] = [];
        const rows: unknown[] = [];
        for await (const batch of sql.stream('SELECT n FROM t ORDER BY n', [], { batch: 300 })) {
          sizes.push(batch.length);
          rows.push(...batch.map((row) => row.n));
        }
        expect(sizes).toEqual([300, 300, 300, 100]);
        expect(rows).toEqual(Array.from({ length: 1000 }, (_, i) => i));
        expect(await Array.fromAsync(sql.stream('SELECT 1 FROM t WHERE n < 0'))).toEqual([]);
      });

      it('streams one snapshot while others write', async () => {
        await fill(1000);
        let seen = 0;
        for await (const batch of sql.stream('SELECT n, v FROM t ORDER BY n', [], { batch: 100 })) {
          expect(batch.every((row) => row.v === `v${Number(row.n)}`)).toBe(true);
          seen += batch.length;
          await sql.transaction(async (tx) => {
            await tx.run('DELETE FROM t WHERE n < ?', [seen + 300]);
            await tx.run("UPDATE t SET v = 'changed' || id");
          });
        }
        expect(seen).toBe(1000);
      });

      it('lets a consumer stop early, or fail, and several streams run side by side', async () => {
        await fill(1000);
        for await (const batch of sql.stream('SELECT n FROM t', [], { batch: 10 })) if (batch.length > 0) break;
        const failing = async () => {
          for await (const batch of sql.stream('SELECT n FROM t', [], { batch: 10 }))
            throw new Error(`consumer ${batch.length}`);
        };
        await expect(failing()).rejects.toThrow('consumer 10');
        const both = await Promise.all(
          [1, 2].map(() => Array.fromAsync(sql.stream('SELECT n FROM t', [], { batch: 100 }))),
        );
        expect(both.map((batches) => batches.flat().length)).toEqual([1000, 1000]);
        await expect(Array.fromAsync(sql.stream('SELECT a FROM nowhere'))).rejects.toThrow(/nowhere/);
        await expect(Array.fromAsync(sql.stream('SELECT n FROM t', [], { batch: 0 }))).rejects.toThrow(
          'a batch has at least 1 row, got 0',
        );
      });
    });

    describe.skipIf(shared)('snapshot and replace', () => {
      it('copies a consistent state and takes it back', async () => {
        await fill(500);
        const file = join(folder, 'copy.db');
        const { sizeBytes } = await sql.snapshotTo(file);
        expect(sizeBytes).toBeGreaterThan(0);
        expect((await readdir(folder)).filter((entry) => entry.includes('.tmp'))).toEqual([]);
        await sql.transaction((tx) => tx.run('DROP TABLE t'));
        await sql.replaceFrom(file);
        expect(await count()).toBe(500);
        expect(await sql.background.get('SELECT count(*) AS n FROM t')).toEqual({ n: 500 });
        await sql.transaction((tx) => insert(tx, 'new'));
        expect(await count()).toBe(501);
      });

      it('waits for the transactions before it and holds those after it', async () => {
        const file = join(folder, 'copy.db');
        await sql.snapshotTo(file);
        const outcomes = [sql.transaction((tx) => insert(tx, 'before')), sql.replaceFrom(file),
          sql.transaction((tx) => insert(tx, 'after'))];
        await Promise.all(outcomes);
        expect(await values()).toEqual(['after']);
      });

      it('serves the previous content when the file is no database or absent', async () => {
        await fill(5);
        const broken = join(folder, 'broken.db');
        await writeFile(broken, 'not a database '.repeat(1000));
        await expect(sql.replaceFrom(broken)).rejects.toThrow();
        await expect(sql.replaceFrom(join(folder, 'absent.db'))).rejects.toThrow();
        expect(await count()).toBe(5);
        await sql.transaction((tx) => insert(tx, 'new'));
        expect(await sql.healthy()).toBe(true);
      });

      it('leaves nothing when the copy cannot be written', async () => {
        await expect(sql.snapshotTo(join(folder, 'absent', 'copy.db'))).rejects.toThrow();
        expect(await sql.healthy()).toBe(true);
      });
    });

    // Failures of a database server's own disk are not tested here; `postgres/driver.test.ts` tests a server that
    // fails.
    describe.skipIf(shared)('a medium that fails', () => {
      const full = async (tx: Transaction) => {
        const pages = Number((await tx.get('PRAGMA page_count'))!.page_count);
        await tx.run(`PRAGMA max_page_count = ${pages}`);
      };
      const large = (tx: Transaction) => tx.run('INSERT INTO t(b) VALUES (zeroblob(1000000))');

      it('returns unavailable when it is full, keeps what it had, and recovers', async () => {
        await sql.transaction((tx) => insert(tx, 'kept'));
        await sql.transaction(full);
        await expect(sql.transaction(large)).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('full'),
        });
        expect(await values()).toEqual(['kept']);
        expect(await sql.healthy()).toBe(false);
        await sql.transaction((tx) => tx.run('PRAGMA max_page_count = 1000000'));
        await sql.transaction(large);
        expect(await sql.healthy()).toBe(true);
        expect(await count()).toBe(2);
      });

      it('does not let a work that caught the failure write outside of its transaction', async () => {
        await sql.transaction(full);
        const stubborn = sql.transaction(async (tx) => {
          await large(tx).catch(() => undefined);
          await insert(tx, 'stray').catch(() => undefined);
        });
        await expect(stubborn).rejects.toMatchObject({ code: 'unavailable' });
        expect(await values()).toEqual([]);
      });
    });

    describe('closing', () => {
      it('finishes what was asked for, refuses what comes later, and may be repeated', async () => {
        const pending = [1, 2, 3].map((i) => sql.transaction((tx) => insert(tx, `v${i}`)));
        const closing = sql.close();
        await expect(sql.transaction((tx) => insert(tx, 'late'))).rejects.toMatchObject({ code: 'unavailable' });
        expect((await Promise.all(pending)).map(({ changes }) => changes)).toEqual([1, 1, 1]);
        await closing;
        await sql.close();
        for (const late of [sql.all('SELECT 1'), sql.background.all('SELECT 1'),
          Array.fromAsync(sql.stream('SELECT 1')), sql.replaceFrom('x')])
        {
          await expect(late).rejects.toMatchObject({ code: 'unavailable' });
        }
        expect(await sql.healthy()).toBe(false);
      });
    });

    it('reports its size', async () => {
      const before = await sql.sizeBytes();
      await sql.transaction((tx) => tx.run('INSERT INTO t(b) VALUES (?)', [randomBytes(1_000_000)]));
      expect((await sql.sizeBytes()) - before).toBeGreaterThan(900_000);
    });
  });
}
