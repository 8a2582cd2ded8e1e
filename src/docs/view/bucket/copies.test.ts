import { randomUUID } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Timer } from '../../../lib/clock.ts';
import { type ObjectStore, StoreFailure } from '../../../net/objects.ts';
import { KeyRing } from '../../../storage/index.ts';
import { languages, TestKind } from '../test-fixture.ts';
import type { Claims } from './claims.ts';
import { GRACE_MS } from './garbage.ts';
import { type Machine, Machines, patient } from './test-fixture.ts';
import { CheckpointWriter } from './writing.ts';

const FAILURE = new StoreFailure('the service cannot be reached', { field: 'endpoint', passes: true });

const machines = new Machines();
const { views } = machines;
const { add, remove } = views;
afterEach(() => void vi.restoreAllMocks());

/** Writes the checkpoint of a view by stopping it, and copies it. */
async function copied(machine: Machine, more = {}): Promise<void> {
  await (await machines.start(machine, more)).view.stop();
  await machine.copies.settled();
}

/** What a machine with an empty disk reads of the tables, and what it finds. */
async function fresh(more = {}): Promise<{ read: string[]; found: string[] | undefined; machine: Machine }> {
  const machine = await machines.machine();
  const { view, kind } = await machines.start(machine, more);
  return { read: kind.puts.toSorted(), found: languages(view), machine };
}

describe('copies of checkpoints', () => {
  let first: Machine;
  beforeEach(async () => {
    await add('de', 'a');
    await add('en', 'b');
    first = await machines.machine();
    await copied(first);
  });

  it('let a machine without files start, with the changes since then from the feed', async () => {
    await add('it', 'd');
    await remove('de', 'a');
    const { read, found, machine } = await fresh();
    expect([found, read]).toEqual([['en', 'it'], ['it']]);
    // It is on the disk now, so that it is not fetched again.
    expect(await readdir(machine.folder)).toContain('c.idx');
  });

  it('are not asked for what is on the disk', async () => {
    await machines.damage('', () => undefined);
    expect((await machines.start(first)).kind.puts).toEqual([]);
  });

  it('are made of files that were there before', async () => {
    await machines.damage('', () => undefined);
    await machines.start(first);
    await first.copies.settled();
    expect((await fresh()).read).toEqual([]);
  });

  it.each<[string, string, (bytes: Buffer) => Buffer | undefined]>([
    ['a damaged segment', 'segments', (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('x')])],
    ['a truncated segment', 'segments', (bytes) => bytes.subarray(0, 5)],
    ['a missing segment', 'segments', () => undefined],
    ['a damaged manifest', 'manifests', (bytes) => Buffer.from(bytes.toString().replace('"at":', '"at":1'))],
    ['a truncated manifest', 'manifests', (bytes) => bytes.subarray(0, 80)],
    ['an empty manifest', 'manifests', () => Buffer.alloc(0)],
  ])('with %s are no error: the index is built from the tables, and the next copy replaces it',
    async (_, under, change) => {
      await machines.damage(under, change);
      const warn = vi.spyOn(views.fixture.environment.log, 'warn');
      const { read, found, machine } = await fresh();
      expect([found, read]).toEqual([['de', 'en'], ['de', 'en']]);
      expect([...machines.warnings, ...warn.mock.calls.map(([, message]) => message)]).toEqual([
        expect.stringMatching(/cannot be used|built from the tables/),
      ]);
      await machine.copies.settled();
      expect((await fresh()).read).toEqual([]);
    });

  it('of a version that cannot be read are replaced, though nothing has changed', async () => {
    const otherVersion = vi.spyOn(TestKind.prototype, 'restore').mockRejectedValueOnce(new Error('of version 1'));
    const { read, machine } = await fresh();
    expect([read, otherVersion.mock.calls.length]).toEqual([['de', 'en'], 1]);
    const before = await machines.objects('manifests');
    await machine.copies.settled();
    expect(await machines.objects('manifests')).not.toEqual(before);
    expect((await fresh()).read).toEqual([]);
  });

  it('of another database are ignored', async () => {
    await machines.damage('manifests', (bytes) => bytes);
    await views.fixture.sql.transaction((tx) => tx.run('UPDATE changes SET at = at + 1'));
    expect((await fresh()).read).toEqual(['de', 'en']);
  });

  it('stay valid when the feed is pruned', async () => {
    const { view } = await machines.start(first);
    await add('fr', 'x', 'other');
    await view.caughtUp();
    await views.fixture.feed.prune({ entries: 0 });
    await first.copies.settled();
    expect((await fresh()).read).toEqual([]);
  });

  it('go with their collection', async () => {
    const { view } = await machines.start(first);
    await views.fixture.call('deleteCollection', { collection: 'c' });
    await view.caughtUp();
    await first.copies.settled();
    expect([await machines.objects('manifests'), await machines.objects('segments')]).toEqual([[], []]);
  });

  it('that are not encrypted go when their collection becomes encrypted', async () => {
    const keys = new KeyRing({ id: 1, bytes: new Uint8Array(32).fill(7) });
    const secret = { keys, isSecret: () => true };
    const plain = new Set(await machines.objects('segments'));
    const { view } = await machines.start(first, secret);
    await add('it', 'd');
    await view.caughtUp();
    await view.stop();
    await first.copies.settled();
    expect((await machines.objects('segments')).filter((path) => plain.has(path))).toEqual([]);
    const { read, found } = await fresh(secret);
    expect([found, read]).toEqual([['de', 'en', 'it'], []]);
    // Without the key it cannot be read.
    expect((await fresh({ isSecret: () => true })).read).toEqual(['de', 'en', 'it']);
    await machines.damage('segments', (bytes) => {
      expect(bytes.includes('"en"')).toBe(false);
      return bytes;
    });
  });

  it('are read by a machine that does not write any, which leaves them as they are', async () => {
    const before = await machines.objects('');
    const reader = await machines.machine({ isWriter: false });
    const { view, kind } = await machines.start(reader);
    await add('it', 'd');
    await view.caughtUp();
    await view.stop();
    expect([kind.puts, await machines.objects('')]).toEqual([['it'], before]);
  });
});

