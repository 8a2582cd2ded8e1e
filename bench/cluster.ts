// A simulated cluster: 100 nodes, 1,000 collections, a billion documents. The leases, the placement, the announcements
// and the choice of nodes are those of the service; network, clocks and database are simulated, from a seed.
import type { SizedUnit } from '../src/docs/cluster/unit.ts';
import { chaos } from '../src/testkit/cluster/chaos.ts';
import { simulateScatter } from '../src/testkit/cluster/scatter.ts';
import { Simulation } from '../src/testkit/cluster/simulation.ts';
import { seededRandom } from '../src/testkit/crash/random.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { figure, type Section } from './support/table.ts';

const SEED = Number(process.env['QUIRE_TEST_SEED']) || 1;
const NODES = Math.round(scaled(100, 10));
const COLLECTIONS = Math.round(scaled(1000, 40));
const DOCUMENTS = scaled(1e9, 1e6);
/** Documents of a partition at most, and bytes of memory of a document. */
const PARTITION = 2e6;
const BYTES = 800;
const REPLICAS = 2;
const SEARCHES = Math.round(scaled(4000, 200));
const NAMES = Array.from({ length: NODES }, (_, at) => `node-${at}`);

export async function benchCluster(): Promise<Section[]> {
  const units = unitsOf();
  return [await placement(units), await limited(units), await tails(), await faults(units)];
}

/** Collections whose sizes follow Zipf's law, in partitions of equal size. */
function unitsOf(): SizedUnit[] {
  const total = Array.from({ length: COLLECTIONS }, (_, at) => 1 / (at + 1)).reduce((sum, part) => sum + part, 0);
  return Array.from({ length: COLLECTIONS }, (_, at) => {
    const documents = DOCUMENTS / (at + 1) / total;
    const partitions = Math.min(64, Math.ceil(documents / PARTITION));
    return Array.from({ length: partitions }, (_empty, partition) => ({
      unit: 64 * (at + 1) + partition,
      bytes: Math.round(documents / partitions * BYTES),
    }));
  }).flat();
}

function simulationOf(units: readonly SizedUnit[], seed: number, checkMs: number): Simulation {
  return new Simulation({ units, replicas: REPLICAS, random: seededRandom(seed).next, checkMs });
}

async function placement(units: readonly SizedUnit[]): Promise<Section> {
  progress(`cluster: ${units.length} partitions on ${NODES} nodes`);
  const cluster = simulationOf(units, SEED, 5000);
  const rows: string[][] = [];
  for (const name of NAMES) cluster.start(name);
  const first = await cluster.settle();
  rows.push(['all nodes start empty', '', `${units.length * REPLICAS}`, seconds(first), cluster.imbalance.toFixed(2)]);
  const measure = async (what: string, share: string, change: () => void): Promise<void> => {
    progress(`cluster: ${what}`);
    const { units: before } = cluster.loaded;
    change();
    // A node that dies is noticed when its lease ends.
    await cluster.advance(20_000);
    const time = 20_000 + await cluster.settle();
    rows.push([what, share, `${cluster.loaded.units - before}`, seconds(time), cluster.imbalance.toFixed(2)]);
  };
  const shareOf = (...names: readonly string[]): string =>
    String(names.reduce((sum, name) => sum + cluster.nodes.get(name)!.served().length, 0));
  await measure('a node dies', shareOf(NAMES[1]!), () => cluster.kill(NAMES[1]!));
  await measure('it comes back, empty', '', () => void cluster.start(NAMES[1]!));
  await measure('a node drains', shareOf(NAMES[2]!), () => void cluster.rows.setDraining(NAMES[2]!, true));
  await measure('a node joins', '', () => void cluster.start('node-new'));
  await measure('a node of twice the weight joins', '', () => void cluster.start('node-large', { weight: 200 }));
  const five = NAMES.slice(3, 8);
  await measure('five nodes die at once', shareOf(...five), () => five.forEach((name) => cluster.kill(name)));
  return {
    title: `Simulated cluster: ${figure(NODES)} nodes, ${figure(COLLECTIONS)} collections, ${
      figure(DOCUMENTS)
    } documents`,
    header: ['event', 'copies that it had', 'copies that move', 'until all are ready', 'largest node to the mean'],
    rows,
    notes: [
      `${units.length} partitions of at most ${figure(PARTITION)} documents, ${REPLICAS} copies of each, ` +
      `${
        figure(units.reduce((sum, { bytes }) => sum + bytes, 0) * REPLICAS / 1e9)
      } GB in all; nodes read 250 MB of ` +
      `checkpoints a second. Seed ${SEED}.`,
      ...found(cluster),
    ],
  };
}

