import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RUN_QUEUE_MIGRATIONS, type Sql, type Transaction } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import type { RunRecord } from '../queue/port.ts';
import { keyHash } from './keys.ts';
import { createIdempotency, type Idempotency, type Once } from './once.ts';

/** The parts of a run that matter here; queued runs are recorded in a table of the test. */
const recordOf = (id: string, state = 'queued') => ({ id, state }) as RunRecord;

let sql: Sql;
let idempotency: Idempotency;
const states = new Map<string, string>();
const clock = { ms: 0, now: (): number => clock.ms };
beforeEach(async () => {
  states.clear();
  clock.ms = 1_000_000;
  sql = await openMigrated({ path: ':memory:' }, RUN_QUEUE_MIGRATIONS);
  await sql.transaction((tx) => tx.run('CREATE TABLE queued(id TEXT NOT NULL)'));
  const config = { current: () => ({ config: { runtime: { idempotency_ttl: 60_000 } } }) } as never;
  idempotency = createIdempotency({ sql, clock, config }, {
    get: async (id) => (states.has(id) ? recordOf(id, states.get(id)) : undefined),
  });
});
afterEach(() => sql.close());

const request = (id: string, change: Partial<Once> = {}): Once => ({
  space: 'api',
  key: 'the-key-of-it',
  requestHash: new Uint8Array([1]),
  sameRequestOnly: true,
  prepare: async () => (tx) => queue(tx, id),
  insertFailed: (error) => error,
  ...change,
});
async function queue(tx: Transaction, id: string): Promise<RunRecord> {
  await tx.run('INSERT INTO queued(id) VALUES (?)', [id]);
  tx.onCommit(() => states.set(id, 'queued'));
  return recordOf(id);
}
const queued = async () => (await sql.all<{ id: string }>('SELECT id FROM queued')).map(({ id }) => id);

describe('a key', () => {
  it('is asked for before anything is prepared', async () => {
    await idempotency.once(request('a'));
    const prepare = () => Promise.reject(new Error('prepared'));
    expect(await idempotency.once(request('b', { prepare }))).toMatchObject({ replayed: true, run: { id: 'a' } });
  });

  it('that another node takes at the same moment undoes what was queued, and is requested again', async () => {
    let turn = 0;
    const rival = async (tx: Transaction): Promise<RunRecord> => {
      turn += 1;
      const run = await queue(tx, `run-${turn}`);
      // As if the other node had committed between the lookup and the insertion.
      if (turn === 1)
        await tx.run(
          'INSERT INTO idempotency(space, key_hash, request_hash, run_id, expires_at) VALUES (?, ?, ?, ?, ?)',
          ['api', keyHash('the-key-of-it'), new Uint8Array([1]), 'other', 9e9],
        );
      return run;
    };
    expect(await idempotency.once(request('', { prepare: async () => rival }))).toMatchObject({
      replayed: false,
      run: { id: 'run-2' },
    });
    expect(await queued()).toEqual(['run-2']);
  });

  it('is one for each owner', async () => {
    for (const [space, id] of [['api', 'a'], ['token:ci', 'c'], ['token:cd', 'd'], ['schedule', 's'], ['alert',
      'm']] as const) expect((await idempotency.once(request(id, { space }))).run.id).toBe(id);
  });

  it('of the service itself stands for the run alone, whatever else is said', async () => {
    const own = { space: 'schedule', sameRequestOnly: false } as const;
    await idempotency.once(request('a', own));
    expect(await idempotency.once(request('b', { ...own, requestHash: new Uint8Array([2]) }))).toMatchObject({
      replayed: true,
      run: { id: 'a' },
    });
  });

  it('is free again when it has expired and its run is over, whether or not it was deleted yet', async () => {
    await idempotency.once(request('a'));
    clock.ms += 60_000;
    expect((await idempotency.once(request('b'))).run.id).toBe('a');
    states.set('a', 'failed');
    expect((await idempotency.once(request('b', { requestHash: new Uint8Array([2]) }))).run.id).toBe('b');
    expect((await idempotency.once(request('c', { requestHash: new Uint8Array([2]) }))).run.id).toBe('b');
  });

  it('ends with its run', async () => {
    await idempotency.once(request('a'));
    states.delete('a');
    expect((await idempotency.once(request('b'))).run.id).toBe('b');
  });

  it('is stored as a hash', async () => {
    await idempotency.once(request('a'));
    const row = await sql.get('SELECT * FROM idempotency');
    expect(JSON.stringify(row)).not.toContain('the-key-of-it');
    expect(row).toMatchObject({ key_hash: expect.objectContaining({ length: 32 }) as unknown, expires_at: 1060 });
  });

  it('is not taken by a request that fails', async () => {
    const fails = async () => async (tx: Transaction): Promise<RunRecord> => {
      await queue(tx, 'a');
      throw new Error('disk full');
    };
    await expect(idempotency.once(request('a', { prepare: fails, insertFailed: () => new Error('told') }))).rejects
      .toThrow('told');
    expect([await queued(), await sql.all('SELECT 1 FROM idempotency')]).toEqual([[], []]);
  });
});
