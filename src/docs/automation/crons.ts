import type { Clock, Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import type { FindRule, Rule } from './rule.ts';
import { LocalTime, Schedule } from './schedule.ts';

/**
 * Seconds that may pass without a check, as under load, and are caught up; runs that were missed for longer are
 * skipped.
 */
const CATCH_UP_SECONDS = 60;
/** If a last run lies further in the future than this, in seconds, the clock that recorded it was wrong. */
const DAY = 86_400;
/** Number of crons that run at once. */
const AT_ONCE = 4;

interface CronsDeps {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Time zone of the schedules. */
  readonly timeZone: string;
  readonly find: FindRule;
  /** Runs a cron that was due in a second since 1970, and stores that second with the matches. */
  readonly run: (rule: Rule, second: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Runs crons by the clock. A cron never runs while its last run is still running, and never twice for one time of the
 * wall clock, even after a restart or when the clock is set back. When clocks are set forward, skipped runs happen at
 * once; when they are set back, hours that come twice count once, except for schedules of every hour.
 */
export class Crons {
  readonly #deps: CronsDeps;
  readonly #local: LocalTime;
  readonly #schedules = new Map<string, Schedule>();
  /** Schedules by their text in the rules. */
  #known = new Map<string, Schedule>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #turns: Promise<void>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  #started = 0;
  readonly #loop: Loop;
  /** The last second that was looked at. */
  #seen = 0;

  constructor(deps: CronsDeps) {
    this.#deps = deps;
    this.#local = new LocalTime(deps.timeZone);
    const { clock, timer, log } = deps;
    this.#loop = new Loop({
      name: 'crons',
      everyMs: () => 1000 - (clock.now() % 1000),
      waitsFirst: true,
      timer,
      log,
      failure: 'crons could not be looked at',
    }, async (signal) => this.#follow(signal));
  }

  /** Replaces the schedules by those of the current crons. */
  apply(rules: Iterable<Rule>): void {
    const before = this.#known;
    this.#schedules.clear();
    this.#known = new Map();
    for (const { id, body: { type, enabled, schedule } } of rules) {
      if (type !== 'cron' || !enabled || !schedule) continue;
      const known = this.#known.get(schedule) ?? before.get(schedule) ?? new Schedule(schedule);
      this.#known.set(schedule, known);
      this.#schedules.set(id, known);
    }
  }

  /** When a cron runs next, in Unix seconds; 0 if it does not. */
  nextOf(id: string): number {
    const now = Math.floor(this.#deps.clock.now() / 1000);
    const local = this.#schedules.get(id)?.next(this.#local.at(now));
    return local === undefined ? 0 : this.#local.toUnix(local, now);
  }

  start(): void {
    this.#seen ||= Math.floor(this.#deps.clock.now() / 1000);
    this.#loop.start();
  }

  /** Waits for running crons; harmless when repeated. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#running.values());
    this.#seen = 0;
  }

  #follow(signal: AbortSignal): void {
    const now = Math.floor(this.#deps.clock.now() / 1000);
    const from = now < this.#seen ? now : Math.max(this.#seen + 1, now - CATCH_UP_SECONDS);
    for (let second = from; second <= now; second++) this.#look(second, signal);
    this.#seen = now;
  }

  #look(second: number, signal: AbortSignal): void {
    const local = this.#local.at(second);
    const before = this.#local.at(second - 1);
    for (const [id, schedule] of this.#schedules) {
      const isSkipped = local > before + 1 && !schedule.isEveryHour && schedule.isDueWithin(before + 1, local - 1);
      if ((isSkipped || schedule.isDue(local)) && !this.#running.has(id)) this.#begin(id, schedule, second, signal);
    }
  }

  #begin(id: string, schedule: Schedule, second: number, signal: AbortSignal): void {
    const { find, run, log } = this.#deps;
    const rule = find(id);
    if (rule === undefined || this.#hasRun(rule, schedule, second)) return;
    const turn = this.#started++ % AT_ONCE;
    const ended = this.#turns[turn]!.then(() => (signal.aborted ? undefined : run(rule, second, signal))).catch(
      (error: unknown) => {
        if (!signal.aborted) log.warn({ err: error, rule: id }, 'a cron could not be run');
      },
    ).finally(() => this.#running.delete(id));
    this.#turns[turn] = ended;
    this.#running.set(id, ended);
  }

  #hasRun({ lastRun }: Rule, { isEveryHour }: Schedule, second: number): boolean {
    if (lastRun >= second) return lastRun < second + DAY;
    return !isEveryHour && this.#local.at(lastRun) >= this.#local.at(second);
  }
}