async function waitingOf({ copies }: Machine): Promise<number> {
  const registry = new Registry();
  copies.registerMetrics([registry]);
  const { values } = await registry.getSingleMetric('svc_checkpoint_uploads_waiting')!.get();
  return values[0]!.value;
}

describe('of two machines, one', () => {
  /** Whether a machine has the claim, and in which epoch. */
  const claims = (state: { epoch: number | undefined }): Claims => ({
    node: randomUUID(),
    claim: async (names) => new Map(state.epoch === undefined ? [] : names.map((name) => [name, state.epoch!])),
    raise: async () => false,
    release: async () => {},
    forget: async () => {},
  });

  it('writes; another one whose claim is older cannot replace what it wrote', async () => {
    const [old, current] = [{ epoch: 1 }, { epoch: 2 }];
    await add('de', 'a');
    const fenced = await machines.machine({ claims: claims(old) });
    await copied(fenced);
    const owner = await machines.machine({ claims: claims(current) });
    const { view } = await machines.start(owner);
    await add('en', 'b');
    await view.caughtUp();
    await view.stop();
    await owner.copies.settled();
    const [manifest] = await machines.objects('manifests');
    expect(manifest).toMatch(/02$/);
    // It believes that the claim is still its own, and has something newer.
    const { view: late } = await machines.start(fenced);
    await add('fr', 'x');
    await late.caughtUp();
    await late.stop();
    await fenced.copies.settled();
    expect(await machines.objects('manifests')).toEqual([manifest]);
    expect((await fresh()).read).toEqual(['fr']);
  });

  it('has nothing to do when the other one writes', async () => {
    await add('de', 'a');
    const machine = await machines.machine({ claims: claims({ epoch: undefined }) });
    await copied(machine);
    await copied(await machines.machine({ claims: claims({ epoch: 1 }) }));
    const before = await machines.objects('manifests');
    machines.now += 31 * 60_000;
    const claim = vi.spyOn(CheckpointWriter.prototype, 'upload');
    await machine.copies.stop();
    expect([claim.mock.calls, await machines.objects('manifests'), before.length]).toEqual([[], before, 1]);
  });

  it('takes over when the other one writes nothing for half an hour', async () => {
    const state: { epoch: number | undefined } = { epoch: undefined };
    const overdue: string[][] = [];
    const waiting: Claims = {
      ...claims(state),
      claim: async (names, late) => {
        overdue.push([...late]);
        return new Map(names.filter((name) => late.has(name)).map((name) => [name, 1]));
      },
    };
    await add('de', 'a');
    const machine = await machines.machine({ claims: waiting });
    await copied(machine);
    expect([await machines.objects('manifests'), overdue]).toEqual([[], [[]]]);
    expect(await waitingOf(machine)).toBe(0);
    machines.now += 31 * 60_000;
    await machine.copies.stop();
    expect(await machines.objects('manifests')).toHaveLength(1);
  });
});

