import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../generated/docs/sdk/types.gen.ts';
import { silentLog } from '../../lib/log.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { type AuditFilter, AuditLog, AuditStore, RING } from './audit-log.ts';

const START = 1_766_400_000_000;
const DAY = 86_400_000;

let folder: string;
let path: string;
let clock: { time: number; now(): number };
let open: AuditLog[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-audit-'));
  path = join(folder, 'quire.db.audit');
  clock = { time: START, now: () => clock.time };
  open = [];
});
afterEach(async () => {
  for (const log of open) await log.stop();
  await rm(folder, { recursive: true, force: true });
});

async function started(at = path): Promise<{ log: AuditLog; store: AuditStore; timer: ManualTimer }> {
  const [store, timer] = [await AuditStore.open(at, clock), new ManualTimer()];
  const log = new AuditLog({ store, clock, log: silentLog, timer, retentionDays: 90 });
  open.push(log);
  return { log, store, timer };
}

const event = (fields: Partial<AuditEvent> = {}): AuditEvent => ({
  ts: clock.time * 1e6,
  actor: 'alice',
  action: 'write./v1/add',
  resource: '/v1/add',
  result: 'ok',
  ip: '192.0.2.1',
  userAgent: 'test',
  ...fields,
});
const resources = async (log: AuditLog, filter: AuditFilter = {}, limit = 100) =>
  (await log.find(filter, limit)).map(({ resource }) => resource);

describe.each([['on disk', false], ['in memory', true]])('AuditLog %s', (_, inMemory) => {
  it('finds events at once, newest first, and after a restart', async () => {
    const { log } = await started(inMemory ? ':memory:' : path);
    for (let i = 0; i < 5; i++) {
      clock.time += 10;
      log.note(event({ resource: `r${i}` }));
    }
    expect(await resources(log, {}, 3)).toEqual(['r4', 'r3', 'r2']);
    if (inMemory) return;
    log.note(event({ resource: 'last' }));
    await log.stop();
    open = [];
    expect(await resources((await started()).log)).toEqual(['last', 'r4', 'r3', 'r2', 'r1', 'r0']);
  });

  it('narrows as a plain filter would', async () => {
    const { log } = await started(inMemory ? ':memory:' : path);
    const all: AuditEvent[] = [];
    for (let i = 0; i < 40; i++) {
      clock.time += i % 3;
      all.unshift(event({
        resource: `r${i}`,
        actor: ['alice', 'bob', ''][i % 3]!,
        action: ['auth.jwt', 'auth.login'][i % 2]!,
        result: i % 5 === 0 ? 'fail' : 'ok',
      }));
      log.note(all[0]!);
    }
    const moment = fc.option(fc.integer({ min: -2, max: 45 }).map((ms) => (START + ms) * 1e6), { nil: undefined });
    const filters = fc.record({
      from: moment,
      to: moment,
      actor: fc.constantFrom(undefined, 'alice', 'bob', 'eve'),
      action: fc.constantFrom(undefined, 'auth.jwt', 'auth.none'),
      result: fc.constantFrom(undefined, 'ok', 'fail'),
    });
    await fc.assert(fc.asyncProperty(filters, fc.integer({ min: 1, max: 50 }), async (filter, limit) => {
      const { from = 0, to = Infinity, actor, action, result } = filter;
      const wanted = all.filter((each) =>
        each.ts >= from && each.ts <= to && [undefined, each.actor].includes(actor)
        && [undefined, each.action].includes(action) && [undefined, each.result].includes(result)
      );
      expect(await log.find(filter, limit)).toEqual(wanted.slice(0, limit));
    }), { numRuns: 60 });
  });
});

describe('AuditLog', () => {
  it('takes moments that lie beyond what a column holds', async () => {
    const { log } = await started();
    log.note(event());
    expect(await log.find({ from: -62_167_219_200_000 * 1e6, to: 253_402_300_799_999 * 1e6 }, 10)).toHaveLength(1);
  });

  it('keeps the newest events while the disk does not take them, and counts what it lost', async () => {
    const { log, store, timer } = await started();
    const append = store.append.bind(store);
    let broken = true;
    store.append = async (events) => (broken ? Promise.reject(new Error('the disk is full')) : append(events));
    for (let i = 0; i < RING + 10; i++) log.note(event({ resource: `r${i}` }));
    expect(await resources(log, {}, 1)).toEqual([`r${RING + 9}`]);
    expect(log.dropped).toBe(10);
    await timer.elapse(); // the wait before the first attempt
    while (timer.sleeps.length < 2) await new Promise((resolve) => setImmediate(resolve));
    broken = false;
    await timer.elapse(); // the wait before the next attempt
    await log.find({}, 1); // comes after the write under way
    expect(await store.find({}, 2 * RING)).toHaveLength(RING);
    expect(log.dropped).toBe(10);
  });

  it('forgets events after the days that they are kept', async () => {
    const { log, store, timer } = await started();
    for (let i = 0; i < 2500; i++) log.note(event({ resource: 'old' }));
    await log.find({}, 1);
    clock.time += 90 * DAY + 1;
    log.note(event({ resource: 'new' }));
    expect(await resources(log)).toEqual(['new']);
    log.start();
    await timer.elapse();
    await store.prune((clock.time - 90 * DAY) * 1e6, new AbortController().signal);
    expect(await store.find({}, 10)).toHaveLength(1);
  });
});
