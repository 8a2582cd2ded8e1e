import { describe, expect, it } from 'vitest';
import { chaos } from '../../testkit/cluster/chaos.ts';
import { simulateScatter } from '../../testkit/cluster/scatter.ts';
import { Simulation } from '../../testkit/cluster/simulation.ts';
import { type Random, seededRandom } from '../../testkit/crash/random.ts';

const seed = Number(process.env['QUIRE_TEST_SEED']) || 20_261_122;
const MB = 1_000_000;

function simulation(units: number, random: Random = seededRandom(seed), replicas = 2): Simulation {
  return new Simulation({
    units: Array.from({ length: units },
      (_, at) => ({ unit: 64 * (1 + Math.floor(at / 8)) + (at % 8), bytes: 20 * MB })),
    replicas,
    random: random.next,
    checkMs: 400,
  });
}

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `node-${at}`);

async function settled(nodes: number, units: number, limit = 0): Promise<Simulation> {
  const cluster = simulation(units);
  for (const name of names(nodes)) cluster.start(name, { limit });
  await cluster.settle();
  return cluster;
}

describe(`a simulated cluster (seed ${seed})`, () => {
  it('moves only the share of a node that dies', async () => {
    const cluster = await settled(8, 120);
    const { units } = cluster.loaded;
    const share = cluster.nodes.get('node-3')!.served().length;
    cluster.kill('node-3');
    await cluster.advance(20_000);
    await cluster.settle();
    expect(cluster.loaded.units - units).toBe(share);
    expect(cluster.violations).toEqual([]);
  });

  it('moves nothing when a node starts again at once, except what it loads again itself', async () => {
    const cluster = await settled(5, 60);
    const share = cluster.nodes.get('node-2')!.served().length;
    const { units } = cluster.loaded;
    cluster.kill('node-2');
    await cluster.advance(3000);
    cluster.start('node-2');
    await cluster.advance(20_000);
    await cluster.settle();
    expect(cluster.loaded.units - units).toBe(share);
    expect(cluster.violations).toEqual([]);
  });

  it('empties a node that drains, which serves until others do, and fills it again', async () => {
    const cluster = await settled(5, 60);
    await cluster.rows.setDraining('node-1', true);
    await cluster.advance(20_000);
    await cluster.settle();
    const drained = cluster.nodes.get('node-1')!;
    expect(drained.served()).toEqual([]);
    await cluster.rows.setDraining('node-1', false);
    await cluster.advance(20_000);
    await cluster.settle();
    expect(drained.served().length).toBeGreaterThan(10);
    expect(cluster.violations).toEqual([]);
  });

  it('keeps what nobody else can hold when all nodes drain', async () => {
    const cluster = await settled(3, 30);
    for (const name of names(3)) await cluster.rows.setDraining(name, true);
    await cluster.advance(60_000);
    expect([...cluster.nodes.values()].reduce((sum, node) => sum + node.served().length, 0)).toBe(60);
  });

  it('spreads over two nodes what is too large for one, which alone holds what fits', async () => {
    const cluster = simulation(40, seededRandom(seed), 1);
    cluster.start('node-0', { limit: 500 * MB });
    await cluster.advance(30_000);
    expect(cluster.nodes.get('node-0')!.served().length).toBeGreaterThan(15);
    expect(cluster.nodes.get('node-0')!.cluster.state!.short().length).toBeGreaterThan(15);
    expect(cluster.nodes.get('node-0')!.used).toBeLessThanOrEqual(500 * MB);
    cluster.start('node-1', { limit: 500 * MB });
    await cluster.settle();
    expect(cluster.nodes.get('node-0')!.cluster.state!.short()).toEqual([]);
    for (const node of cluster.nodes.values()) expect(node.used).toBeLessThanOrEqual(500 * MB);
    expect(cluster.violations).toEqual([]);
  });

  it.each([1, 2])('never has two owners of a unit, nor loses one, whatever fails (%i)', async (run) => {
    const random = seededRandom(seed + run);
    const cluster = simulation(40, random);
    for (const name of names(6)) cluster.start(name);
    await cluster.settle();
    await chaos(cluster, random, names(7), 200_000);
    await cluster.settle();
    expect(cluster.violations).toEqual([]);
  });
});

describe(`a search over all partitions (seed ${seed})`, () => {
  const measure = (isHedged: boolean) =>
    simulateScatter({
      random: seededRandom(seed).next,
      nodes: 20,
      partitions: 8,
      searches: 200,
      isHedged,
      slow: { share: 0, times: 1 },
      pauses: { share: 0.01, milliseconds: 200 },
    });

  it('waits for few pauses of nodes when it asks second replicas, and for some more requests', async () => {
    const [plain, hedged] = [await measure(false), await measure(true)];
    expect(plain.p95).toBeGreaterThan(200);
    expect(hedged.p95).toBeLessThan(60);
    expect(hedged.requests).toBeLessThan(1.15);
  });
});
