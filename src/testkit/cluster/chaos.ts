import type { Random } from '../crash/random.ts';
import type { Simulation } from './simulation.ts';

/**
 * Lets things go wrong for some time: nodes are killed, stopped, started again, cut off from the database, stalled for
 * longer than their lease, drained; answers are lost, and requests take effect late. Then everything works again.
 * `names`: all nodes; at least two of them always run.
 */
export async function chaos(cluster: Simulation, { next, pick, integer }: Random, names: readonly string[],
  milliseconds: number): Promise<void>
{
  const end = cluster.time.now + milliseconds;
  const faults: readonly (() => void)[] = [
    () => stopOne(cluster, pick, (name) => cluster.kill(name)),
    () => stopOne(cluster, pick, (name) => cluster.stop(name)),
    () => {
      const absent = names.filter((name) => !cluster.nodes.has(name));
      if (absent.length > 0) cluster.start(pick(absent));
    },
    () => running(cluster, pick).stall(integer(500, 40_000)),
    () => {
      const node = running(cluster, pick);
      node.isConnected = !node.isConnected;
    },
    () => {
      const node = running(cluster, pick);
      node.lossRate = node.lossRate === 0 ? next() * 0.3 : 0;
    },
    () => void cluster.rows.setDraining(pick(names), next() < 0.3),
  ];
  while (cluster.time.now < end) {
    pick(faults)();
    await cluster.advance(integer(200, 12_000));
  }
  for (const node of cluster.nodes.values()) Object.assign(node, { isConnected: true, lossRate: 0 });
  for (const name of names) {
    await cluster.rows.setDraining(name, false);
    if (!cluster.nodes.has(name)) cluster.start(name);
  }
}

const running = (cluster: Simulation, pick: Random['pick']) => pick([...cluster.nodes.values()]);

function stopOne(cluster: Simulation, pick: Random['pick'], stop: (name: string) => void): void {
  if (cluster.nodes.size > 2) stop(pick([...cluster.nodes.keys()]));
}
