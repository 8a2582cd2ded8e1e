import { expect, it } from 'vitest';
import { MemoryRows } from '../../testkit/cluster/memory-rows.ts';
import type { ClusterRows } from './cluster-rows.ts';
import { Ownership } from './ownership.ts';

const facts = (name: string) => ({ name, address: '', version: '1', weight: 100, limit: 0 });

async function rowsOf(...names: readonly string[]): Promise<MemoryRows> {
  const rows = new MemoryRows(() => 0);
  for (const name of names) await rows.join(facts(name), name, 1000, true);
  return rows;
}

type OwnerRows = Pick<ClusterRows, 'take' | 'release' | 'ownedBy'>;

/** The same rows, with a call whose answer is lost while `isLost`. */
function losing(rows: MemoryRows, lost: 'take' | 'release', when: { isLost: boolean }): OwnerRows {
  const call = (name: 'take' | 'release') => async (process: string, units: never) => {
    const answer = await (rows[name] as (process: string, units: never) => Promise<never>)(process, units);
    if (name === lost && when.isLost) throw new Error('the answer was lost');
    return answer;
  };
  return { take: call('take'), release: call('release'), ownedBy: (process) => rows.ownedBy(process) };
}

it('takes what is free, and gives up what is no longer its own', async () => {
  const rows = await rowsOf('a', 'b');
  const [a, b] = [new Ownership(rows, () => 'a'), new Ownership(rows, () => 'b')];
  await a.update(new Set([64, 65]));
  await b.update(new Set([65, 66]));
  expect([64, 65, 66].map((unit) => [a.epochOf(unit), b.epochOf(unit)])).toEqual([[1, undefined], [1, undefined], [
    undefined,
    1,
  ]]);
  await a.update(new Set([64]));
  await b.update(new Set([65, 66]));
  expect([a.epochOf(65), b.epochOf(65)]).toEqual([undefined, 2]);
  expect([a.size, b.size]).toEqual([1, 2]);
});

it('owns nothing without a lease, nor what its former process had', async () => {
  const rows = await rowsOf('a1', 'a2');
  let process: string | undefined = 'a1';
  const a = new Ownership(rows, () => process);
  await a.update(new Set([64]));
  process = undefined;
  expect([a.epochOf(64), a.size]).toEqual([undefined, 0]);
  process = 'a2';
  expect([a.epochOf(64), a.size]).toEqual([undefined, 0]);
  await a.update(new Set([64]));
  expect(a.epochOf(64)).toBeUndefined();
  await rows.leave('a1');
  await a.update(new Set([64]));
  expect(a.epochOf(64)).toBe(2);
});

it('stops before the row says that it has given a unit up, and says so until it is certain', async () => {
  const rows = await rowsOf('a', 'b');
  const when = { isLost: false };
  const a = new Ownership(losing(rows, 'release', when), () => 'a');
  await a.update(new Set([64]));
  when.isLost = true;
  await expect(a.update(new Set())).rejects.toThrow('lost');
  expect(a.epochOf(64)).toBeUndefined();
  when.isLost = false;
  await a.update(new Set());
  expect(await rows.take('b', [64])).toEqual([{ unit: 64, epoch: 2 }]);
});

it('finds what it owns although the answer was lost, and gives it up', async () => {
  const rows = await rowsOf('a', 'b');
  const when = { isLost: true };
  const a = new Ownership(losing(rows, 'take', when), () => 'a');
  await expect(a.update(new Set([64]))).rejects.toThrow('lost');
  when.isLost = false;
  expect(await rows.take('b', [64])).toEqual([]);
  for (let round = 0; round < 8; round++) await a.update(new Set());
  expect(await rows.take('b', [64])).toEqual([{ unit: 64, epoch: 2 }]);
});
