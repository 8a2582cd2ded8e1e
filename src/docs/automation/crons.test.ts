import fc from 'fast-check';
import { createTask } from 'node-cron';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { AutomationFixture } from '../../testkit/automation-fixture.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { Crons } from './crons.ts';
import type { Rule } from './rule.ts';
import { isSchedule, LocalTime, Schedule } from './schedule.ts';

const DAY = 86_400;
const at = (text: string): number => Date.parse(text) / 1000;

/** Crons with a clock that the test sets, and a list of their runs. */
class Fixture {
  readonly timer = new VirtualTimer();
  readonly book = new Map<string, Rule>();
  readonly ran: string[] = [];
  /** Runs wait for this promise. */
  held: Promise<void> | undefined;
  #offset: number;
  #crons: Crons | undefined;
  readonly #timeZone: string;

  constructor(start: string, timeZone: string, schedules: Readonly<Record<string, string>>) {
    this.#offset = Date.parse(start);
    this.#timeZone = timeZone;
    for (const [id, schedule] of Object.entries(schedules))
      this.book.set(id, {
        id,
        body: { type: 'cron', enabled: true, schedule } as never,
        secret: '',
        since: 0,
        lastRun: 0,
        createdAt: 0,
        updatedAt: 0,
      });
  }

  get now(): number {
    return this.#offset + this.timer.now;
  }

  start(): Crons {
    const crons = this.#crons = new Crons({
      clock: { now: () => this.now },
      timer: this.timer,
      log: silentLog,
      timeZone: this.#timeZone,
      find: (id) => this.book.get(id),
      run: (rule, second) => this.#run(rule, second),
    });
    crons.apply(this.book.values());
    crons.start();
    return crons;
  }

  /** Ends the crons; another `start` is a restart of the server. */
  async stop(): Promise<void> {
    await this.#crons?.stop();
    this.#crons = undefined;
  }

  /** Sets the clock. */
  set(text: string): void {
    this.#offset = Date.parse(text) - this.timer.now;
  }

  /** Advances the clock without running the crons. */
  miss(seconds: number): void {
    this.#offset += seconds * 1000;
  }

  async #run(rule: Rule, second: number): Promise<void> {
    this.ran.push(`${rule.id} ${new Date(second * 1000).toISOString().slice(11, 19)}`);
    await this.held;
    this.book.set(rule.id, { ...rule, lastRun: second });
  }
}

