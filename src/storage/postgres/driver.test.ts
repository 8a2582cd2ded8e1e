import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../testkit/postgres-server.ts';
import { storageSuite } from '../../testkit/storage-suite.ts';
import { openPostgres } from '../open-database.ts';
import type { Sql, Transaction } from '../port.ts';
import { settled } from './postgres-transaction.ts';

describe.skipIf(WITHOUT_POSTGRES !== undefined)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  storageSuite('PostgreSQL', async () => openPostgres({ url: await server.createSchema(), pool: 10 }), {
    shared: true,
  });
  storageSuite('PostgreSQL in turns',
    async () => openPostgres({ url: await server.createSchema(), pool: 10, turns: true }), { shared: true });

  describe('writers that take turns', () => {
    async function twoInTurns(): Promise<[Sql, Sql]> {
      const url = await server.createSchema();
      const both: [Sql, Sql] = [await openPostgres({ url, pool: 4, turns: true }),
        await openPostgres({ url, pool: 4, turns: true })];
      await both[0].transaction((tx) => tx.run('CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT UNIQUE)'));
      return both;
    }
    /** Resolves when a process waits for its turn. */
    const waitingForLock = async (sql: Sql) => {
      while ((await sql.get<{ n: number }>(
        "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
      ))!.n === 0);
    };
    const numbers = async (sql: Sql) => (await sql.all('SELECT id FROM t ORDER BY id')).map(({ id }) => id);

    it('number rows without a gap from what is there, in two processes at once, and run each work once', async () => {
      const both = await twoInTurns();
      let runs = 0;
      const add = (sql: Sql) =>
        sql.transaction(async (tx) => {
          runs++;
          const { last } = (await tx.get<{ last: number | null }>('SELECT max(id) AS last FROM t'))!;
          await tx.run('INSERT INTO t(id) VALUES (?)', [(last ?? 0) + 1]);
        });
      await Promise.all(Array.from({ length: 60 }, (_, i) => add(both[i % 2]!)));
      expect(await numbers(both[0])).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
      expect(runs).toBe(60);
      await Promise.all(both.map((sql) => sql.close()));
    });

    it('undo a member that fails, and nothing of the others that share its turn', async () => {
      const [a, b] = await twoInTurns();
      const outcomes = await Promise.allSettled([1, 2, 3].map((id) =>
        a.transaction(async (tx) => {
          await tx.run("INSERT INTO t(id, v) VALUES (?, 'v' || CAST(? AS TEXT))", [id, id]);
          if (id === 2) throw new Error('no');
          if (id === 3) await tx.run("INSERT INTO t(id, v) VALUES (30, 'v1')").catch(() => undefined);
        })
      ));
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
      expect(await numbers(b)).toEqual([1]);
      await Promise.all([a.close(), b.close()]);
    });

    it('are notified of each turn before any work of it, and may read by snapshots then', async () => {
      const [a, b] = await twoInTurns();
      const seen: unknown[] = [];
      b.onTurn!(async (queries) => {
        seen.push(await queries.get('SELECT max(id) AS id FROM t'));
        await b.asReader!(async () => seen.push(await b.transaction((tx) => tx.all('SELECT id FROM t'))));
      });
      const [isWritten, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = a.transaction(async (tx) => {
        await tx.run('INSERT INTO t(id) VALUES (1)');
        isWritten.resolve();
        await mayEnd.promise;
      });
      await isWritten.promise;
      const second = b.transaction(async () => expect(seen).toEqual([{ id: 1 }, [{ id: 1 }]]));
      await waitingForLock(b);
      mayEnd.resolve();
      await Promise.all([first, second]);
      await Promise.all([a.close(), b.close()]);
    });

    it('let statements without a turn through while another process has the turn', async () => {
      const [a, b] = await twoInTurns();
      await a.transaction(async (tx) => {
        await tx.run('INSERT INTO t(id) VALUES (1)');
        expect(await b.withoutTurn!('INSERT INTO t(id, v) VALUES (?, ?) RETURNING id', [2, 'two'])).toEqual([{
          id: 2,
        }]);
        expect(await numbers(b)).toEqual([2]);
      });
      expect(await numbers(b)).toEqual([1, 2]);
      await Promise.all([a.close(), b.close()]);
    });

    describe('that are complete before their results arrive', () => {
      const insert = (tx: Transaction, id: number) => tx.run('INSERT INTO t(id) VALUES (?)', [id]);
      const complete = (sql: Sql, ...ids: number[]) =>
        sql.transaction(async (tx) => {
          const inserts = ids.map((id) => insert(tx, id));
          tx.complete!();
          return (await settled(inserts)).length;
        });

      it('are committed', async () => {
        const [a, b] = await twoInTurns();
        expect(await complete(a, 1, 2)).toBe(2);
        expect(await numbers(b)).toEqual([1, 2]);
        await Promise.all([a.close(), b.close()]);
      });

      it('write nothing when a statement fails, and leave the connection to the next turn', async () => {
        const [a, b] = await twoInTurns();
        await expect(complete(a, 1, 1, 2)).rejects.toThrow(/unique/i);
        await complete(a, 3);
        expect(await numbers(b)).toEqual([3]);
        await Promise.all([a.close(), b.close()]);
      });

      it('are refused when the work catches the failure of a statement', async () => {
        const [a, b] = await twoInTurns();
        await expect(a.transaction(async (tx) => {
          const [first, again] = [insert(tx, 1), insert(tx, 1)];
          tx.complete!();
          await Promise.allSettled([first, again]);
        })).rejects.toThrow(/unique/i);
        expect(await numbers(b)).toEqual([]);
        await Promise.all([a.close(), b.close()]);
      });

      it.each([['a statement', (tx: Transaction) => tx.run('INSERT INTO t(id) VALUES (?)', [NaN])], ['one of many rows',
        (tx: Transaction) => tx.runMany('INSERT INTO t(id) VALUES (?)', [[5], [NaN], [6]])], ['a query',
        (tx: Transaction) => tx.all('SELECT id FROM t WHERE id = ?', [])]])('write nothing when %s cannot be sent',
          async (_, wrong) => {
            const [a, b] = await twoInTurns();
            await expect(a.transaction(async (tx) => {
              const sent = [insert(tx, 1), wrong(tx), insert(tx, 2)];
              tx.complete!();
              await settled(sent as Promise<unknown>[]);
            })).rejects.toThrow(/parameter/);
            await complete(a, 3);
            expect(await numbers(b)).toEqual([3]);
            await Promise.all([a.close(), b.close()]);
          });

      it('send no other statement', async () => {
        const [a, b] = await twoInTurns();
        await a.transaction(async (tx) => {
          const inserted = insert(tx, 1);
          tx.complete!();
          await expect(insert(tx, 2)).rejects.toThrow('the transaction has ended');
          await inserted;
        });
        expect(await numbers(b)).toEqual([1]);
        await Promise.all([a.close(), b.close()]);
      });

      it('say that they may be written or not when the connection is lost', async () => {
        const [a, b] = await twoInTurns();
        await expect(a.transaction(async (tx) => {
          const cut = tx.all('SELECT pg_terminate_backend(pg_backend_pid())');
          tx.complete!();
          await cut;
        })).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('may be written or not') as string,
        });
        await complete(a, 1);
        expect(await numbers(b)).toEqual([1]);
        await Promise.all([a.close(), b.close()]);
      });
    });

    it('refuse the waiting transactions when what others have written cannot be read, and go on with the next turn', async () => {
      const [a, b] = await twoInTurns();
      let fails = true;
      a.onTurn!(async (queries) => void await queries.all(fails ? 'SELECT no FROM t' : 'SELECT id FROM t'));
      const add = (sql: Sql, id: number) => sql.transaction((tx) => tx.run('INSERT INTO t(id) VALUES (?)', [id]));
      expect((await Promise.allSettled([add(a, 1), add(a, 2)])).map(({ status }) => status)).toEqual(['rejected',
        'rejected']);
      fails = false;
      await Promise.all([add(a, 3), add(b, 4)]);
      expect(await numbers(b)).toEqual([3, 4]);
      await Promise.all([a.close(), b.close()]);
    });
  });

  /** The connections of two processes to one database, and a function that closes them. */
  async function two(): Promise<{ a: Sql; b: Sql; close: () => Promise<unknown> }> {
    const url = await server.createSchema();
    const [a, b] = [await openPostgres({ url, pool: 4 }), await openPostgres({ url, pool: 4 })];
    await a.transaction((tx) => tx.run('CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT UNIQUE, n INTEGER)'));
    return { a, b, close: () => Promise.all([a.close(), b.close()]) };
  }

  describe('transactions side by side', () => {
    it('lose no update, however many meet in one row', async () => {
      const { a, b, close } = await two();
      await a.transaction((tx) => tx.run('INSERT INTO t(id, n) VALUES (1, 0)'));
      await Promise.all(Array.from({ length: 40 }, (_, i) =>
        (i % 2 === 0 ? a : b).transaction(async (tx) => {
          const { n } = (await tx.get<{ n: number }>('SELECT n FROM t WHERE id = 1'))!;
          await tx.run('UPDATE t SET n = ? WHERE id = 1', [n + 1]);
        })));
      expect(await a.get('SELECT n FROM t')).toEqual({ n: 40 });
      await close();
    });

    it('do the work again for a reader that finds a row that it could not see', async () => {
      const { a, b, close } = await two();
      const made = await Promise.all([a, b, a, b].map((sql) =>
        sql.transaction(async (tx) => {
          const known = await tx.get<{ id: number }>("SELECT id FROM t WHERE v = 'one'");
          if (known !== undefined) return known.id;
          await tx.run("INSERT INTO t(v) VALUES ('one') ON CONFLICT(v) DO NOTHING");
          return (await tx.get<{ id: number }>("SELECT id FROM t WHERE v = 'one'"))!.id;
        })
      ));
      expect(new Set(made).size).toBe(1);
      await close();
    });

    it('undo each other rather than wait for ever', async () => {
      const { a, b, close } = await two();
      await a.transaction((tx) => tx.run('INSERT INTO t(id, n) VALUES (1, 0), (2, 0)'));
      const add = (sql: Sql, first: number, second: number) =>
        sql.transaction(async (tx) => {
          for (const id of [first, second]) await tx.run('UPDATE t SET n = n + 1 WHERE id = ?', [id]);
        }, { isolation: 'read committed' });
      await Promise.all([add(a, 1, 2), add(b, 2, 1), add(a, 2, 1), add(b, 1, 2)]);
      expect(await a.all('SELECT n FROM t ORDER BY id')).toEqual([{ n: 4 }, { n: 4 }]);
      await close();
    });

    it('have a name one after the other, and see what was committed under it', async () => {
      const { a, b, close } = await two();
      const limit = 3;
      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 === 0 ? a : b).transaction(async (tx) => {
            await tx.lock('the limit');
            const { n } = (await tx.get<{ n: number }>('SELECT count(*) AS n FROM t'))!;
            if (n < limit) await tx.run('INSERT INTO t(n) VALUES (?)', [i]);
            return n < limit;
          }, { isolation: 'read committed' })),
      );
      expect(taken.filter(Boolean)).toHaveLength(limit);
      await close();
    });

    it('are refused as a whole when the work catches the failure of a statement', async () => {
      const { a, close } = await two();
      const stubborn = a.transaction(async (tx) => {
        await tx.run("INSERT INTO t(v) VALUES ('a')");
        await tx.run("INSERT INTO t(v) VALUES ('a')").catch(() => undefined);
      });
      await expect(stubborn).rejects.toThrow(/unique/i);
      expect(await a.all('SELECT v FROM t')).toEqual([]);
      await close();
    });
  });

  it('stores many rows by arrays as it stores each of them alone', async () => {
    const sql = await openPostgres({ url: await server.createSchema(), pool: 2, turns: true });
    await sql.transaction((tx) =>
      tx.run('CREATE TABLE t(id INTEGER PRIMARY KEY, run INTEGER, n INTEGER, v TEXT, x REAL, b BLOB)')
    );
    const INSERT = 'INSERT INTO t(run, n, v, x, b) VALUES (?, ?, ?, ?, ?)';
    const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
    const row = fc.tuple(nullable(fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))),
      nullable(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('\u0000', '\u0001', 'a') }))),
      nullable(fc.double({ noNaN: true, noDefaultInfinity: true })), nullable(fc.uint8Array()));
    let run = 0;
    await fc.assert(fc.asyncProperty(fc.array(row, { minLength: 2, maxLength: 150 }), async (rows) => {
      run += 2;
      await sql.transaction(async (tx) => {
        await tx.runMany(INSERT, rows.map((values) => [run, ...values]));
        for (const values of rows) await tx.run(INSERT, [run + 1, ...values]);
      });
      const of = (which: number) => sql.all('SELECT n, v, x, b FROM t WHERE run = ? ORDER BY id', [which]);
      expect(await of(run)).toEqual(await of(run + 1));
    }), { numRuns: 40 });
    await sql.close();
  });

  describe('peers', () => {
    it('receive messages of each other, not their own, and know who came first', async () => {
      const { a, b, close } = await two();
      expect([a.peers!.first, b.peers!.first]).toEqual([true, false]);
      const long = 'x'.repeat(4000);
      const heard: (string | undefined)[] = [];
      const done = Promise.withResolvers<void>();
      b.peers!.listen((message) => {
        heard.push(message);
        if (message === 'last') done.resolve();
      });
      const stop = a.peers!.listen(() => expect.unreachable());
      for (const message of ['first', long, long, 'last']) a.peers!.notify(message);
      await done.promise;
      expect(heard).toEqual(['first', long, long, 'last']);
      stop();
      await close();
    });
  });

  it('says what it does not do', async () => {
    const { a, close } = await two();
    for (const refused of [a.snapshotTo('x'), a.replaceFrom('x'), a.scrub()])
      await expect(refused).rejects.toMatchObject({ code: 'not_implemented' });
    await close();
  });

  it('reports a server that is not there, without the password', async () => {
    const opening = openPostgres({ url: 'postgres://me:secret@127.0.0.1:1/db', pool: 1 });
    await expect(opening).rejects.toThrow(ServiceError);
    await expect(opening).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.not.stringContaining('secret'),
    });
  });

  // Last, because it kills the server.
  it('goes on when its server is killed and comes back, with all that was acknowledged', async () => {
    const { a, b, close } = await two();
    const missed = Promise.withResolvers<void>();
    b.peers!.listen((message) => message === undefined && missed.resolve());
    const acknowledged: string[] = [];
    let writing = true;
    const writers = [a, b].map(async (sql, w) => {
      for (let i = 0; writing; i++) {
        const v = `${w}-${i}`;
        await sql.transaction((tx) => tx.run('INSERT INTO t(v) VALUES (?)', [v])).then(() => acknowledged.push(v),
          (error) => expect(error).toMatchObject({ code: 'unavailable' }));
      }
    });
    while (acknowledged.length < 50) await new Promise(setImmediate);
    await server.kill();
    await server.restart();
    const before = acknowledged.length;
    while (acknowledged.length < before + 50) await new Promise(setImmediate);
    writing = false;
    await Promise.all(writers);
    const stored = new Set((await a.all('SELECT v FROM t')).map(({ v }) => v));
    expect(acknowledged.filter((v) => !stored.has(v))).toEqual([]);
    await missed.promise;
    expect(await a.healthy()).toBe(true);
    await close();
  });
});
