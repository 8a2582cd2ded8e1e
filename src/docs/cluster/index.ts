import type { Area } from '../area.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { NodeFacts } from './cluster-rows.ts';
import { Cluster } from './cluster.ts';
import { Collections } from './collections.ts';
import { aloneHandlers, clusterHandlers } from './handlers.ts';
import { type HeldView, holdingOf } from './held-indexes.ts';
import { registerCluster } from './metrics.ts';
import { SqlRows } from './sql-rows.ts';

export type { Route } from './cluster-state.ts';
export { Cluster } from './cluster.ts';
export { type Answer, askHedged, HedgeDelay } from './hedge.ts';
export { MOST_PARTITIONS, numberOf, type Unit, type UnitNumber, unitOf } from './unit.ts';

interface ClusterAreas {
  readonly views: readonly HeldView[];
  /** Number of partitions of a collection, by its lowercased name. */
  readonly partitionsOf: (collection: string) => number;
}

/** The nodes that share the database. */
export interface ClusterArea extends Area {
  /** Absent over SQLite, where one node has everything. */
  readonly cluster: Cluster | undefined;
}

export function createClusterArea(env: DocsEnvironment, { views, partitionsOf }: ClusterAreas): ClusterArea {
  const { sql, log, settings, isNode = false } = env;
  const { name = 'quire', weight = 100, address = '', replicas = 2 } = settings.node ?? {};
  const facts: NodeFacts = { name, address, version: settings.buildVersion, weight, limit: settings.indexMemory ?? 0 };
  const collections = new Collections({ sql, partitionsOf });
  const holding = () => holdingOf(views, collections);
  if (!isNode) return { cluster: undefined, handlers: aloneHandlers({ facts, collections }, holding) };
  const rows = new SqlRows(sql);
  const units = () => collections.units();
  const cluster = new Cluster({ rows, facts, replicas, units, holding, peers: sql.peers, log });
  return {
    cluster,
    handlers: clusterHandlers(cluster, rows, { collections }),
    start: async () => cluster.start(),
    stop: () => cluster.stop(),
    registerMetrics: (registers) => registerCluster(registers, cluster),
  };
}
