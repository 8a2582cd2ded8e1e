import { Gauge, type Registry } from 'prom-client';
import type { Cluster } from './cluster.ts';

/** The metrics of a node that shares its database; each node tells of what it knows. */
export function registerCluster(registers: Registry[], cluster: Cluster): void {
  const gauge = (name: string, help: string, value: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  };
  new Gauge({
    name: 'svc_cluster_nodes',
    help: 'Nodes that share the database, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const counts = { alive: 0, draining: 0, gone: 0 };
      const { state } = cluster;
      for (const node of state?.nodes ?? [])
        counts[state?.isAlive(node) !== true ? 'gone' : node.isDraining ? 'draining' : 'alive'] += 1;
      for (const [name, count] of Object.entries(counts)) this.set({ state: name }, count);
    },
  });
  gauge('svc_cluster_member', '1 while this node has a lease, so that others count on it.',
    () => Number(cluster.isMember));
  gauge('svc_cluster_partitions_wanted', 'Partitions that this node is meant to hold.', () => cluster.wanted().length);
  gauge('svc_cluster_partitions_ready', 'Partitions that this node has announced.', () => cluster.announced);
  gauge('svc_cluster_partitions_owned', 'Partitions whose checkpoints this node writes.', () => cluster.owned);
  gauge('svc_cluster_partitions_short', 'Partitions that fewer nodes have ready than wanted.',
    () => cluster.state?.short().length ?? 0);
  gauge('svc_cluster_partitions_missing', 'Partitions that no live node has ready.',
    () => cluster.state?.short().filter(({ ready }) => ready.length === 0).length ?? 0);
}
