import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { identify } from './identity.ts';
import { encodeBody, type NewVersion } from './put-versions.ts';
import { SharedWrites } from './shared-writes.ts';
import { Fixture } from './test-fixture.ts';

let fixture: Fixture;
let writes: SharedWrites;
beforeAll(async () => {
  fixture = await Fixture.open('sql.js');
});
afterAll(() => fixture.close());
beforeEach(() => {
  writes = new SharedWrites({ ...fixture.environment, collections: fixture.collections });
});

async function version(collection: string, key: string, text = key): Promise<NewVersion> {
  return {
    identity: identify(collection, key, 'en'),
    meta: {},
    body: await encodeBody(fixture.environment.codec, collection, text),
    ttl: undefined,
    saveRevision: true,
    skipDuplicate: undefined,
    flags: 0,
  };
}

const count = async (sql: string): Promise<unknown> => (await fixture.sql.get(sql))!['n'];

it('puts the documents of several requests in one transaction, each with its outcome', async () => {
  const before = await fixture.feed.head();
  const transactions = vi.spyOn(fixture.sql, 'transaction');
  const versions = await Promise.all([version('a', 'one'), version('b', 'two'), version('a', 'three'),
    version('a', 'one', 'again')]);
  const puts = await Promise.all(versions.map((each) => writes.put(each)));
  expect(transactions).toHaveBeenCalledTimes(1);
  transactions.mockRestore();
  expect(puts.map(({ status }) => status)).toEqual(['added', 'added', 'added', 'updated']);
  expect(puts.every(({ lsn }) => lsn === before + 4)).toBe(true);
  expect(await count("SELECT count(*) AS n FROM revisions r JOIN documents d ON d.ord = r.ord WHERE d.id = 'a|one|en'"))
    .toBe(2);
});

it('lets the commit follow its statements at once if those insert documents and nothing comes after them', async () => {
  const transaction = fixture.sql.transaction.bind(fixture.sql);
  /** What was called, in order. */
  async function callsOf(...versions: NewVersion[]): Promise<string[]> {
    const calls: string[] = [];
    const spy = vi.spyOn(fixture.sql, 'transaction').mockImplementationOnce((work) =>
      transaction((tx) =>
        work(new Proxy(tx, {
          get: (target, name) => {
            if (name === 'complete') return () => calls.push('complete');
            const member = target[name as keyof typeof tx];
            return typeof member !== 'function' ? member : (...given: unknown[]) => {
              if (typeof given[0] === 'string') calls.push('statement');
              return (member as (...all: unknown[]) => unknown).apply(target, given);
            };
          },
        }))
      )
    );
    await Promise.all(versions.map((each) => writes.put(each)));
    spy.mockRestore();
    return calls;
  }
  const twoCollections = await callsOf(await version('f', 'one'), await version('g', 'two'));
  expect([twoCollections.at(-1), twoCollections.filter((call) => call === 'complete').length]).toEqual(['complete', 1]);
  expect(await callsOf(await version('f', 'one', 'again'), await version('f', 'new'))).not.toContain('complete');
  expect(await callsOf(await version('f', 'three'), await version('f', 'three', 'again'))).not.toContain('complete');
});

it('fails only for the documents that cannot be stored', async () => {
  await fixture.sql.transaction((tx) =>
    tx.run(
      "CREATE TRIGGER refuse BEFORE INSERT ON documents WHEN NEW.key = 'bad' BEGIN SELECT RAISE(ABORT, 'bad key'); END",
    )
  );
  const versions = await Promise.all([version('c', 'x'), version('c', 'bad'), version('c', 'y')]);
  const outcomes = await Promise.allSettled(versions.map((each) => writes.put(each)));
  await fixture.sql.transaction((tx) => tx.run('DROP TRIGGER refuse'));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { message: expect.stringContaining('bad key') as string } });
  expect(await count("SELECT count(*) AS n FROM documents WHERE id LIKE 'c|%'")).toBe(2);
});

it('repeats nothing when the database fails, because the outcome may be unknown', async () => {
  const failure = new ServiceError('unavailable', 'gone');
  const transactions = vi.spyOn(fixture.sql, 'transaction').mockRejectedValue(failure);
  const versions = await Promise.all([version('d', 'x'), version('d', 'y')]);
  expect(await Promise.allSettled(versions.map((each) => writes.put(each)))).toEqual(
    Array(2).fill({ status: 'rejected', reason: failure }),
  );
  expect(transactions).toHaveBeenCalledTimes(1);
  transactions.mockRestore();
  expect(await writes.put(versions[0]!)).toMatchObject({ status: 'added' });
});

it('puts a document only while its caller has the permission, whatever becomes of the others (decision D-164)', async () => {
  /** A caller who is asked again when the transaction begins, and then has the permission or not. */
  const asked = (refusal?: ServiceError) => {
    let isPermitted = false;
    return {
      isPermitted: () => isPermitted,
      requirePermission: async () => {
        if (refusal !== undefined) throw refusal;
        isPermitted = true;
      },
    };
  };
  const refusal = new ServiceError('forbidden', 'forbidden: no write permission on h');
  const outcomes = await Promise.allSettled([writes.put(await version('h', 'kept')),
    writes.put(await version('h', 'again'), asked()), writes.put(await version('h', 'refused'), asked(refusal))]);
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.status : outcome.reason as unknown)))
    .toEqual(['added', 'added', refusal]);
  expect(await count("SELECT count(*) AS n FROM documents WHERE id LIKE 'h|%'")).toBe(2);
});

it('takes more documents than one transaction does', async () => {
  const versions = await Promise.all(Array.from({ length: 300 }, (_, i) => version('i', `k${i}`)));
  const puts = await Promise.all(versions.map((each) => writes.put(each)));
  expect(new Set(puts.map(({ status }) => status))).toEqual(new Set(['added']));
});
