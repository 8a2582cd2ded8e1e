import { expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { type Division, nameOfPartition, type Partition } from '../view/index.ts';
import { ClusterState } from './cluster-state.ts';
import { HeldCollections } from './held-collections.ts';
import { numberOf, unitsFrom } from './unit.ts';

const IDS = { large: 1, small: 2, other: 3 };
type Name = keyof typeof IDS;

const unit = (name: Name, number = 0, of = 1) => ({
  partition: { collection: name, number, of },
  unit: numberOf({ collection: IDS[name], partition: number, partitions: of }),
  documents: name === 'small' ? 10 : 9000,
});

const nothing = new ClusterState({
  self: 'self',
  replicas: 1,
  nodes: [],
  placement: new Map(),
  holders: new Map(),
  now: () => 0,
});

/** A node that is meant for all that it lists, with one view. */
function nodeOf(memory: Set<string>, divisions: Partial<Record<string, Division>>, isLimited = false) {
  const node = {
    listed: [unit('large', 0, 2), unit('large', 1, 2), unit('small'), unit('other')],
    unwanted: new Set([unit('other').unit]),
    dropped: new Set<number>(),
    loaded: [] as string[],
    taken: [] as string[],
    news: 0,
    isOutOfReach: false,
    state: nothing as ClusterState | undefined,
  };
  const view = {
    isReady: true,
    divisionOf: (name: string) => divisions[name],
    takeOver(name: string, serving: number) {
      node.taken.push(`${name}: ${serving}`);
      divisions[name] = { serving, former: divisions[name]!.serving };
    },
    leaveFormer: (name: string) => void (divisions[name] = { serving: divisions[name]!.serving }),
    stateOf: (
      partition: Partition,
    ) => (memory.has(nameOfPartition(partition)) ? 'memory' as const : 'resting' as const),
    inMemory: () => [...memory].map((name) => ({ name, documents: 9000, bytes: 1, usedAt: 5 })),
    async partIntoMemory(partition: Partition) {
      node.loaded.push(nameOfPartition(partition));
      if (!node.isOutOfReach) memory.add(nameOfPartition(partition));
    },
    rest: async (name: string, usedAt: number) => usedAt === 5 && memory.delete(name),
  };
  const timer = new ManualTimer();
  const held = new HeldCollections({
    views: [view],
    cluster: {
      get state() {
        return node.state;
      },
      isWanted: (each) => !node.unwanted.has(each),
      mayDrop: (each) => node.dropped.has(each),
      wake: () => void (node.news += 1),
    },
    collections: {
      all: Object.entries(IDS).map(([name, id]) => ({ name, id, documents: 1 })),
      get listed() {
        return node.listed;
      },
    },
    isLimited,
    log: silentLog,
    timer,
  });
  const round = async (): Promise<void> => {
    const before = timer.sleeps.length;
    await timer.elapse();
    await expect.poll(() => timer.sleeps.length).toBe(before + 1);
  };
  const names = () =>
    node.listed.filter((each) => held.has(each.unit)).map(({ partition }) => nameOfPartition(partition));
  return { node, held, timer, round, names };
}

it('holds the partitions that the node is meant for, and releases what others have', async () => {
  const memory = new Set(['other', 'large|1/2']);
  const divisions = { large: { serving: 2 }, small: { serving: 1 }, other: { serving: 1 } };
  const { node, held, timer, round, names } = nodeOf(memory, divisions);
  node.unwanted.add(unit('large', 0, 2).unit);
  node.isOutOfReach = true;
  expect(held.isReady).toBe(false);
  held.start();
  await held.changed;
  expect(held.isReady).toBe(true);
  await expect.poll(() => timer.sleeps.length).toBe(1);
  expect([node.loaded, node.news, names()]).toEqual([['large|2/2'], 1, ['small']]);
  node.isOutOfReach = false;
  await round();
  expect([node.loaded, node.news, names()]).toEqual([['large|2/2', 'large|2/2'], 2, ['large|2/2', 'small']]);
  expect([...memory].sort()).toEqual(['large|1/2', 'large|2/2', 'other']);
  node.dropped.add(unit('other').unit).add(unit('large', 0, 2).unit);
  await round();
  expect([...memory].sort()).toEqual(['large|2/2']);
  node.unwanted = new Set(node.listed.map((each) => each.unit));
  node.dropped.add(unit('large', 1, 2).unit);
  await round();
  expect([[...memory], names()]).toEqual([[], ['small']]);
  await held.stop();
});

it('leaves what it is not meant to hold to others, and what nobody has only if it has a limit of memory', () => {
  const [wanted, unwanted] = [unit('small').unit, unit('other').unit];
  const [free, limited] = [nodeOf(new Set(), {}), nodeOf(new Set(), {}, true)];
  for (const { held } of [free, limited])
    expect([held.leaves(wanted, true), held.leaves(wanted, false), held.leaves(unwanted, true)]).toEqual([true, false,
      true]);
  expect([free.held.leaves(unwanted, false), limited.held.leaves(unwanted, false)]).toEqual([false, true]);
  limited.node.state = undefined;
  expect(limited.held.leaves(unwanted, false)).toBe(false);
});

it('builds its share of new partitions, and has them serve when the nodes have all of them', async () => {
  const divisions: Record<string, Division> = { large: { serving: 2, next: 4 } };
  const { node, held, timer, round, names } = nodeOf(new Set(), divisions);
  node.listed = [...[0, 1].map((number) => unit('large', number, 2)),
    ...[0, 1, 2, 3].map((number) => unit('large', number, 4))];
  node.unwanted = new Set([unit('large', 1, 2).unit, unit('large', 0, 4).unit, unit('large', 1, 4).unit]);
  held.start();
  await expect.poll(() => timer.sleeps.length).toBe(1);
  expect([node.loaded, held.isReady]).toEqual([['large|1/2', 'large|3/4', 'large|4/4'], true]);
  const holder = { name: 'a', isGone: false, aliveUntil: 1 } as never;
  node.state = new ClusterState({
    self: 'self',
    replicas: 1,
    nodes: [],
    placement: new Map(),
    holders: new Map([...unitsFrom(1, 2), ...unitsFrom(1, 4)].map((each) => [each, [holder]])),
    now: () => 0,
  });
  await round();
  expect(node.taken).toEqual(['large: 4']);
  const { loaded } = node;
  node.unwanted.delete(unit('large', 1, 2).unit);
  await round();
  expect([node.loaded, node.taken]).toEqual([loaded, ['large: 4']]);
  expect(names()).toEqual(['large|1/2', 'large|3/4', 'large|4/4']);
  node.listed = node.listed.slice(2);
  await round();
  expect([unit('large', 0, 2), unit('large', 2, 4)].map((each) => held.has(each.unit))).toEqual([false, true]);
  await held.stop();
});

it('is not ready by a list of other divisions than the views have', async () => {
  const { node, held, timer, round } = nodeOf(new Set(), { large: { serving: 3 } });
  held.start();
  await expect.poll(() => timer.sleeps.length).toBe(1);
  expect([held.isReady, node.loaded, node.news]).toEqual([false, [], 1]);
  node.listed = [unit('large', 2, 3)];
  await round();
  expect([held.isReady, node.loaded]).toEqual([true, ['large|3/3']]);
  await held.stop();
});