describe('a place that cannot be reached', () => {
  const failing: ObjectStore = {
    put: () => Promise.reject(FAILURE),
    get: () => Promise.reject(FAILURE),
    remove: () => Promise.reject(FAILURE),
    list: () => Promise.reject(FAILURE),
  };
  const silent: ObjectStore = {
    put: () => new Promise(() => {}),
    get: () => new Promise(() => {}),
    remove: () => new Promise(() => {}),
    list: () => new Promise(() => {}),
  };
  /** Limits end once it is told; pauses between rounds do not. */
  const hasty = { isOver: false };
  const timer: Timer = {
    sleep: (milliseconds, signal) =>
      milliseconds > 10_000 ? patient.sleep(milliseconds, signal) : new Promise<void>((resolve) => {
        const look = (): void => void (hasty.isOver || signal?.aborted === true ? resolve() : setImmediate(look));
        look();
      }),
  };
  beforeEach(async () => {
    hasty.isOver = false;
    await add('de', 'a');
  });

  it('is no error at a start: indexes are built from the tables, and copied when it is back', async () => {
    let isBack = false;
    const machine = await machines.machine({
      store: {
        put: (...args) => (isBack ? machines.store : failing).put(...args),
        get: (...args) => (isBack ? machines.store : failing).get(...args),
        remove: (...args) => (isBack ? machines.store : failing).remove(...args),
        list: (...args) => (isBack ? machines.store : failing).list(...args),
      },
    });
    const { view, kind } = await machines.start(machine);
    expect([languages(view), kind.puts]).toEqual([['de'], ['de']]);
    await machine.copies.settled();
    expect(machines.warnings.join()).toMatch(/built from the tables.*could not be copied/s);
    isBack = true;
    await view.stop();
    await machine.copies.stop();
    expect((await fresh()).read).toEqual([]);
  });

  it('delays a start and a stop for some seconds, and no more', async () => {
    const machine = await machines.machine({ store: silent, timer });
    const starting = machines.start(machine);
    hasty.isOver = true;
    const { view, kind } = await starting;
    hasty.isOver = false;
    expect([languages(view), kind.puts]).toEqual([['de'], ['de']]);
    await view.stop();
    const stopping = machine.copies.stop();
    hasty.isOver = true;
    await stopping;
  });
});

describe('an upload that breaks off', () => {
  it('leaves the former copy, and goes on with what is missing', async () => {
    await add('de', 'a');
    const machine = await machines.machine();
    await copied(machine);
    const before = await machines.objects('manifests');
    let puts = 0;
    const { store } = machines;
    const breaking = await machines.machine({
      store: {
        put: (name, bytes) => (++puts === 2 ? Promise.reject(FAILURE) : store.put(name, bytes)),
        get: (name) => store.get(name),
        remove: (name) => store.remove(name),
        list: (from, under) => store.list(from, under),
      },
    });
    const { view } = await machines.start(breaking);
    await add('en', 'b');
    await view.caughtUp();
    await view.stop();
    await breaking.copies.settled();
    // The segment is there, the manifest is not.
    expect([puts, await machines.objects('manifests')]).toEqual([2, before]);
    expect((await fresh()).read).toEqual(['en']);
    await breaking.copies.stop();
    expect(puts).toBe(3);
    expect((await fresh()).read).toEqual([]);
  });
});

describe('garbage', () => {
  const round = async (machine: Machine): Promise<void> => {
    await machine.copies.collect();
  };
  const age = async (paths: readonly string[]): Promise<void> => {
    const time = (machines.now - GRACE_MS - 1000) / 1000;
    for (const path of paths) await utimes(path, time, time);
  };

  it('is removed when it is old and two rounds have found it, and nothing else', async () => {
    await add('de', 'a');
    const machine = await machines.machine();
    await copied(machine);
    const former = await machines.objects('segments');
    const { view } = await machines.start(machine);
    await add('en', 'b');
    await view.caughtUp();
    await view.stop();
    await machine.copies.settled();
    const both = await machines.objects('segments');
    expect(both).toHaveLength(2);
    await round(machine);
    await round(machine);
    expect(await machines.objects('segments')).toEqual(both);
    await age(await machines.objects(''));
    await round(machine);
    expect(await machines.objects('segments')).toEqual(both);
    await round(machine);
    expect(await machines.objects('segments')).toEqual(both.filter((path) => !former.includes(path)));
    expect((await fresh()).read).toEqual([]);
  });

  it('of an index that goes on changing is removed by its writer, after half an hour', async () => {
    const machine = await machines.machine();
    for (const lang of ['de', 'en', 'fr', 'it']) {
      const { view } = await machines.start(machine);
      await add(lang, lang);
      await view.caughtUp();
      await view.stop();
      await machine.copies.settled();
      machines.now += 20 * 60_000;
    }
    // The present one, the former one, and the one before.
    expect(await machines.objects('segments')).toHaveLength(3);
    expect((await fresh()).read).toEqual([]);
  });

  it('are manifests that lack a segment, and those of no collection', async () => {
    await add('de', 'a');
    await add('fr', 'x', 'gone');
    const machine = await machines.machine();
    await copied(machine);
    await views.fixture.sql.transaction((tx) => tx.run("UPDATE collections SET name = 'lost' WHERE name = 'gone'"));
    await machines.damage('segments', (bytes) => (bytes.includes('"de"') ? undefined : bytes));
    await age(await machines.objects(''));
    await round(machine);
    expect(await machines.objects('manifests')).toHaveLength(2);
    await round(machine);
    expect(await machines.objects('manifests')).toEqual([]);
  });
});
