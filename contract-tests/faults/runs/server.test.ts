import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Project, Run } from '../../../generated/runs/sdk/types.gen.ts';
import { seededRandom } from '../../../src/testkit/crash/random.ts';
import { TOKEN } from '../../../src/testkit/runs-faults/client.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { followStream } from '../../../src/testkit/runs-faults/follow-stream.ts';
import { counted } from '../../../src/testkit/runs-faults/pipelines.ts';
import { serve, ZONE } from '../../../src/testkit/runs-faults/serve.ts';

const ROUNDS = Number(process.env['QUIRE_FAULT_ROUNDS'] ?? 2);
const SEED = Number(process.env['QUIRE_FAULT_SEED'] ?? 4711);
const LIMIT = { timeout: 120_000 };

describe.concurrent('a server that is killed', LIMIT, () => {
  it('with runs queued and running: they are all there, none runs twice at once, and none is left behind', async (test) => {
    const bench = await serve(test, { local: true });
    const running = [await bench.submit('all', 'second'), await bench.submit('all', 'second')];
    await Promise.all(running.map((id) => bench.logged(id, 'attempt 1')));
    const key = 'a-key-of-a-client';
    const body = { project_id: 'all', kind: 'pipeline', task: 'count', input: '3' };
    const queued = (await bench.call<Run>('POST', '/runs', body, key)).body.data.id;
    await bench.killServer();
    await eventually('the work to end with its server',
      () => (running.every((id) => bench.stepsOf(id).length === 0) ? true : undefined));

    await bench.serve();
    expect(await bench.call<Run>('POST', '/runs', body, key)).toMatchObject({
      status: 202,
      body: { data: { id: queued } },
    });
    for (const id of running) {
      expect(await bench.reached(id, 'succeeded')).toMatchObject({ attempt: 2 });
      expect([await bench.output(id, 1), await bench.output(id, 2)]).toEqual([['attempt 1'], ['attempt 2']]);
      expect(bench.stepsOf(id)).toEqual([]);
    }
    expect(await bench.reached(queued, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await bench.output(queued)).toEqual(counted(3));
    expect((await bench.data<Run[]>('GET', '/runs')).length).toBe(3);
  });

  it('or stopped while ships work: their runs end in the first attempt, and readers of a log miss nothing', async (test) => {
    const bench = await serve(test);
    const ship = await bench.ship('one', ZONE);
    const lines = 150;
    const ids = await Promise.all(Array.from({ length: 4 }, () => bench.submit('all', 'count', String(lines))));
    const waiting = await bench.submit('all', 'count', '2'); // the ship executes four at once
    const streams = ids.map((id) => followStream(bench.stableUrl, id));
    await Promise.all(ids.map((id) => bench.logged(id, 'line 5')));
    await bench.killServer();
    await bench.serve();
    await ship.program.wrote('connected', 2);
    await Promise.all(ids.map((id) => bench.logged(id, 'line 60')));
    expect(await bench.server.signal('SIGTERM').ended).toMatchObject({ code: 0 });
    await bench.serve();
    for (const [i, id] of ids.entries()) {
      expect(await bench.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
      const log = await bench.log(id);
      expect(log.filter(({ stream }) => stream === 'stdout').map(({ message }) => message)).toEqual(counted(lines));
      expect(await streams[i]).toEqual(log.map((event, offset) => ({ id: offset, event })));
    }
    expect(await bench.reached(waiting, 'succeeded')).toMatchObject({ attempt: 1 });
  });

  it(
    `under requests, in ${ROUNDS} rounds: what was acknowledged is there, and a key that is sent again makes no ` +
      'second run',
    async (test) => {
      const bench = await serve(test, { local: true });
      const random = seededRandom(SEED);
      const acknowledged = new Map<string, string>();
      const sent = new Set<string>();
      const submit = async (key: string): Promise<void> => {
        sent.add(key);
        const { status, body } = await bench.call<Run>('POST', '/runs', {
          project_id: 'all',
          kind: 'pipeline',
          task: 'short',
          input: '0',
        }, key);
        if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`);
        expect(acknowledged.get(key) ?? body.data.id).toBe(body.data.id);
        acknowledged.set(key, body.data.id);
      };
      for (let round = 0; round < ROUNDS; round++) {
        const enough = acknowledged.size + random.integer(5, 25);
        let isUp = true;
        const clients = Array.from({ length: 4 }, async (_, client) => {
          for (let i = 0; isUp; i++) await submit(`round-${round}-${client}-${i}`).catch(() => (isUp = false));
        });
        await eventually('some runs to be queued', () => (acknowledged.size >= enough ? true : undefined));
        await bench.killServer();
        await Promise.all(clients);
        await bench.serve();
        await Promise.all([...sent].map(submit));
      }
      const ids = [...acknowledged.values()];
      expect(new Set(ids).size).toBe(sent.size);
      await Promise.all(ids.map((id) => bench.reached(id, 'succeeded')));
      expect((await bench.allRuns()).map(({ id }) => id).sort()).toEqual(ids.sort());
    },
  );

  it(`while projects are added, in ${ROUNDS} rounds: the file is whole, with its comments and all that was acknowledged`, async (test) => {
    const bench = await serve(test, { local: true });
    const random = seededRandom(SEED);
    const added = new Set<string>();
    const add = (id: string) => bench.call<Project>('POST', '/projects', { id, repository: 'org/repository' });
    const twice = await Promise.all([add('twice'), add('twice')]);
    expect(twice.map(({ status, body }) => [status, body.error?.code]).sort()).toEqual([[201, undefined], [409,
      'project_exists']]);
    for (let round = 0; round < ROUNDS; round++) {
      const enough = added.size + random.integer(1, 9);
      let isUp = true;
      const clients = Array.from({ length: 3 }, async (_, client) => {
        for (let i = 0; isUp; i++) {
          const id = `p-${round}-${client}-${i}`;
          await add(id).then(({ status }) => status === 201 && added.add(id), () => (isUp = false));
        }
      });
      await eventually('some projects to be added', () => (added.size >= enough ? true : undefined));
      await bench.killServer();
      await Promise.all(clients);
      const check = await bench.start(['runs', '--config', bench.file, '--check-config'], {
        env: { RUNS_API_TOKEN: TOKEN },
      }).ended;
      expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining('is valid') as string });
      expect(readFileSync(bench.file, 'utf8')).toContain('# A comment that stays.');
      await bench.serve();
      const there = new Set((await bench.data<Project[]>('GET', '/projects')).map(({ id }) => id));
      expect([...added, 'all', 'twice'].filter((id) => !there.has(id))).toEqual([]);
    }
  });

  it('between two notifications of the same alert: there is one run', async (test) => {
    const bench = await serve(test, { local: true });
    const alert = {
      status: 'firing',
      labels: { alertname: 'DiskFull', quire_project: 'all' },
      annotations: {},
      startsAt: '2026-01-01T00:00:00Z',
      fingerprint: '4b1c7a0e9d2f6385',
    };
    const notification = {
      version: '4',
      status: 'firing',
      groupKey: '{}:{alertname="DiskFull"}',
      commonLabels: alert.labels,
      alerts: [alert],
      receiver: 'quire',
    };
    const tell = (body: object) => bench.call<Run[]>('POST', '/webhooks/alertmanager', body);
    const [first, again] = [await tell(notification), await tell({ ...notification, receiver: 'another' })];
    expect(first).toMatchObject({ status: 202, body: { data: [{ kind: 'diagnostic', task: 'alert' }] } });
    await bench.killServer();
    await bench.serve();
    const afterwards = await tell(notification);
    expect([again, afterwards].map(({ body }) => body.data[0]!.id)).toEqual([first.body.data[0]!.id,
      first.body.data[0]!.id]);
    expect(await tell({ ...notification, status: 'resolved', alerts: [{ ...alert, status: 'resolved' }] }))
      .toMatchObject({ status: 200, body: { data: [] } });
    expect((await tell({ ...notification, alerts: [{ ...alert, startsAt: '2026-01-02T00:00:00Z' }] })).body.data[0]!.id)
      .not.toBe(first.body.data[0]!.id);
    expect((await bench.allRuns()).length).toBe(2);
  });
});

describe.concurrent('a server that receives a stop signal', LIMIT, () => {
  it('while its own ship works: it returns runs that do not end in time, and continues them after the start', async (test) => {
    const bench = await serve(test, { local: true });
    const [long, short, waiting] = [await bench.submit('all', 'second'), await bench.submit('all', 'count', '25'),
      await bench.submit('all', 'count', '1')];
    await Promise.all([bench.logged(long, 'attempt 1'), bench.logged(short, 'line 0')]);
    expect(await bench.server.signal('SIGTERM').ended).toMatchObject({ code: 0 });
    expect(bench.stepsOf(long)).toEqual([]);
    await bench.serve();
    expect(await bench.reached(long, 'succeeded')).toMatchObject({ attempt: 2 });
    expect(await bench.reached(short, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await bench.output(short)).toEqual(counted(25));
    expect(await bench.reached(waiting, 'succeeded')).toMatchObject({ attempt: 1 });
  });

  it('again and again: the second time it gives back what runs, the third time it is gone, with its work', async (test) => {
    const bench = await serve(test, { local: true, grace: '1h' });
    const id = await bench.submit('all', 'endless');
    await bench.logged(id, 'attempt 1');
    bench.server.signal('SIGTERM');
    await bench.server.wrote('stopping');
    expect(await bench.server.signal('SIGTERM').ended).toMatchObject({ code: 0 });
    expect(bench.stepsOf(id)).toEqual([]);
    await bench.serve();
    expect(await bench.run(id)).toMatchObject({ attempt: 2 });
    await bench.logged(id, 'attempt 2', 2);
    bench.server.signal('SIGTERM');
    await bench.server.wrote('stopping');
    bench.server.signal('SIGTERM').signal('SIGINT');
    await bench.server.ended;
    await eventually('the work to end with its server', () => (bench.stepsOf(id).length === 0 ? true : undefined));
  });
});
