import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { SharedWrites } from './shared-writes.ts';
import { Fixture } from './test-fixture.ts';
import { encodeBody, type NewVersion } from './version.ts';
import { identify } from './identity.ts';

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
  return { identity: identify(collection, key, 'en'), meta: {}, body: await encodeBody(fixture.environment.codec, collection, text), ttl: undefined, saveRevision: true, skipDuplicate: undefined, flags: 0 };
}

const count = async (sql: string): Promise<unknown> => (await fixture.sql.get(sql))!['n'];

it('puts the documents of several requests in one transaction, each with its outcome', async () => {
  const before = await fixture.feed.head();
  const transactions = vi.spyOn(fixture.sql, 'transaction');
  const versions = await Promise.all([version('a', 'one'), version('b', 'two'), version('a', 'three'), version('a', 'one', 'again')]);
  const puts = await Promise.all(versions.map((each) => writes.put(each)));
  expect(transactions).toHaveBeenCalledTimes(1);
  transactions.mockRestore();
  expect(puts.map(({ status }) => status)).toEqual(['added', 'added', 'added', 'updated']);
  expect(puts.every(({ lsn }) => lsn === before + 4)).toBe(true);
  expect(await count("SELECT count(*) AS n FROM revisions r JOIN documents d ON d.ord = r.ord WHERE d.id = 'a|one|en'")).toBe(2);
});

it('fails only for the documents that cannot be stored', async () => {
  await fixture.sql.transaction((tx) => tx.run("CREATE TRIGGER refuse BEFORE INSERT ON documents WHEN NEW.key = 'bad' BEGIN SELECT RAISE(ABORT, 'bad key'); END"));
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
  expect(await Promise.allSettled(versions.map((each) => writes.put(each)))).toEqual(Array(2).fill({ status: 'rejected', reason: failure }));
  expect(transactions).toHaveBeenCalledTimes(1);
  transactions.mockRestore();
  expect(await writes.put(versions[0]!)).toMatchObject({ status: 'added' });
});