/** The same with a limit of memory that few nodes would not reach otherwise. */
async function limited(units: readonly SizedUnit[]): Promise<Section> {
  const mean = units.reduce((sum, { bytes }) => sum + bytes, 0) * REPLICAS / NODES;
  const rows: string[][] = [];
  for (const factor of [1.5, 1.25]) {
    progress(`cluster: ${factor} times the memory`);
    const cluster = simulationOf(units, SEED, 5000);
    for (const name of NAMES) cluster.start(name, { limit: factor * mean });
    await cluster.settle();
    const { units: before } = cluster.loaded;
    const balance = cluster.imbalance.toFixed(2);
    const share = cluster.nodes.get(NAMES[1]!)!.served().length;
    cluster.kill(NAMES[1]!);
    await cluster.advance(20_000);
    await cluster.settle();
    rows.push([`${factor}`, balance, `${share}`, `${cluster.loaded.units - before}`, cluster.imbalance.toFixed(2),
      String(cluster.violations.length)]);
  }
  return {
    title: 'Simulated cluster: nodes with a limit of memory',
    header: ['limit to the mean', 'largest node to the mean', 'copies of a node that dies', 'copies that move',
      'largest node then', 'violations'],
    rows,
  };
}

const seconds = (milliseconds: number): string => `${figure(milliseconds / 1000)} s`;

function found({ violations }: Simulation): string[] {
  return violations.length === 0
    ? ['No partition had two owners of its checkpoint, and none was dropped that no other node had.']
    : [`FOUND ${violations.length} violations, such as ${violations[0]!}.`];
}

async function faults(units: readonly SizedUnit[]): Promise<Section> {
  progress('cluster: faults');
  const random = seededRandom(SEED);
  const cluster = simulationOf(units, SEED, 2000);
  for (const name of NAMES) cluster.start(name);
  await cluster.settle();
  await chaos(cluster, random, NAMES, 600_000);
  const time = await cluster.settle(24 * 3_600_000);
  return {
    title: 'Simulated cluster: ten minutes in which something fails every 6 s',
    header: ['what', 'value'],
    rows: [['until every copy is ready again', seconds(time)], ['longest time that a served partition had no owner',
      seconds(cluster.longestUnowned)], ['violations', String(cluster.violations.length)]],
    notes: [
      'Nodes are killed, stopped, started, drained, cut off from the database and stalled for up to 40 s; ' +
      'answers of the database are lost, and requests take effect up to 20 s late.',
      ...found(cluster),
    ],
  };
}

const TAILS = [['all nodes are equal', 0, 1, 0], ['1 % of the answers take 200 ms more', 0, 1, 0.01], [
  '2 % of the nodes are ten times slower',
  0.02,
  10,
  0,
], ['both', 0.02, 10, 0.01]] as const;

async function tails(): Promise<Section> {
  const rows: string[][] = [];
  for (const [what, share, times, pauses] of TAILS) {
    progress(`cluster: ${what}`);
    for (const isHedged of [false, true]) {
      const { p50, p95, p99, p999, requests } = await simulateScatter({
        random: seededRandom(SEED).next,
        nodes: NODES,
        partitions: 16,
        searches: SEARCHES,
        isHedged,
        slow: { share, times },
        pauses: { share: pauses, milliseconds: 200 },
      });
      rows.push([what, isHedged ? 'yes' : 'no', ...[p50, p95, p99, p999].map((time) => `${figure(time)} ms`),
        requests.toFixed(2)]);
    }
  }
  return {
    title: 'Simulated cluster: a search over 16 partitions',
    header: ['nodes', 'second replica asked', 'median', '95 %', '99 %', '99.9 %', 'requests a partition'],
    rows,
    notes: [
      'A partition takes 4 ms at the median, with a logarithmic spread of 0.4. The second replica is asked when ' +
      'an answer takes longer than 95 % of the last 256.',
    ],
  };
}
