import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeShip, QueueFixture } from '../../testkit/runs-queue.ts';
import type { ListFilter, RunRecord } from './port.ts';

let fixture: QueueFixture;
const projects = ['alpha', 'beta'];
const kinds = ['diagnostic', 'pipeline', 'ai_text'] as const;

beforeEach(async () => {
  fixture = await QueueFixture.open();
});
afterEach(() => fixture.sql.close());

/** Runs of all projects, kinds and states, several in each second. */
async function fill(count: number): Promise<void> {
  const ship = new FakeShip('s', 1000);
  fixture.queue.addWorker(ship);
  for (let n = 0; n < count; n++) {
    if (n % 3 === 0) fixture.pass(500);
    const run = await fixture.submit({ projectId: projects[n % 2]!, kind: kinds[n % 3]! });
    if (n % 5 === 1) await fixture.queue.cancel(run.id, async () => {});
    if (n % 4 === 0) await fixture.parts.dispatcher.dispatch();
    if (n % 7 === 0 && ship.claims.length > 0)
      await fixture.queue.complete(ship.claims.pop()!.ref, 's', { outcome: 'succeeded', started: true });
    if (n % 11 === 0 && ship.claims.length > 0) await fixture.queue.cancel(ship.last.run.id, async () => {});
  }
}

async function pages(filter: ListFilter, limit: number): Promise<RunRecord[]> {
  const all: RunRecord[] = [];
  for (let before: { createdAt: number; id: string } | undefined;;) {
    const page = await fixture.queue.list(filter, before, limit);
    all.push(...page);
    if (page.length < limit) return all;
    before = page.at(-1)!;
  }
}

describe('listing runs', () => {
  it('pages through exactly the runs of any filter, newest first, without a repeat or a gap', async () => {
    await fill(120);
    const everything = (await fixture.sql.all<{ id: string }>('SELECT id FROM runs')).map(({ id }) => id);
    const records = await Promise.all(everything.map(async (id) => (await fixture.queue.get(id))!));
    records.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    await fc.assert(fc.asyncProperty(fc.record({
      projectId: fc.constantFrom(...projects, 'none'),
      kind: fc.constantFrom(...kinds),
      state: fc.constantFrom('queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'),
    }, { requiredKeys: [] }) as fc.Arbitrary<ListFilter>, fc.integer({ min: 1, max: 50 }), async (filter, limit) => {
      const wanted = records.filter((run) =>
        Object.entries(filter).every(([name, value]) => run[name as keyof RunRecord] === value)
      );
      expect((await pages(filter, limit)).map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    }), { numRuns: 60 });
  });

  it('pages through the runs of one schedule, and those that one caller has queued', async () => {
    const origins = [{ by: 'api' }, { by: 'token:ci' }, { by: null, schedule: 'nightly' }, {
      by: 'token:ci',
      schedule: 'nightly',
    }, { by: null, schedule: 'weekly' }] as const;
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) {
      if (n % 3 === 0) fixture.pass(500);
      const origin = origins[n % 5]!;
      const run = await fixture.submit({
        projectId: projects[n % 2]!,
        origin,
        source: 'schedule' in origin ? 'schedule' : 'api',
      });
      ids.unshift(run.id);
    }
    const listed = async (filter: ListFilter): Promise<number[]> =>
      (await pages(filter, 2)).map(({ id }) => 19 - ids.indexOf(id));
    const which = (...kind: number[]): number[] =>
      Array.from({ length: 20 }, (_, n) => 19 - n).filter((n) => kind.includes(n % 5));
    expect(await listed({ schedule: 'nightly' })).toEqual(which(2, 3));
    expect(await listed({ schedule: 'nightly', projectId: 'beta' })).toEqual(which(2, 3).filter((n) => n % 2 === 1));
    expect(await listed({ schedule: 'none' })).toEqual([]);
    expect(await listed({ by: 'token:ci' })).toEqual(which(1, 3));
    expect(await listed({ by: 'token:ci', source: 'api', withoutCells: true })).toEqual(which(1));
    expect(await listed({ by: 'api' })).toEqual(which(0));
  });

  it('goes on behind a run that has been deleted since', async () => {
    await fill(10);
    const [first, second, third] = await fixture.queue.list({}, undefined, 3);
    await fixture.sql.transaction((tx) => tx.run('DELETE FROM runs WHERE id = ?', [second!.id]));
    expect((await fixture.queue.list({}, first, 1))[0]!.id).toBe(third!.id);
    expect((await fixture.queue.list({}, second, 1))[0]!.id).toBe(third!.id);
  });
});
