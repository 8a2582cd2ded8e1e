import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultBench, LONG_LEASES, QUICK } from '../../../src/testkit/runs-faults/bench.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { followStream } from '../../../src/testkit/runs-faults/follow-stream.ts';
import { counted, pipelines, projects } from '../../../src/testkit/runs-faults/pipelines.ts';

const ZONES = ['long', 'patient', 'cancelled'];
const LINES = 120;
/** A cut has to last. */
const CUT_MS = 2000;

const zone = (name: string): string[] => [`zone=${name}`];

describe('a network between a ship and its server that is cut for less than the lease', { timeout: 120_000 }, () => {
  let bench: FaultBench;

  beforeAll(async () => {
    bench = new FaultBench({ yaml: (folder) => `${LONG_LEASES}\n${projects(['short'])}${pipelines(folder)}` });
    await bench.serve();
  });
  afterAll(() => bench.close());

  it('costs nothing: the same attempt, every line once and in order, in the stream too', async () => {
    const { proxy, program } = await bench.ship('short', zone('short'));
    const id = await bench.submit('short', 'count', String(LINES));
    const stream = followStream(bench.stableUrl, id);
    await bench.logged(id, 'line 5');
    proxy.cut();
    await setTimeout(CUT_MS);
    expect((await bench.log(id)).length).toBeLessThan(LINES / 2);
    // Data in transit is lost.
    proxy.drop();
    proxy.heal();
    await program.wrote('connected', 2);
    // A second cut, of which neither side is informed; data in transit arrives late.
    proxy.cut();
    await setTimeout(CUT_MS);
    proxy.heal();
    expect(await bench.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
    const log = await bench.log(id);
    expect(log.filter((event) => event.stream === 'stdout').map(({ message }) => message)).toEqual(counted(LINES));
    expect(await stream).toEqual(log.map((event, offset) => ({ id: offset, event })));
  });
});

describe.concurrent('a network between a ship and its server that is cut for longer than the lease', {
  timeout: 120_000,
}, () => {
  let bench: FaultBench;

  beforeAll(async () => {
    bench = new FaultBench({ yaml: (folder) => `${QUICK}\n${projects(ZONES)}${pipelines(folder)}` });
    await bench.serve();
  });
  afterAll(() => bench.close());

  it('the work is dead before it begins elsewhere, and late words change nothing', async () => {
    const cut = await bench.ship('long-1', zone('long'));
    const id = await bench.submit('long', 'second');
    await bench.logged(id, 'attempt 1');
    cut.proxy.cut();
    const other = await bench.ship('long-2', zone('long'));
    const end = await bench.reached(id, 'succeeded');
    expect(end).toMatchObject({ attempt: 2, ship_id: other.id });
    expect(bench.stepsOf(id)).toEqual([]);
    expect(await bench.output(id, 2)).toEqual(['attempt 2']); // and not that the first one is alive
    const log = await bench.log(id);
    cut.proxy.heal();
    await eventually('the ship that was cut off to be back',
      async () => ((await bench.listShips()).find((ship) => ship.id === cut.id)!.online ? true : undefined));
    const next = await bench.submit('long', 'second');
    await bench.logged(next, 'attempt 1');
    expect([await bench.run(id), await bench.log(id)]).toEqual([end, log]);
  });

  it('a pipeline that goes on regardless: its late end is refused', async () => {
    const cut = await bench.ship('patient-1', zone('patient'));
    const id = await bench.submit('patient', 'stubborn');
    await bench.logged(id, 'attempt 1');
    cut.proxy.cut();
    await bench.ship('patient-2', zone('patient'));
    const end = await bench.reached(id, 'succeeded');
    expect(end).toMatchObject({ attempt: 2 });
    await eventually('the first attempt to end', () => (bench.stepsOf(id).length === 0 ? true : undefined));
    cut.proxy.drop();
    cut.proxy.heal();
    await cut.program.wrote('connected', 2);
    await cut.program.wrote(/run discarded|came too late/);
    expect(await bench.run(id)).toEqual(end);
    expect((await bench.data<{ content: string }>('GET', `/runs/${id}/result`)).content).toContain('"attempt": 2');
  });

  it('a run that is cancelled meanwhile ends without the ship, which ends the work by itself', async () => {
    const { proxy } = await bench.ship('cancelled', zone('cancelled'));
    const id = await bench.submit('cancelled', 'deaf');
    await bench.logged(id, 'begun');
    proxy.cut();
    expect((await bench.call('POST', `/runs/${id}/cancel`)).status).toBe(200);
    await bench.reached(id, 'cancelled');
    await eventually('its steps to be gone', () => (bench.stepsOf(id).length === 0 ? true : undefined));
    proxy.heal();
  });
});
