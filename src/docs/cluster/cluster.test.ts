import { beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { silentLog } from '../../lib/log.ts';
import { MemoryRows } from '../../testkit/cluster/memory-rows.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import type { ClusterRows } from './cluster-rows.ts';
import { Cluster, EVERY_MS, GRACE_MS, type Holding } from './cluster.ts';
import { LEASE_MS } from './membership.ts';

const UNITS = [64, 128, 192, 256].map((unit) => ({ unit, bytes: 100 }));
const ALL = new Map(UNITS.map(({ unit, bytes }) => [unit, bytes]));
const NONE = new Map<number, number>();

let timer: VirtualTimer;
let rows: ClusterRows;
let logged: string[];

beforeEach(() => {
  timer = new VirtualTimer();
  rows = new MemoryRows(() => timer.now);
  logged = [];
});

interface Node {
  readonly cluster: Cluster;
  holding: Holding;
}

let processes = 0;

const withChanged = (all: ClusterRows, changed: Partial<ClusterRows>): ClusterRows =>
  new Proxy(all, {
    get(target, name: keyof ClusterRows) {
      return changed[name] ?? target[name].bind(target);
    },
  });

/** A node that is asked for what it holds in each round. */
function nodeOf(name: string, ready: ReadonlyMap<number, number> = ALL, more: Partial<ClusterRows> = {},
  { replicas = 1, weight = 100, limit = 0 } = {}): Node
{
  const node = { holding: { ready, used: 0, position: 7 } };
  const cluster = new Cluster({
    rows: withChanged(rows, more),
    facts: { name, address: `${name}:1`, version: '1', weight, limit },
    replicas,
    units: async () => UNITS,
    holding: () => node.holding,
    log: { ...silentLog, error: (_fields: object, message: string) => void logged.push(message) } as never,
    timer,
    now: () => timer.now,
    newProcess: () => `${name}-${processes++}`,
  });
  return Object.assign(node, { cluster });
}

async function started(...nodes: readonly Node[]): Promise<void> {
  for (const { cluster } of nodes) cluster.start();
  await timer.advance(2 * EVERY_MS);
}

const stopAll = (...nodes: readonly Node[]) => Promise.all(nodes.map(({ cluster }) => cluster.stop()));

describe('a node among others', () => {
  it('alone is meant to hold everything, has itself asked, and owns what it has ready', async () => {
    const a = nodeOf('a', new Map([[64, 100]]));
    await started(a);
    expect(a.cluster.wanted()).toEqual([64, 128, 192, 256]);
    expect(a.cluster.routeOf(64)).toEqual([{ name: 'a', address: 'a:1', isReady: true, position: 7 }]);
    expect(a.cluster.routeOf(128)).toEqual([{ name: 'a', address: 'a:1', isReady: false, position: 7 }]);
    expect(a.cluster.ownerEpochOf(64)).toBe(1);
    expect(a.cluster.ownerEpochOf(128)).toBeUndefined();
    expect(a.cluster.state!.short()).toEqual([128, 192, 256].map((unit) => ({ unit, ready: [] })));
    await stopAll(a);
  });

  it('has itself asked first, and then the nodes that a unit is meant for', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => nodeOf(name, ALL, {}, { replicas: 2 })) as [Node, Node, Node];
    await started(a, b, c);
    for (const { unit } of UNITS) {
      const chosen = b.cluster.state!.placement.get(unit)!;
      const order = b.cluster.routeOf(unit).map(({ name }) => name);
      expect(order.filter((name) => name !== 'b')).toEqual(
        expect.arrayContaining(chosen.filter((name) => name !== 'b')),
      );
      if (order.includes('b')) expect(order[0]).toBe('b');
    }
    await stopAll(a, b, c);
  });

  it('asks a node that failed last, until it renews its lease', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => nodeOf(name, ALL, {}, { replicas: 3, weight: 100 })) as [Node, Node,
      Node];
    await started(a, b, c);
    const [, second, third] = a.cluster.routeOf(64).map(({ name }) => name);
    a.cluster.failed(second!);
    expect(a.cluster.routeOf(64).map(({ name }) => name)).toEqual(['a', third, second]);
    await timer.advance(2 * EVERY_MS);
    expect(a.cluster.routeOf(64).map(({ name }) => name)).toEqual(['a', second, third]);
    await stopAll(a, b, c);
  });

  it('serves what it is no longer meant to hold until the new owner is ready, and some seconds more', async () => {
    const a = nodeOf('a');
    await started(a);
    const b = nodeOf('b', NONE);
    await started(b);
    const moved = b.cluster.wanted();
    expect(moved.length).toBeGreaterThan(0);
    expect(a.cluster.wanted()).toEqual(UNITS.map(({ unit }) => unit).filter((unit) => !moved.includes(unit)));
    await timer.advance(60_000);
    expect(moved.map((unit) => a.cluster.mayDrop(unit))).toEqual(moved.map(() => false));
    expect(b.cluster.routeOf(moved[0]!).map(({ name, isReady }) => [name, isReady])).toEqual([['a', true], ['b',
      false]]);
    expect(moved.map((unit) => a.cluster.ownerEpochOf(unit))).toEqual(moved.map(() => 1));
    b.holding = { ...b.holding, ready: new Map(moved.map((unit) => [unit, 100])) };
    await timer.advance(2 * EVERY_MS);
    expect(moved.map((unit) => a.cluster.mayDrop(unit))).toEqual(moved.map(() => false));
    await timer.advance(GRACE_MS + 2 * EVERY_MS);
    expect(moved.map((unit) => a.cluster.mayDrop(unit))).toEqual(moved.map(() => true));
    expect(b.cluster.routeOf(moved[0]!).map(({ name }) => name)).toEqual(['b']);
    expect(moved.map((unit) => b.cluster.ownerEpochOf(unit))).toEqual(moved.map(() => 2));
    expect(moved.map((unit) => a.cluster.ownerEpochOf(unit))).toEqual(moved.map(() => undefined));
    await stopAll(a, b);
  });

  it('never drops what it does not know of', async () => {
    const a = nodeOf('a', new Map([...ALL, [999, 1]]));
    const b = nodeOf('b', new Map([...ALL, [999, 1]]));
    await started(a, b);
    await timer.advance(60_000);
    expect(a.cluster.mayDrop(999)).toBe(false);
    await stopAll(a, b);
  });

  it('is content with one other node for what it has no memory for', async () => {
    const nodes = [nodeOf('a', ALL, {}, { replicas: 2, limit: 1000 }), nodeOf('b', NONE, {}, { replicas: 2 }),
      nodeOf('c', NONE, {}, { replicas: 2 })] as const;
    await started(...nodes);
    const [a, b] = nodes;
    const moved = b.cluster.wanted().filter((unit) => !a.cluster.isWanted(unit));
    b.holding = { ...b.holding, ready: new Map(moved.map((unit) => [unit, 100])) };
    await timer.advance(60_000);
    expect(moved.length).toBeGreaterThan(0);
    expect(a.cluster.mayDrop(moved[0]!)).toBe(false);
    a.holding = { ...a.holding, used: 2000 };
    await timer.advance(60_000);
    expect(a.cluster.mayDrop(moved[0]!)).toBe(true);
    await stopAll(...nodes);
  });

  it('owns nothing when its lease may have ended, before others may take it', async () => {
    let isReachable = true;
    const unreachable = (call: 'renew' | 'processes') => async (...args: never[]) => {
      if (!isReachable) throw new ServiceError('unavailable', 'the database cannot be reached');
      return (rows[call] as (...all: never[]) => Promise<never>)(...args);
    };
    const a = nodeOf('a', ALL, { renew: unreachable('renew'), processes: unreachable('processes') });
    const b = nodeOf('b', ALL, {}, { weight: 0 });
    await started(a, b);
    expect(a.cluster.ownerEpochOf(64)).toBe(1);
    isReachable = false;
    let alone = 0;
    for (let at = 0; at < LEASE_MS + 5000; at += 250) {
      await timer.advance(250);
      const owners = [a, b].filter(({ cluster }) => cluster.ownerEpochOf(64) !== undefined);
      expect(owners.length).toBeLessThan(2);
      if (owners[0] === b) alone += 1;
    }
    expect(alone).toBeGreaterThan(0);
    expect(a.cluster.isMember).toBe(false);
    isReachable = true;
    await timer.advance(3 * EVERY_MS);
    expect(a.cluster.isMember).toBe(true);
    expect(a.cluster.ownerEpochOf(64)).toBe(3);
    await stopAll(a, b);
  });

  it('counts its lease from the moment when it asked', async () => {
    let slow = 0;
    const a = nodeOf('a', ALL, {
      async renew(...args) {
        const renewed = await rows.renew(...args);
        await timer.sleep(slow);
        return renewed;
      },
    });
    await started(a);
    slow = LEASE_MS;
    await timer.advance(EVERY_MS + LEASE_MS);
    expect(a.cluster.isMember).toBe(false);
    slow = 0;
    await timer.advance(EVERY_MS * 2);
    await stopAll(a);
  });

  it('leaves at once when it stops', async () => {
    const [a, b] = [nodeOf('a'), nodeOf('b')];
    await started(a, b);
    await a.cluster.stop();
    await timer.advance(2 * EVERY_MS);
    expect(b.cluster.wanted()).toHaveLength(UNITS.length);
    expect(b.cluster.ownerEpochOf(64)).toBeDefined();
    await stopAll(b);
  });

  it('says so once when another process has its name, and comes back when that is gone', async () => {
    const former = nodeOf('a');
    await started(former);
    const later = nodeOf('a');
    await started(later);
    await timer.advance(60_000);
    expect(later.cluster.isMember).toBe(true);
    expect(former.cluster.isMember).toBe(false);
    expect(logged).toEqual([expect.stringContaining('SVC_NODE_NAME')]);
    await later.cluster.stop();
    await timer.advance(2 * EVERY_MS);
    expect(former.cluster.isMember).toBe(true);
    await stopAll(former);
  });

  it('writes nothing about its units while they stay as they are', async () => {
    let announced = 0;
    const a = nodeOf('a', ALL, {
      announce(holdings) {
        announced += 1;
        return rows.announce(holdings);
      },
    });
    await started(a);
    a.holding = { ...a.holding, ready: new Map([...ALL].map(([unit, bytes]) => [unit, bytes - 1])), position: 99 };
    await timer.advance(60_000);
    expect(announced).toBe(1);
    expect(a.cluster.state!.nodes[0]!.position).toBe(99);
    a.holding = { ...a.holding, ready: new Map([...ALL, [64, 200]]) };
    await timer.advance(EVERY_MS);
    expect(announced).toBe(2);
    await stopAll(a);
  });
});
