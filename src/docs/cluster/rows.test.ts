import { afterEach, describe, expect, it } from 'vitest';
import { DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { MemoryRows } from '../../testkit/cluster/memory-rows.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import type { ClusterRows, NodeFacts } from './cluster-rows.ts';
import { SqlRows } from './sql-rows.ts';

const LONG = 60_000;

const facts = (name: string, more: Partial<NodeFacts> = {}): NodeFacts => ({
  name,
  address: `${name}:11024`,
  version: '0.1.0',
  weight: 100,
  limit: 0,
  ...more,
});

const report = (more = {}) => ({ used: 0, position: 0, holdings: 0, ...more });

let sql: Sql | undefined;

afterEach(async () => {
  await sql?.close();
  sql = undefined;
});

async function overSql(): Promise<ClusterRows> {
  sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
  return new SqlRows(sql);
}

/** A lease of 0 or fewer milliseconds has ended when it begins, so nobody needs to wait. */
describe.each(
  [['in a database', overSql], ['in the simulation', async () => new MemoryRows(() => Date.now())]] as const,
)('rows of nodes %s', (_, open) => {
  it('joins, renews and tells of a node', async () => {
    const rows = await open();
    expect(await rows.join(facts('a', { weight: 50, limit: 1e12 }), 'p1', LONG, true)).toBe(true);
    expect(await rows.renew('p1', 2 * LONG, report({ used: 7e10, position: 42, holdings: 3 }))).toBe(true);
    const [row] = await rows.processes();
    expect(row).toEqual({
      ...facts('a', { weight: 50, limit: 1e12 }),
      process: 'p1',
      epoch: 1,
      isGone: false,
      isDraining: false,
      used: 7e10,
      position: 42,
      holdings: 3,
      remainingMs: expect.any(Number),
    });
    expect(row!.remainingMs).toBeGreaterThan(LONG);
    expect(row!.remainingMs).toBeLessThanOrEqual(2 * LONG);
  });

  it('gives a name that is taken only by force', async () => {
    const rows = await open();
    await rows.join(facts('a'), 'p1', LONG, true);
    expect(await rows.join(facts('a'), 'p2', LONG, false)).toBe(false);
    expect(await rows.join(facts('a'), 'p3', LONG, true)).toBe(true);
    expect(await rows.renew('p1', LONG, report())).toBe(false);
    expect(await rows.renew('p3', LONG, report())).toBe(true);
    expect((await rows.processes()).map(({ process, epoch }) => [process, epoch])).toEqual([['p1', 1], ['p3', 2]]);
  });

  it('gives a name whose lease has ended, once', async () => {
    const rows = await open();
    await rows.join(facts('a'), 'p1', 0, true);
    expect(await rows.join(facts('a'), 'p2', LONG, false)).toBe(true);
    expect(await rows.join(facts('a'), 'p3', LONG, false)).toBe(false);
  });

  it('renews a lease that has ended until somebody has noticed that', async () => {
    const rows = await open();
    await rows.join(facts('a'), 'p1', 0, true);
    expect(await rows.renew('p1', 0, report())).toBe(true);
    await rows.bury();
    expect(await rows.renew('p1', LONG, report())).toBe(false);
    expect(await rows.processes()).toMatchObject([{ process: 'p1', isGone: true }]);
  });

  it('forgets processes that others have replaced, and nodes that are gone for long', async () => {
    const rows = await open();
    await rows.join(facts('a'), 'p1', LONG, true);
    await rows.join(facts('a'), 'p2', LONG, true);
    await rows.join(facts('old'), 'p3', -8 * 24 * 3_600_000, true);
    await rows.leave('p1');
    await rows.bury();
    expect((await rows.processes()).map(({ process }) => process)).toEqual(['p2']);
  });

  it('keeps over restarts that a node drains', async () => {
    const rows = await open();
    expect(await rows.setDraining('a', true)).toBe(false);
    await rows.join(facts('a'), 'p1', LONG, true);
    expect(await rows.setDraining('a', true)).toBe(true);
    await rows.leave('p1');
    await rows.join(facts('a'), 'p2', LONG, true);
    expect((await rows.processes()).at(-1)).toMatchObject({ process: 'p2', isDraining: true });
    await rows.setDraining('a', false);
    expect((await rows.processes()).at(-1)).toMatchObject({ isDraining: false });
  });

  it('keeps the newest announcement of each process', async () => {
    const rows = await open();
    await rows.join(facts('a'), 'p1', LONG, true);
    await rows.announce({ process: 'p1', number: 2, units: '[64,5]' });
    await rows.announce({ process: 'p1', number: 1, units: '[]' });
    expect(await rows.holdingsOf(['p1', 'p9'])).toEqual([{ process: 'p1', number: 2, units: '[64,5]' }]);
  });

  it('gives a unit to one owner, and to another once that is gone', async () => {
    const rows = await open();
    await rows.join(facts('a'), 'p1', LONG, true);
    await rows.join(facts('b'), 'p2', LONG, true);
    expect(await rows.take('p1', [64, 65])).toEqual([{ unit: 64, epoch: 1 }, { unit: 65, epoch: 1 }]);
    expect(await rows.take('p2', [65, 66])).toEqual([{ unit: 66, epoch: 1 }]);
    await rows.leave('p1');
    expect(await rows.take('p2', [64, 65])).toEqual([{ unit: 64, epoch: 2 }, { unit: 65, epoch: 2 }]);
  });

  it('keeps the units of a process that another has replaced until its lease has ended', async () => {
    const rows = await open();
    await rows.join(facts('a'), 'p1', LONG, true);
    await rows.join(facts('b'), 'p2', LONG, true);
    await rows.take('p1', [64]);
    await rows.join(facts('a'), 'p3', LONG, true);
    expect(await rows.take('p2', [64])).toEqual([]);
    expect(await rows.take('p3', [64])).toEqual([]);
    await rows.leave('p1');
    expect(await rows.take('p3', [64])).toEqual([{ unit: 64, epoch: 2 }]);
  });

  it('takes units again whose answer was lost, and gives up only the epoch that is named', async () => {
    const rows = await open();
    await rows.join(facts('a'), 'p1', LONG, true);
    await rows.join(facts('b'), 'p2', LONG, true);
    await rows.take('p1', [64]);
    expect(await rows.take('p1', [64])).toEqual([{ unit: 64, epoch: 2 }]);
    await rows.release('p1', [{ unit: 64, epoch: 1 }]);
    expect(await rows.take('p2', [64])).toEqual([]);
    await rows.release('p1', [{ unit: 64, epoch: 2 }]);
    expect(await rows.take('p2', [64])).toEqual([{ unit: 64, epoch: 3 }]);
  });

  it('handles more units than a statement has room for', async () => {
    const rows = await open();
    await rows.join(facts('a'), 'p1', LONG, true);
    const units = Array.from({ length: 1500 }, (_, at) => 64 + at);
    const taken = await rows.take('p1', units);
    expect(taken.map(({ unit }) => unit)).toEqual(units);
    expect(await rows.ownedBy('p1')).toEqual(taken);
    await rows.release('p1', taken);
    expect(await rows.ownedBy('p1')).toEqual([]);
    expect((await rows.take('p1', units)).every(({ epoch }) => epoch === 2)).toBe(true);
  });
});
