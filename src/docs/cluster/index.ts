import type { Area } from '../area.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { OtherNodes, Partition } from '../view/index.ts';
import type { NodeFacts } from './cluster-rows.ts';
import { Cluster } from './cluster.ts';
import { Collections } from './collections.ts';
import { NodeConnections } from './connections.ts';
import { CallForwarder } from './forwarding.ts';
import { answerGathered, type AnsweringView, PartGatherer } from './gathering.ts';
import { aloneHandlers, clusterHandlers } from './handlers.ts';
import { HeldCollections, type HoldingView } from './held-collections.ts';
import { type HeldView, holdingOf } from './held-indexes.ts';
import { registerCluster } from './metrics.ts';
import { SqlRows } from './sql-rows.ts';
import type { UnitNumber } from './unit.ts';

export type { Route } from './cluster-state.ts';
export { Cluster } from './cluster.ts';
export { answerForwarded } from './forwarding.ts';
export type { PartGatherer } from './gathering.ts';
export type { ConnectNode, NodeConnection } from './port.ts';
export { numberOf, type Unit, type UnitNumber, unitOf } from './unit.ts';

type ClusterView = HeldView & HoldingView & AnsweringView & {
  leaveTo(others: OtherNodes): void;
};

interface ClusterAreas {
  readonly views: readonly ClusterView[];
}

/** The nodes that share the database. */
export interface ClusterArea extends Area {
  /** Absent over SQLite, where one node has everything. */
  readonly cluster: Cluster | undefined;
  /** Asks the other nodes for what is in their memory; absent where each node holds everything. */
  readonly forwarder: CallForwarder | undefined;
  /** Asks them for parts of a collection; absent likewise. */
  readonly gatherer: PartGatherer | undefined;
  /** Answers the same question of another node. */
  gather(questions: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** What this node holds of the indexes; absent likewise. */
  readonly held: HeldCollections | undefined;
}

export function createClusterArea(env: DocsEnvironment, { views }: ClusterAreas): ClusterArea {
  const { sql, log, settings, isNode = false } = env;
  const { name = 'quire', weight = 100, address = '', replicas = 2 } = settings.node ?? {};
  const facts: NodeFacts = { name, address, version: settings.buildVersion, weight, limit: settings.indexMemory ?? 0 };
  const collections = new Collections({ sql, views });
  const gather = (questions: Uint8Array, signal: AbortSignal) => answerGathered(views, questions, signal);
  if (!isNode) {
    const handlers = aloneHandlers({ facts, collections }, () => holdingOf(views, collections, () => true));
    return { cluster: undefined, forwarder: undefined, gatherer: undefined, held: undefined, gather, handlers };
  }
  const rows = new SqlRows(sql);
  const isHeld = (unit: UnitNumber): boolean => sharing?.held.has(unit) !== false;
  const holding = () => holdingOf(views, collections, isHeld);
  const cluster = new Cluster({
    rows,
    facts,
    replicas,
    units: () => collections.units(),
    holding,
    peers: sql.peers,
    log,
  });
  const sharing = shareOf(env, { views, cluster, collections });
  return {
    cluster,
    forwarder: sharing?.forwarder,
    gatherer: sharing?.gatherer,
    held: sharing?.held,
    gather,
    handlers: clusterHandlers(cluster, rows, { collections }),
    async start() {
      cluster.start();
      sharing?.held.start();
    },
    async stop() {
      await sharing?.held.stop();
      await cluster.stop();
      sharing?.connections.close();
    },
    registerMetrics: (registers) => registerCluster(registers, cluster),
  };
}

interface Sharing {
  readonly held: HeldCollections;
  readonly connections: NodeConnections;
  readonly forwarder: CallForwarder;
  readonly gatherer: PartGatherer;
}

/** What a node needs that holds only its share of the indexes; undefined for one that holds everything. */
function shareOf({ connectNode, feed, log, settings }: DocsEnvironment,
  { views, cluster, collections }: { readonly views: readonly ClusterView[]; readonly cluster: Cluster;
    readonly collections: Collections }): Sharing | undefined
{
  if (connectNode === undefined) return undefined;
  const held = new HeldCollections({ views, cluster, collections, isLimited: (settings.indexMemory ?? 0) > 0, log });
  const connections = new NodeConnections(connectNode);
  const known = (): number | undefined => feed.known;
  const forwarder = new CallForwarder({ cluster, collections, connections, known });
  const gatherer = new PartGatherer({
    routesOf: (part) => forwarder.routesTo(part),
    connections,
    answerAsEmpty: ({ view, collection }, method, args) =>
      views.find(({ name }) => name === view)!.answerAsEmpty(collection, method, args),
    failed: (node) => cluster.failed(node),
    known,
  });
  const have = (partition: Partition): boolean => {
    const unit = collections.unitOf(partition);
    return unit !== undefined && held.leaves(unit, forwarder.routesTo(partition).length > 0);
  };
  for (const view of views) view.leaveTo({ have, documentsOf: (collection) => collections.documentsOf(collection) });
  return { held, connections, forwarder, gatherer };
}
