import { beforeEach, describe, expect, it } from 'vitest';
import type { Division } from '../view/index.ts';
import { ClusterState, type KnownNode } from './cluster-state.ts';
import { GRACE_MS } from './cluster.ts';
import { Divisions } from './divisions.ts';
import { unitsFrom } from './unit.ts';

const node = (name: string, isGone = false): KnownNode => ({
  name,
  address: `${name}:1`,
  version: '1',
  weight: 100,
  limit: 0,
  process: name,
  epoch: 1,
  isGone,
  isDraining: false,
  used: 0,
  position: 0,
  holdings: 1,
  aliveUntil: 1000,
  units: new Map(),
});

/** What nodes have announced of the collection 1. */
function stateOf(units: readonly number[], isGone = false): ClusterState {
  const a = node('a', isGone);
  return new ClusterState({
    self: 'self',
    replicas: 1,
    nodes: [a],
    placement: new Map(),
    holders: new Map(units.map((unit) => [unit, [a]])),
    now: () => 0,
  });
}

describe('the number of partitions that serves', () => {
  let division: Division | undefined;
  let now: number;
  let calls: string[];
  const view = {
    divisionOf: () => division,
    takeOver: (name: string, partitions: number) => void calls.push(`${name}: ${partitions}`),
    leaveFormer: (name: string) => void calls.push(`${name}: leave`),
  };
  let divisions: Divisions;

  beforeEach(() => {
    now = 0;
    calls = [];
    division = { serving: 2, next: 4 };
    divisions = new Divisions({
      views: [view],
      collections: { all: [{ name: 'c', id: 1, documents: 9 }] },
      now: () => now,
    });
  });

  it('changes when live nodes have all of the new ones', async () => {
    const some = [...unitsFrom(1, 2), ...unitsFrom(1, 4).slice(1), ...unitsFrom(2, 4)];
    expect([await divisions.follow(stateOf(some)), calls]).toEqual([false, []]);
    expect(await divisions.follow(stateOf(unitsFrom(1, 4), true))).toBe(false);
    expect([await divisions.follow(stateOf([...some, unitsFrom(1, 4)[0]!])), calls]).toEqual([true, ['c: 4']]);
  });

  it('is that of which nodes have everything, if they do not have the present one', async () => {
    division = { serving: 4 };
    expect([await divisions.follow(stateOf([])), calls]).toEqual([false, []]);
    expect(await divisions.follow(stateOf(unitsFrom(1, 4).slice(1)))).toBe(false);
    expect(await divisions.follow(stateOf([...unitsFrom(1, 2), ...unitsFrom(1, 4)]))).toBe(false);
    expect([await divisions.follow(stateOf([...unitsFrom(1, 2), unitsFrom(1, 4)[0]!])), calls]).toEqual([true, [
      'c: 2',
    ]]);
  });

  it('is the same in all views', async () => {
    const other = { ...view, divisionOf: () => ({ serving: 3 }) };
    divisions = new Divisions({ views: [view, other], collections: { all: [{ name: 'c', id: 1, documents: 9 }] } });
    expect([await divisions.follow(stateOf([])), calls]).toEqual([true, ['c: 2']]);
  });

  it('leaves the former ones to be asked for until other nodes know', async () => {
    division = { serving: 4, former: 2 };
    for (const at of [10, GRACE_MS]) {
      now = at;
      expect(await divisions.follow(stateOf(unitsFrom(1, 4)))).toBe(false);
    }
    expect(calls).toEqual([]);
    now = GRACE_MS + 10;
    await divisions.follow(stateOf(unitsFrom(1, 4)));
    expect(calls).toEqual(['c: leave']);
    division = undefined;
    expect([await divisions.follow(stateOf([])), calls.length]).toEqual([false, 1]);
  });
});
