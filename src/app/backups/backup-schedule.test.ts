import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { type BackupCopies, BackupSchedule, scheduledName } from './backup-schedule.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 23, 12);
const KEEP_TWO = { last: 2, daily: 0, weekly: 0, monthly: 0, maxAgeMs: 0 };

const running: BackupSchedule[] = [];
afterEach(async () => {
  for (const schedule of running.splice(0)) await schedule.stop();
});

/**
 * A schedule for 03:00, with a folder and copies in memory that fail when a test requests it. The clock is ahead by
 * `wrong.ms`.
 */
function started(present: readonly string[] = [], { retention = KEEP_TWO, wrong = { ms: 0 } } = {}) {
  const timer = new VirtualTimer();
  const clock = { now: () => START + timer.now + wrong.ms };
  const files = new Set(present);
  const copied = new Set<string>();
  const faults = { make: 0, put: 0 };
  const fail = (which: 'make' | 'put'): void => {
    if (faults[which] > 0) {
      faults[which] -= 1;
      throw new Error(`no room to ${which}`);
    }
  };
  const copies: BackupCopies = {
    async put(name) {
      fail('put');
      copied.add(name);
    },
    list: async () => [...copied],
    remove: async (name) => void copied.delete(name),
  };
  const schedule = new BackupSchedule({
    cron: '0 3 * * *',
    timezone: 'UTC',
    retention,
    clock,
    timer,
    log: silentLog,
    copies,
    folder: {
      ending: '.db',
      async make(name) {
        fail('make');
        files.add(name);
      },
      list: async () => [...files].map((name) => ({ name, sizeBytes: 4096 })),
      remove: async (name) => void files.delete(name),
    },
  });
  running.push(schedule);
  schedule.start();
  return { schedule, timer, files, copied, faults };
}

const TODAY = scheduledName(Date.UTC(2026, 10, 23, 3), '.db');
const nameAt = (ms: number) => scheduledName(START + ms, '.db');
const FIFTEEN_HOURS = 15 * 60 * MINUTE;

describe('BackupSchedule', () => {
  it('makes a backup at its time, copies it, and keeps what the policy says; other files stay', async () => {
    const { schedule, timer, files, copied } = started([TODAY, 'mine.db']);
    await timer.advance(FIFTEEN_HOURS - MINUTE);
    expect([...files]).toEqual([TODAY, 'mine.db']);
    await timer.advance(MINUTE + 2 * DAY);
    const [second, third] = [nameAt(FIFTEEN_HOURS + DAY), nameAt(FIFTEEN_HOURS + 2 * DAY)];
    expect([...files]).toEqual(['mine.db', second, third]);
    expect([...copied]).toEqual([second, third]);
    expect(schedule.report).toMatchObject({
      schedule: '0 3 * * *',
      timezone: 'UTC',
      failures: 0,
      lastSizeBytes: 4096,
      lastGoodAt: (START + FIFTEEN_HOURS + 2 * DAY) / 1000,
      nextAt: (START + FIFTEEN_HOURS + 3 * DAY) / 1000,
      counts: { ok: 3, failed: 0 },
      files: [{ name: third }, { name: second }],
    });
  });

  it('makes up at the start for a time that passed while nothing ran', async () => {
    const { timer, files } = started([scheduledName(START - 3 * DAY, '.db')]);
    await timer.settle();
    expect([...files]).toContain(nameAt(0));
  });

  it('tries again after a failure, says so, and ends the failures with the next good one', async () => {
    const { schedule, timer, files, faults } = started();
    faults.make = 2;
    await timer.settle();
    expect(schedule.report).toMatchObject({ failures: 1, lastError: 'no room to make', counts: { ok: 0, failed: 1 } });
    expect(schedule.report.lastGoodAt).toBeUndefined();
    await timer.advance(5 * MINUTE);
    expect(files.size).toBe(1);
    expect(schedule.report).toMatchObject({ failures: 0, counts: { ok: 1, failed: 2 } });
    expect(schedule.report.lastError).toBeUndefined();
  });

  it('copies again what could not be copied, without another backup', async () => {
    const { schedule, timer, files, copied, faults } = started();
    faults.put = 1;
    await timer.settle();
    expect([files.size, copied.size, schedule.report.failures]).toEqual([1, 0, 1]);
    await timer.advance(2 * MINUTE);
    expect([...copied]).toEqual([...files]);
    expect(schedule.report).toMatchObject({ failures: 0, counts: { ok: 1, failed: 1 } });
  });

  it('goes on beside backups whose names are in the future, because the clock was wrong', async () => {
    const ahead = [200, 100].map((days) => scheduledName(START + days * DAY, '.db'));
    const { schedule, timer, files, copied, faults } = started(ahead, { retention: { ...KEEP_TWO, last: 1 } });
    faults.make = 1;
    await timer.settle();
    expect(schedule.report).toMatchObject({ failures: 1 });
    await timer.advance(MINUTE);
    const [first, ...others] = [...files].filter((name) => !ahead.includes(name));
    expect([first! <= nameAt(MINUTE), others, [...copied]]).toEqual([true, [], [first]]);
    expect(schedule.report.failures).toBe(0);
    expect(schedule.report.lastGoodAt).toBeLessThanOrEqual((START + MINUTE) / 1000);
    await timer.advance(FIFTEEN_HOURS);
    expect([...files]).toEqual([...ahead, nameAt(FIFTEEN_HOURS)]);
    expect([...copied]).toEqual([nameAt(FIFTEEN_HOURS)]);
  });

  it.each([[1000 * DAY], [3 * 60 * MINUTE]])('keeps its times when the clock is set back by %i ms', async (ms) => {
    const wrong = { ms };
    const { schedule, timer, files } = started([scheduledName(START + ms, '.db')], { wrong });
    await timer.settle();
    wrong.ms = 0;
    await timer.advance(FIFTEEN_HOURS);
    expect([...files]).toContain(nameAt(FIFTEEN_HOURS));
    expect(schedule.report).toMatchObject({ counts: { failed: 0 }, nextAt: (START + FIFTEEN_HOURS + DAY) / 1000 });
  });

  it('makes one backup for a time that comes twice', async () => {
    const wrong = { ms: 0 };
    const { schedule, timer, files } = started([TODAY], { wrong });
    await timer.advance(FIFTEEN_HOURS);
    wrong.ms = -60 * MINUTE;
    await timer.advance(3 * 60 * MINUTE);
    expect([...files]).toEqual([TODAY, nameAt(FIFTEEN_HOURS)]);
    expect(schedule.report).toMatchObject({ counts: { failed: 0 }, nextAt: (START + FIFTEEN_HOURS + DAY) / 1000 });
  });

  it('refuses an expression or a zone that is none', () => {
    const options = {
      retention: KEEP_TWO,
      clock: { now: () => 0 },
      timer: new VirtualTimer(),
      log: silentLog,
      folder: { ending: '', make: async () => undefined, list: async () => [], remove: async () => undefined },
    };
    expect(() => new BackupSchedule({ ...options, cron: 'never', timezone: 'UTC' })).toThrow();
    expect(() => new BackupSchedule({ ...options, cron: '0 3 * * *', timezone: 'Mars/Base' })).toThrow();
  });
});
