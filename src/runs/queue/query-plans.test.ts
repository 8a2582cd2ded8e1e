import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUN_QUEUE_MIGRATIONS, type Sql, type SqlValue } from '../../storage/index.ts';
import { withoutRowLocks } from '../../storage/open-transaction.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { headsQuery, heldQuery, NEXT, PARALLEL, TAKE } from './claiming.ts';
import { AWAITING_OF_GROUP, LATER_OF_GROUP, WAITING_OF_GROUP } from './enter-group.ts';
import { NEXT_OF_GROUP } from './groups.ts';
import { ACCEPT, HELD_BY_SHIP } from './holding.ts';
import { CELLS_OF_RUN } from './jobs.ts';
import { NEXT_FILLED } from './lanes.ts';
import { listQuery } from './list.ts';
import type { ListFilter } from './port.ts';
import { DUE, dueQuery } from './reaper.ts';
import { RENEW } from './renewals.ts';
import { EXPIRED } from './retention.ts';

let folder: string;
let sql: Sql;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-plans-'));
  sql = await openMigrated({ path: join(folder, 'runs.db') }, RUN_QUEUE_MIGRATIONS);
});
afterAll(async () => {
  await sql.close();
  await rm(folder, { recursive: true, force: true });
});

async function plan(query: string, values?: readonly SqlValue[]): Promise<string[]> {
  const params = values ?? Array.from({ length: query.split('?').length - 1 }, () => 1);
  return (await sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${withoutRowLocks(query)}`, params)).map(({ detail }) =>
    detail
  );
}

/** Steps that read a whole table or index, or sort what they have read. */
const costly = (steps: readonly string[]): string[] =>
  steps.filter((detail) => /^SCAN runs|^SCAN run_|TEMP B-TREE/.test(detail));

describe('the plans of the queries, which must not depend on how many runs there have been', () => {
  const filters: ListFilter[] = [undefined, 'alpha'].flatMap((projectId) =>
    [undefined, 'queued' as const].flatMap((state) =>
      [undefined, 'pipeline' as const].map((kind) => ({
        ...(projectId === undefined ? {} : { projectId }),
        ...(state === undefined ? {} : { state }),
        ...(kind === undefined ? {} : { kind }),
      }))
    )
  );

  it.each(filters)('a page of runs with the filter %j is read from ranges of an index', async (filter) => {
    const { sql: query, values } = listQuery(filter, { createdAt: 1, id: 'x' }, 101);
    const steps = await plan(query, values);
    const reads = steps.filter((detail) => /\bruns\b/.test(detail) && !/\(id=\?\)/.test(detail));
    expect(reads.length).toBeGreaterThan(0);
    for (const detail of reads)
      expect(detail).toMatch(/^SEARCH runs USING (COVERING )?INDEX \w+ \(.*\(created_at,id\)<\(\?,\?\)\)$/);
    expect(steps.filter((detail) => detail.startsWith('SCAN runs'))).toEqual([]);
  });

  it('a page of what did not come by the API, or of the cells of a run, is read from an index of those', async () => {
    for (const [filter, index] of [[{ source: 'alert' }, 'runs_by_source'], [{ parentId: 'x' }, 'runs_of_parent'], [{
      schedule: 'nightly',
    }, 'runs_of_schedule'], [{ by: 'token:ci' }, 'runs_of_actor']] as const) {
      const { sql: query, values } = listQuery(filter, { createdAt: 1, id: 'x' }, 101);
      expect((await plan(query, values))[0]).toMatch(new RegExp(`^SEARCH runs USING INDEX ${index}\\b`));
    }
  });

  it('a list of a project reads its own runs, and what ships have from those of all projects', async () => {
    const indexOf = async (filter: ListFilter) => {
      const { sql: query, values } = listQuery(filter, { createdAt: 1, id: 'x' }, 101);
      return [...new Set((await plan(query, values)).flatMap((step) => /INDEX (runs_\w+) /.exec(step)?.[1] ?? []))];
    };
    for (const state of ['queued', 'succeeded', 'failed', 'cancelled'] as const)
      expect(await indexOf({ projectId: 'alpha', state })).toEqual(['runs_of_project']);
    for (const state of ['running', 'cancelling'] as const)
      expect(await indexOf({ projectId: 'alpha', state })).toEqual(['runs_by_kind']);
  });

  it('a page of one range is not sorted; several are merged from a page of each', async () => {
    const one = listQuery({}, { createdAt: 1, id: 'x' }, 101);
    expect(costly(await plan(one.sql, one.values))).toEqual([]);
    const several = listQuery({ projectId: 'alpha' }, { createdAt: 1, id: 'x' }, 101);
    expect(several.sql.match(/LIMIT \?/g)).toHaveLength(18 + 1);
  });

  it.each([['finding lanes', NEXT_FILLED, 'runs_claimable'], ['limits of projects', PARALLEL, 'runs_held_of_project'], [
    'taking a run',
    TAKE,
    'runs_claimable',
  ], ['ends of pauses', dueQuery(DUE.pauses), 'runs_pausing'], ['approvals that expire', dueQuery(DUE.approvals),
    'runs_awaiting'], ['ends of leases', dueQuery(DUE.leases), 'runs_leased'], ['deadlines', dueQuery(DUE.deadlines),
    'runs_due'], ['long waits', dueQuery(DUE.waits), 'runs_queued'], ['what a ship has', HELD_BY_SHIP, 'runs_on_ship'],
    ['how much ships have', heldQuery('?, ?'), 'runs_on_ship'], ['retention', EXPIRED, 'runs_finished'], [
    'how the cells of a run are doing',
    CELLS_OF_RUN,
    'runs_of_parent',
  ], ['the next run of a group', NEXT_OF_GROUP, 'runs_of_group'], ['what waits for a group', WAITING_OF_GROUP,
    'runs_of_group'], ['what of a group waits for an approval', AWAITING_OF_GROUP, 'runs_of_group'], [
    'what of a group has run since',
    LATER_OF_GROUP,
    'runs_of_project',
  ]])('%s reads what it needs and sorts nothing', async (_, query, index) => {
    const steps = await plan(query);
    expect(steps[0]).toMatch(new RegExp(`^(SEARCH|SCAN) runs USING (COVERING )?INDEX ${index}\\b`));
    expect(costly(steps)).toEqual([]);
  });

  it.each([['renewing', RENEW], ['accepting', ACCEPT]])('%s finds each run by its id', async (_, { text }) => {
    const steps = await plan(text);
    expect(steps.at(-1)).toBe('SEARCH runs USING INDEX sqlite_autoindex_runs_1 (id=?)');
    expect(costly(steps)).toEqual([]);
  });

  it('claiming reads the next runs in their order, and sorts nothing', async () => {
    const steps = await plan(NEXT);
    expect(steps[0]).toBe('SCAN runs USING INDEX runs_next');
    expect(costly(steps)).toEqual([steps[0]]);
  });

  it('claiming by lanes reads the head of each and sorts nothing', async () => {
    const steps = await plan(headsQuery(64));
    expect(steps).toContainEqual(
      expect.stringMatching(/^SEARCH runs USING (COVERING )?INDEX runs_claimable \(lane_id=\?\)$/),
    );
    expect(steps).toContainEqual(expect.stringMatching(/^SEARCH head USING INTEGER PRIMARY KEY \(rowid=\?\)$/));
    expect(costly(steps)).toEqual([]);
  });

  it('runs that the start queues are found through the indexes of unfinished runs', async () => {
    const held = "UPDATE runs SET renewed_ms = 1 WHERE state IN ('running', 'cancelling')";
    for (const query of [held, `${held} AND state = 'running' AND (accepted = 0 OR deadline_ms < ?)`,
      `${held} AND state = 'cancelling' AND deadline_ms > ?`])
    {
      expect((await plan(query))[0]).toMatch(
        /^(SEARCH|SCAN) runs USING (COVERING )?INDEX runs_(leased|due|on_ship|held_of_project)/,
      );
    }
    expect(
      (await plan("UPDATE runs SET queued_ms = ? WHERE state = 'queued' AND waits_for = 'ship' AND queued_ms > ?"))[0],
    ).toContain('runs_queued');
  });
});