describe('crons', () => {
  let fixture: Fixture;
  const open = (start: string, schedules: Readonly<Record<string, string>>,
    timeZone = 'UTC') => (fixture = new Fixture(start, timeZone, schedules));
  afterEach(() => fixture.stop());

  it('run at their times', async () => {
    open('2026-01-01T00:58:30Z', { minute: '* * * * *', hour: '@hourly', seconds: '*/30 * * * * *' }).start();
    await fixture.timer.advance(120_000);
    expect(fixture.ran.toSorted()).toEqual(['hour 01:00:00', 'minute 00:59:00', 'minute 01:00:00', 'seconds 00:59:00',
      'seconds 00:59:30', 'seconds 01:00:00', 'seconds 01:00:30']);
  });

  it('do not run again after a restart or when the clock is set back, and skip what was missed', async () => {
    open('2026-01-01T00:00:00Z', { five: '*/5 * * * *' }).start();
    await fixture.timer.advance(301_000);
    await fixture.stop();
    fixture.set('2026-01-01T00:04:30Z');
    fixture.start();
    await fixture.timer.advance(60_000);
    expect(fixture.ran).toEqual(['five 00:05:00']);
    fixture.set('2026-01-01T00:03:00Z');
    await fixture.timer.advance(180_000);
    expect(fixture.ran).toEqual(['five 00:05:00']);
    await fixture.stop();
    fixture.set('2026-01-01T00:31:00Z');
    fixture.start();
    await fixture.timer.advance(241_000);
    expect(fixture.ran).toEqual(['five 00:05:00', 'five 00:35:00']);
  });

  it('make up for seconds that passed unseen', async () => {
    open('2026-01-01T00:04:50Z', { five: '*/5 * * * *' }).start();
    await fixture.timer.advance(1000);
    fixture.miss(20);
    await fixture.timer.advance(1000);
    expect(fixture.ran).toEqual(['five 00:05:00']);
  });

  it('do not start while they still run', async () => {
    open('2026-01-01T00:00:00Z', { second: '* * * * * *' });
    const held = Promise.withResolvers<void>();
    fixture.held = held.promise;
    fixture.start();
    await fixture.timer.advance(3000);
    expect(fixture.ran).toEqual(['second 00:00:01']);
    held.resolve();
    await fixture.timer.advance(1000);
    expect(fixture.ran).toEqual(['second 00:00:01', 'second 00:00:04']);
  });

  // In Berlin, clocks were set from 02:00 to 03:00 on 2026-03-29, and from 03:00 to 02:00 on 2026-10-25, each at 01:00
  // UTC.
  it('run once what clocks skip in spring', async () => {
    open('2026-03-29T00:50:00Z', { gap: '30 2 * * *', after: '0 3 * * *', often: '*/20 * * * *' }, 'Europe/Berlin')
      .start();
    await fixture.timer.advance(1_900_000);
    expect(fixture.ran.toSorted()).toEqual(['after 01:00:00', 'gap 01:00:00', 'often 01:00:00', 'often 01:20:00']);
  });

  it('count hours that come twice in autumn once, but for schedules of every hour', async () => {
    open('2026-10-25T00:20:00Z', { twice: '30 2 * * *', often: '30 * * * *' }, 'Europe/Berlin').start();
    await fixture.timer.advance(1_000_000);
    await fixture.stop();
    fixture.set('2026-10-25T01:20:00Z');
    fixture.start();
    await fixture.timer.advance(1_000_000);
    expect(fixture.ran.toSorted()).toEqual(['often 00:30:00', 'often 01:30:00', 'twice 00:30:00']);
  });

  it('report when they run next', () => {
    const crons = open('2026-03-28T12:00:00Z', { gap: '30 2 * * *', weekly: '@weekly', leap: '0 0 29 2 *' },
      'Europe/Berlin').start();
    expect(['gap', 'weekly', 'leap', 'other'].map((id) => crons.nextOf(id))).toEqual([at('2026-03-29T01:00:00Z'),
      at('2026-03-28T23:00:00Z'), at('2028-02-28T23:00:00Z'), 0]);
  });
});

