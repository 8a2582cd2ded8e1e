import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../../../generated/runs/sdk/types.gen.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../../../testkit/postgres-server.ts';
import { FaultBench, PATIENT } from '../../../testkit/runs-faults/bench.ts';
import { eventually } from '../../../testkit/runs-faults/eventually.ts';
import { followStream } from '../../../testkit/runs-faults/follow-stream.ts';
import { counted, pipelines, projects } from '../../../testkit/runs-faults/pipelines.ts';
import { ZONE } from '../../../testkit/runs-faults/serve.ts';

const LINES = 100;

describe.skipIf(WITHOUT_POSTGRES !== undefined)('two servers as processes over one PostgreSQL', { timeout: 120_000 }, () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterAll(() => postgres.stop());

  it('go on with all runs, each in its first attempt, when the database is killed and then one of them', async ({ onTestFinished }) => {
    const url = await postgres.createSchema();
    const open = (name: string): FaultBench => {
      const yaml = (folder: string) => `${PATIENT}\nstorage: {driver: postgres}\n${projects(['all'])}${pipelines(folder)}`;
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

    const ids = await Promise.all(Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? a : b).submit('all', 'count', String(LINES))));
    await Promise.all(ids.map((id) => b.logged(id, 'line 5')));
    const shipOf = await Promise.all(ids.map(async (id) => (await b.data<Run>('GET', `/runs/${id}`)).ship_id));
    expect(new Set(shipOf)).toEqual(new Set([mover.id, stayer.id]));
    // What a ship at A writes is followed at B.
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
    expect(await b.call<Run>('POST', '/runs', body, key)).toMatchObject({ status: 202, body: { data: { id: late } } });

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
});
