import { beforeEach, describe, expect, it } from 'vitest';
import { ChangeFeed, DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { throughStep } from '../../testkit/through-step.ts';
import { UNRESTRICTED } from '../../testkit/unrestricted.ts';
import type { Caller, Context } from '../index.ts';
import { type Reaching, session } from './session.ts';

type AnyHandler = (input: object, context: Context) => Promise<unknown>;

describe('a session', () => {
  let sql: Sql;
  let feed: ChangeFeed;
  let timer: ManualTimer;
  beforeEach(async () => {
    sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
    [feed, timer] = [new ChangeFeed(sql), new ManualTimer()];
    return () => sql.close();
  });

  const write = () => sql.transaction((tx) => feed.append(tx, [{ kind: 'doc.put', collection: 'c' }]));
  const at = (caller: Partial<Caller>): Context =>
    ({ ...UNRESTRICTED, caller, signal: new AbortController().signal }) as unknown as Context;
  const handlers = (views: readonly Reaching[] = []): Record<string, AnyHandler> => {
    const step = session({ feed, views, waitMs: 1000, timer });
    const plain: Record<string, AnyHandler> = {
      addDocument: async () => void (await write()),
      getDocument: async () => 'row',
      searchFullText: async () => 'found',
      getHealth: async () => 'ok',
    };
    return Object.fromEntries(Object.entries(plain).map(([id, handler]) => [id, throughStep(step, id, handler)]));
  };

  it('returns the number of the write', async () => {
    const told: number[] = [];
    await handlers()['addDocument']!({}, at({ onLsn: (lsn) => told.push(lsn) }));
    await handlers()['addDocument']!({}, at({ onLsn: (lsn) => told.push(lsn) }));
    await handlers()['getDocument']!({}, at({ onLsn: (lsn) => told.push(lsn) }));
    expect(told).toEqual([1, 2]);
  });

  it('waits for the store', async () => {
    const answer = handlers()['getDocument']!({}, at({ minLsn: 2 }));
    await write();
    let answered = false;
    void answer.then(() => (answered = true));
    await new Promise(setImmediate);
    expect(answered).toBe(false);
    await write();
    expect(await answer).toBe('row');
  });

  it('waits for the views where a read needs them, and stops waiting at its time limit', async () => {
    await write();
    const lagging: Reaching = {
      reached: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    };
    const served = handlers([lagging]);
    expect([await served['getDocument']!({}, at({ minLsn: 1 })), await served['searchFullText']!({}, at({})),
      await served['getHealth']!({}, at({ minLsn: 9 }))]).toEqual(['row', 'found', 'ok']);
    const refused = expect(served['searchFullText']!({}, at({ minLsn: 1 }))).rejects.toMatchObject({
      code: 'lsn_not_reached',
      headers: { 'Retry-After': '1' },
    });
    await new Promise(setImmediate);
    await timer.elapse();
    await refused;
  });

  it('ends with its client', async () => {
    const gone = new AbortController();
    const answer = expect(handlers()['getDocument']!({}, { ...at({ minLsn: 5 }), signal: gone.signal })).rejects
      .toThrow('gone');
    await new Promise(setImmediate);
    gone.abort(new Error('gone'));
    await answer;
  });
});
