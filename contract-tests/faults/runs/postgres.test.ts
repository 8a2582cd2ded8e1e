import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { openPostgres } from '../../../src/storage/index.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../../src/testkit/postgres-server.ts';
import { FaultBench, LONG_LEASES } from '../../../src/testkit/runs-faults/bench.ts';
import { FaultCluster } from '../../../src/testkit/runs-faults/cluster.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { followStream } from '../../../src/testkit/runs-faults/follow-stream.ts';
import { counted, pipelines, projects } from '../../../src/testkit/runs-faults/pipelines.ts';
import { ZONE } from '../../../src/testkit/runs-faults/serve.ts';

const LINES = 100;

/** Variables make the same test larger and longer: 3 servers, 100 ships, 300 seconds. */
const SERVERS = Number(process.env['QUIRE_FAULT_SERVERS'] ?? 2);
const SHIPS = Number(process.env['QUIRE_FAULT_SHIPS'] ?? 8);
const SECONDS = Number(process.env['QUIRE_FAULT_SECONDS'] ?? 3);
const SEED = Number(process.env['QUIRE_FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const CAPACITY = 2;
/** `max_parallel` of a project. */
const LIMIT = 3;

describe.skipIf(WITHOUT_POSTGRES !== undefined)('two servers as processes over one PostgreSQL', { timeout: 120_000 },
  () => {
    let postgres: PostgresServer;
    beforeAll(async () => {
      postgres = await PostgresServer.start();
    });
    afterAll(() => postgres.stop());

    it('go on with all runs, each in its first attempt, when the database is killed and then one of them', async ({ onTestFinished }) => {
      const url = await postgres.createSchema();
      const open = (name: string): FaultBench => {
        const yaml = (folder: string) =>
          `${LONG_LEASES}\nstorage: {driver: postgres}\n${projects(['all'])}${pipelines(folder)}`;
        const bench = new FaultBench({ name, yaml, env: { RUNS_DATABASE_URL: url } });
        onTestFinished(() => bench.close());
        return bench;
      };
      const [a, b] = [open('a'), open('b')];
      await a.serve();
      mkdirSync(join(b.folder, 'server'));
      cpSync(join(a.folder, 'server', 'ca'), join(b.folder, 'server', 'ca'), { recursive: true }); // one fleet
      await b.serve();
      const [mover, stayer] = [await a.ship('mover', ZONE), await b.ship('stayer', ZONE)];

      const ids = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? a : b).submit('all', 'count', String(LINES))),
      );
      await Promise.all(ids.map((id) => b.logged(id, 'line 5')));
      const shipOf = await Promise.all(ids.map(async (id) => (await b.data<Run>('GET', `/runs/${id}`)).ship_id));
      expect(new Set(shipOf)).toEqual(new Set([mover.id, stayer.id]));
      // Output that a ship at A writes can be followed at B.
      const streams = ids.map((id) => followStream(b.url, id));
      const endless = await a.submit('all', 'endless');

      await postgres.kill();
      await postgres.restart();
      const key = 'a-key-of-a-client';
      const body = { project_id: 'all', kind: 'pipeline', task: 'count', input: '1' };
      const late = await eventually('a server to take requests again', async () => {
        const { status, body: { data } } = await a.call<Run>('POST', '/runs', body, key);
        return status === 202 ? data.id : undefined;
      });
      expect(await b.call<Run>('POST', '/runs', body, key)).toMatchObject({
        status: 202,
        body: { data: { id: late } },
      });

      await a.killServer();
      mover.proxy.target = stayer.proxy.target;
      await mover.program.wrote('connected', 2);
      for (const [i, id] of ids.entries()) {
        expect(await b.reached(id, 'succeeded')).toMatchObject({ attempt: 1, ship_id: shipOf[i] });
        expect(await b.output(id)).toEqual(counted(LINES));
        expect((await streams[i])!.map(({ event }) => event)).toEqual(await b.log(id));
      }
      expect(await b.reached(late, 'succeeded')).toMatchObject({ attempt: 1 });
      await b.logged(endless, 'attempt 1');
      await b.call('POST', `/runs/${endless}/cancel`);
      await b.reached(endless, 'cancelled');
    });

    it(
      `${SERVERS} servers and ${SHIPS} ships that are killed at random let every run succeed once, within all ` +
        `limits (seed ${SEED})`,
      { timeout: 120_000 + SECONDS * 5000 },
      async ({ onTestFinished }) => {
        const url = await postgres.createSchema();
        const cluster = await FaultCluster.start({
          url,
          servers: SERVERS,
          ships: SHIPS,
          capacity: CAPACITY,
          limit: LIMIT,
          seed: SEED,
        });
        onTestFinished(() => cluster.close());
        const sql = await openPostgres({ url, pool: 2 });
        onTestFinished(() => sql.close());
        const broken: unknown[] = [];
        const watching = cluster.until(async () => {
          broken.push(
            ...await sql.all(
              "SELECT ship_id, count(*) AS n FROM runs WHERE state IN ('running', 'cancelling') GROUP BY ship_id " +
                'HAVING count(*) > ?',
              [CAPACITY],
            ),
          );
          broken.push(
            ...await sql.all(
              "SELECT project_id, count(*) AS n FROM runs WHERE project_id = 'limited' AND state IN ('running', " +
                "'cancelling') GROUP BY project_id HAVING count(*) > ?",
              [LIMIT],
            ),
          );
        });
        const submitting = cluster.submitUntilOver(SECONDS * 1000);
        await cluster.killAtRandom(SECONDS * 1000);
        const submitted = await submitting;
        await eventually('all runs to end', async () =>
          (await sql.get<{ n: number }>('SELECT count(*) AS n FROM runs WHERE finished_at IS NULL'))!.n === 0 ||
          undefined);
        cluster.over();
        await watching;
        expect(broken).toEqual([]);
        expect(cluster.kills).toBeGreaterThan(0);
        const runs = await sql.all<{ id: string; state: string }>('SELECT id, state FROM runs ORDER BY id');
        expect(runs.map(({ id }) => id)).toEqual([...submitted].sort());
        expect(runs.filter(({ state }) => state !== 'succeeded')).toEqual([]);
        const ends =
          "SELECT r.id FROM runs r LEFT JOIN attempts a ON a.seq = r.seq AND a.outcome = 'succeeded' GROUP BY " +
          'r.id HAVING count(a.seq) <> 1';
        expect(await sql.all(ends)).toEqual([]);
        // Successful work was done by the attempt that reports it.
        const done = cluster.done();
        const claimed = await sql.all<{ id: string; attempt: number }>(
          "SELECT r.id, a.attempt FROM attempts a JOIN runs r ON r.seq = a.seq WHERE a.outcome = 'succeeded'",
        );
        expect(claimed.filter(({ id, attempt }) => !done.has(`${id} ${attempt}`))).toEqual([]);
      },
    );
  });
