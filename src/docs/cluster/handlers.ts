import type { Operations } from '../../../generated/docs/operations.ts';
import type { ClusterNode, DrainNodeResponse, ListNodesResponse,
  PlacedPartition } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Handlers } from '../../operations/index.ts';
import type { ClusterRows, NodeFacts } from './cluster-rows.ts';
import type { ClusterState, KnownNode } from './cluster-state.ts';
import type { Cluster } from './cluster.ts';
import type { Collections } from './collections.ts';
import { type UnitNumber, unitOf } from './unit.ts';

type ClusterHandlers = Required<Pick<Handlers<Operations>, 'listNodes' | 'drainNode' | 'undrainNode'>>;

/** Most partitions that a list shows. */
const SHOWN = 100;

interface HandlerDeps {
  readonly facts: NodeFacts;
  readonly collections: Collections;
}

/** The operations on a server with a database of its own: it is the only node, so it keeps what it holds. */
export function aloneHandlers({ facts, collections }: HandlerDeps,
  held: () => { readonly used: number; readonly position: number;
    readonly ready: ReadonlyMap<UnitNumber, number> }): ClusterHandlers
{
  let isDraining = false;
  const drain = async (name: string, draining: boolean): Promise<DrainNodeResponse> => {
    if (name !== facts.name) throw unknownNode(name);
    isDraining = draining;
    return { name, draining };
  };
  return {
    async listNodes({ collection }) {
      const units = await collections.units();
      const { used, position, ready } = held();
      const { name, address, version, weight, limit } = facts;
      const placed = (unit: UnitNumber): PlacedPartition => ({
        collection: collections.nameOf(unit),
        partition: unitOf(unit).partition,
        partitions: unitOf(unit).partitions,
        ready: ready.has(unit) ? [name] : [],
        wanted: [name],
      });
      const short = units.filter(({ unit }) => !ready.has(unit));
      return {
        self: name,
        replicas: 1,
        nodes: [{
          name,
          state: isDraining ? 'draining' : 'alive',
          address,
          version,
          weight,
          readyPartitions: units.length - short.length,
          wantedPartitions: units.length,
          indexBytes: used,
          indexLimit: limit,
          position,
          leaseSeconds: 0,
        }],
        shortTotal: short.length,
        shortPartitions: short.slice(0, SHOWN).map(({ unit }) => placed(unit)),
        partitions: collection === undefined ? [] : collections.unitsOf(collection).map(placed),
      };
    },
    drainNode: ({ name }) => drain(name, true),
    undrainNode: ({ name }) => drain(name, false),
  };
}

/** The operations on a node that shares its database. */
export function clusterHandlers(cluster: Cluster, rows: Pick<ClusterRows, 'setDraining'>,
  { collections }: Pick<HandlerDeps, 'collections'>): ClusterHandlers
{
  const setDraining = async (name: string, draining: boolean): Promise<DrainNodeResponse> => {
    if (!await rows.setDraining(name, draining)) throw unknownNode(name);
    cluster.tell();
    return { name, draining };
  };
  return {
    async listNodes({ collection }) {
      await collections.units();
      const state = await cluster.known();
      return describe(cluster, state, collections, collection);
    },
    drainNode: ({ name }) => setDraining(name, true),
    undrainNode: ({ name }) => setDraining(name, false),
  };
}

function describe(cluster: Cluster, state: ClusterState, collections: Collections,
  collection: string | undefined): ListNodesResponse
{
  const placed = (unit: UnitNumber): PlacedPartition => ({
    collection: collections.nameOf(unit),
    partition: unitOf(unit).partition,
    partitions: unitOf(unit).partitions,
    ready: state.readyFor(unit).map(({ name }) => name),
    wanted: [...state.placement.get(unit) ?? []],
  });
  const short = state.short();
  return {
    self: cluster.self,
    replicas: cluster.replicas,
    nodes: state.nodes.map((node) => describeNode(state, node)),
    shortTotal: short.length,
    shortPartitions: short.slice(0, SHOWN).map(({ unit }) => placed(unit)),
    partitions: collection === undefined ? [] : collections.unitsOf(collection).map(placed),
  };
}

function describeNode(state: ClusterState, node: KnownNode): ClusterNode {
  const isAlive = state.isAlive(node);
  return {
    name: node.name,
    state: !isAlive ? 'gone' : node.isDraining ? 'draining' : 'alive',
    address: node.address,
    version: node.version,
    weight: node.weight,
    readyPartitions: isAlive ? node.units.size : 0,
    wantedPartitions: state.wantedOf(node.name).length,
    indexBytes: isAlive ? node.used : 0,
    indexLimit: node.limit,
    position: isAlive ? node.position : 0,
    leaseSeconds: isAlive ? Math.round(state.leaseMs(node) / 100) / 10 : 0,
  };
}

function unknownNode(name: string): ServiceError {
  return new ServiceError('not_found', `name: there is no node ${name}; GET /v1/nodes lists them`);
}
