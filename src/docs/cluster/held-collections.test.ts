import { expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import type { ClusterState } from './cluster-state.ts';
import { HeldCollections } from './held-collections.ts';

const LISTED = [{ name: 'large', unit: 64, documents: 9000 }, { name: 'small', unit: 128, documents: 10 }, {
  name: 'other',
  unit: 192,
  documents: 9000,
}];

it('holds what the node is meant for, and releases what others have', async () => {
  const memory = new Set(['other', 'large|1/2']);
  const wanted = new Set([64, 128]);
  const dropped = new Set<number>();
  const loaded: string[] = [];
  let news = 0;
  let isOutOfReach = true;
  const view = {
    isReady: true,
    stateOf: (name: string): 'memory' | 'resting' => (memory.has(`${name}|2/2`) ? 'memory' : 'resting'),
    inMemory: () => [...memory].map((name) => ({ name, documents: 9000, bytes: 1, usedAt: 5 })),
    async intoMemory([name]: readonly string[]) {
      loaded.push(name!);
      if (isOutOfReach) return;
      for (const part of [`${name}|1/2`, `${name}|2/2`]) memory.add(part);
    },
    async rest(name: string, usedAt: number) {
      return usedAt === 5 && memory.delete(name);
    },
  };
  const timer = new ManualTimer();
  const held = new HeldCollections({
    views: [view],
    cluster: {
      state: {} as ClusterState,
      isWanted: (unit) => wanted.has(unit),
      mayDrop: (unit) => dropped.has(unit),
      wake: () => void (news += 1),
    },
    collections: { listed: LISTED },
    log: silentLog,
    timer,
  });
  const round = async (): Promise<void> => {
    const before = timer.sleeps.length;
    await timer.elapse();
    await expect.poll(() => timer.sleeps.length).toBe(before + 1);
  };
  expect(held.isReady).toBe(false);
  held.start();
  await held.changed;
  expect(held.isReady).toBe(true);
  await expect.poll(() => timer.sleeps.length).toBe(1);
  expect([loaded, news, held.has('large')]).toEqual([['large'], 1, false]);
  isOutOfReach = false;
  await round();
  expect([loaded, news]).toEqual([['large', 'large'], 2]);
  expect(LISTED.filter(({ name }) => held.has(name)).map(({ name }) => name)).toEqual(['large', 'small']);
  expect([...memory].sort()).toEqual(['large|1/2', 'large|2/2', 'other']);
  dropped.add(192);
  await round();
  expect([...memory].sort()).toEqual(['large|1/2', 'large|2/2']);
  wanted.clear();
  dropped.add(64);
  await round();
  expect([[...memory], held.has('large'), held.has('small')]).toEqual([[], false, true]);
  await held.stop();
});