describe('schedules', () => {
  it('have five fields, six with seconds, or a name', () => {
    for (const schedule of ['0 7 * * 1-5', '*/10 * * * * *', '0 0 L * *', '@hourly', '@daily', '@weekly', '@monthly'])
      expect(isSchedule(schedule), schedule).toBe(true);
    for (const schedule of ['', '* * * *', '61 * * * *', '* 24 * * *', '0 0 31 2 *', '@yearlyish', '@toString',
      '* * * * * * *', 'every day']) expect(isSchedule(schedule), schedule).toBe(false);
  });

  it('are due when node-cron says so', () => {
    const numbers = (least: number, most: number) =>
      fc.array(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 3 }).map((values) => values.join(','));
    const time = (most: number) => fc.oneof(fc.constant('*'), fc.constantFrom('*/2', '*/7'), numbers(0, most));
    const dayOfMonth = fc.oneof(fc.constant('*'), numbers(1, 28),
      fc.constantFrom('L', 'L-2', '15W', '1W', 'LW', '31', '10-20/3'));
    const dayOfWeek = fc.oneof(fc.constant('*'), numbers(0, 7), fc.constantFrom('5L', '0L', '1#2', '7#1', 'mon-fri'));
    const pattern = fc.tuple(time(59), time(59), time(23), dayOfMonth, fc.oneof(fc.constant('*'), numbers(1, 12)),
      dayOfWeek).map((fields) => fields.join(' ')).filter(isSchedule);
    fc.assert(
      fc.property(pattern, fc.integer({ min: at('2023-12-31T00:00:00Z'), max: at('2030-01-01T00:00:00Z') }),
        (text, from) => {
          const schedule = new Schedule(text);
          const task = createTask(text, () => undefined, { timezone: 'UTC' });
          const next = schedule.next(from);
          for (const second of [from, ...(next === undefined ? [] : [next, next - 1, next + DAY])])
            expect([second, schedule.isDue(second)]).toEqual([second, task.match(new Date(second * 1000))]);
          for (let day = 0; next !== undefined && from + day * DAY < next; day++)
            expect(task.match(new Date((from + 1 + day * DAY) * 1000)) && from + 1 + day * DAY < next).toBe(false);
          void task.destroy();
        }),
      { numRuns: 100 },
    );
  });

  it('find their next time', () => {
    const next = (schedule: string, from: string) =>
      new Date(new Schedule(schedule).next(at(from))! * 1000).toISOString();
    expect(next('0 7 * * 1-5', '2026-01-02T07:00:00Z')).toBe('2026-01-05T07:00:00.000Z');
    expect(next('15,45 30 23 * * *', '2026-01-02T23:30:15Z')).toBe('2026-01-02T23:30:45.000Z');
    expect(next('@monthly', '2026-01-31T23:59:59Z')).toBe('2026-02-01T00:00:00.000Z');
  });
});

describe('the wall clock of a zone', () => {
  it('is Unix time in UTC, and is turned back into moments', () => {
    expect(new LocalTime('UTC').at(1_767_225_600)).toBe(1_767_225_600);
    const berlin = new LocalTime('Europe/Berlin');
    const twice = at('2026-10-25T02:30:00Z');
    expect(berlin.toUnix(twice, 0)).toBe(at('2026-10-25T00:30:00Z'));
    expect(berlin.toUnix(twice, at('2026-10-25T00:30:00Z'))).toBe(at('2026-10-25T01:30:00Z'));
    expect(berlin.toUnix(at('2026-03-29T02:30:00Z'), 0)).toBe(at('2026-03-29T01:00:00Z'));
  });
});

describe('a cron (decisions, section 2.3)', () => {
  it('reports every current match, once for each run, and stores when it ran', async () => {
    const fixture = await AutomationFixture.open();
    await fixture.stop();
    for (const key of ['a', 'b']) await fixture.documents.write(key, 'router');
    await fixture.documents.write('c', 'else');
    const timer = new VirtualTimer();
    const { base } = fixture.documents;
    await fixture.start({}, {
      sleep: (milliseconds,
        signal) => (milliseconds <= 1000
          ? timer.sleep(milliseconds, signal)
          : new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))),
    });
    const trigger = await fixture.create({ name: 'T', query: 'router', enabled: false });
    const { id } = await fixture.create({ type: 'cron', name: 'C', schedule: '* * * * * *', triggerId: trigger.id });
    base.advance(1);
    await timer.advance(1000);
    await fixture.endpoint.until(2);
    expect(fixture.told.toSorted()).toEqual(['a', 'b']);
    const { headers, body } = fixture.endpoint.received[0]!;
    expect(body).toMatchObject({
      event: 'cron.fired',
      cron: { id, name: 'C' },
      trigger: { id: trigger.id, name: 'T' },
      collection: 'c',
    });
    expect(headers).toMatchObject({ 'x-svc-event': 'cron.fired', 'x-svc-cron-id': id, 'x-svc-trigger-id': trigger.id });
    const now = Math.floor(base.environment.clock.now() / 1000);
    expect(await fixture.call('getAutomationRule', { id })).toMatchObject({ lastRun: now, nextRun: now + 1 });
    const stopped = fixture.close();
    await timer.advance(1000);
    await stopped;
  });
});
