import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ChangeFeed } from '../feed/change-feed.ts';
import { DOCUMENT_MIGRATIONS, migrate } from '../migrations/index.ts';
import { openDatabase } from '../open-database.ts';
import type { Sql } from '../port.ts';
import { SqliteFollower } from './follower.ts';

describe('a database that another process writes', () => {
  let writer: Sql;
  let follower: SqliteFollower;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-follower-'));
    writer = await openDatabase({ path: join(folder, 'quire.db') });
    await migrate(writer, DOCUMENT_MIGRATIONS);
    follower = new SqliteFollower(join(folder, 'quire.db'));
    return async () => {
      await follower.close();
      await writer.close();
      await rm(folder, { recursive: true });
    };
  });

  const note = (name: string) =>
    writer.transaction((tx) => tx.run('INSERT INTO settings(name, value) VALUES (?, ?)', [name, name]));
  const NAMES = "SELECT name FROM settings WHERE name LIKE 'n%' ORDER BY name";

  it('is read as it is at the moment, in the background and in streams too', async () => {
    await note('n1');
    expect([await follower.all(NAMES), await follower.get(NAMES), await follower.background.all(NAMES)]).toEqual([[{
      name: 'n1',
    }], { name: 'n1' }, [{ name: 'n1' }]]);
    await note('n2');
    const streamed: unknown[] = [];
    for await (const rows of follower.stream(NAMES)) streamed.push(...rows);
    expect([await follower.all(NAMES), streamed]).toEqual([[{ name: 'n1' }, { name: 'n2' }], [{ name: 'n1' }, {
      name: 'n2',
    }]]);
    expect([follower.info.readOnly, await follower.healthy(), await follower.sizeBytes()]).toEqual([true, true,
      await writer.sizeBytes()]);
  });

  it('has transactions that see one state of it, one after the other', async () => {
    const order: string[] = [];
    const first = follower.transaction(async (tx) => {
      const before = await tx.all(NAMES);
      await note('n1');
      tx.onCommit(() => order.push('first'));
      return [before, await tx.all(NAMES)];
    });
    const second = follower.transaction(async (tx) => {
      order.push('second');
      return tx.all(NAMES);
    });
    expect([await first, await second, order]).toEqual([[[], []], [{ name: 'n1' }], ['first', 'second']]);
  });

  it('is not written here', async () => {
    const run = follower.transaction((tx) => tx.run("DELETE FROM settings WHERE name = 'n1'"));
    await expect(run).rejects.toMatchObject({ code: 'unavailable' });
    await expect(follower.transaction((tx) => tx.all('DELETE FROM settings RETURNING name'))).rejects.toThrow();
    for (const refused of [follower.snapshotTo(), follower.replaceFrom(), follower.scrub()])
      await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
    expect(() => new SqliteFollower(join(folder, 'other.db'))).toThrow('does not exist');
  });

  it('has a change feed whose readers are woken by a look at its head', async () => {
    const [written, followed] = [new ChangeFeed(writer), new ChangeFeed(follower, undefined, { shared: true })];
    let woken = 0;
    followed.join({ wake: () => void woken++, position: () => undefined });
    await writer.transaction((tx) => written.append(tx, [{ kind: 'doc.put', collection: 'c' }]));
    expect([await followed.head(), woken, followed.latest, followed.settled]).toEqual([1, 1, undefined, undefined]);
    expect([await followed.head(), woken]).toEqual([1, 1]);
    await writer.transaction((tx) => written.append(tx, [{ kind: 'doc.put', collection: 'c' }]));
    await followed.reached(2, new AbortController().signal);
    expect([woken, (await followed.read(1, 10)).map(({ lsn }) => lsn)]).toEqual([2, [2]]);
  });
});
