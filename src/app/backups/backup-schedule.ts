import { type Backoff, backoffDelay, type Clock, type Timer } from '../../lib/clock.ts';
import { CronTimes } from '../../lib/cron-times.ts';
import type { Log } from '../../lib/log.ts';

/** Which backups are kept. The number 0 disables its rule; the newest backup is always kept. */
export interface RetentionPolicy {
  /** How many of the newest backups are kept. */
  readonly last: number;
  /** The newest backup of a day is kept, for this many days that have one. */
  readonly daily: number;
  /** The same for weeks, which begin on Monday. */
  readonly weekly: number;
  readonly monthly: number;
  /** Older backups are removed even if another rule keeps them; 0 for no limit. Milliseconds. */
  readonly maxAgeMs: number;
}

/** A backup by its name, with its start in milliseconds since 1970. */
interface DatedBackup {
  readonly name: string;
  readonly at: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns the backups that a policy no longer keeps, in no particular order: the grandfather-father-son scheme, with
 * days, weeks and months of a time zone.
 */
export function expiredBackups<B extends DatedBackup>(backups: readonly B[],
  { last, daily, weekly, monthly, maxAgeMs }: RetentionPolicy, now: number, timezone: string): B[]
{
  const newestFirst = [...backups].sort((a, b) => b.at - a.at);
  const dayOf = dayOfZone(timezone);
  const kept = new Set<B>([
    ...newestFirst.slice(0, last),
    ...newestOfEach(newestFirst, daily, ({ at }) => dayOf(at).day),
    ...newestOfEach(newestFirst, weekly, ({ at }) => Math.floor((dayOf(at).day + 3) / 7)), // day 0 was a Thursday
    ...newestOfEach(newestFirst, monthly, ({ at }) => dayOf(at).month),
  ]);
  const tooOld = (at: number): boolean => maxAgeMs > 0 && at < now - maxAgeMs;
  return newestFirst.filter((backup, i) => i > 0 && (!kept.has(backup) || tooOld(backup.at)));
}

/** Returns the first backup of each period, for the first `count` periods. */
function newestOfEach<B>(newestFirst: readonly B[], count: number, periodOf: (backup: B) => number): B[] {
  const found = new Map<number, B>();
  for (const backup of newestFirst) {
    const period = periodOf(backup);
    if (found.size < count && !found.has(period)) found.set(period, backup);
  }
  return [...found.values()];
}

/** The local date: days since 1970, and months since year 0. */
function dayOfZone(timeZone: string): (ms: number) => { readonly day: number; readonly month: number } {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' });
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const [year, month, day] = [part['year']!, part['month']!, part['day']!];
    return { day: Date.UTC(year, month - 1, day) / DAY_MS, month: year * 12 + month };
  };
}

interface KeptBackup extends DatedBackup {
  readonly sizeBytes: number;
}

/** Where backups are written first, on a local disk. */
interface BackupFolder {
  /** The ending of backup names, for example `.db`. */
  readonly ending: string;
  /** Writes a backup and reads it back; the backup receives its name only after it was verified. */
  make(name: string): Promise<void>;
  /** Everything in the folder, with its size; the caller ignores what is not a scheduled backup. */
  list(): Promise<readonly { readonly name: string; readonly sizeBytes: number }[]>;
  remove(name: string): Promise<void>;
}

/** Another place that has a copy of each backup. */
export interface BackupCopies {
  /** Resolves once the copy was read back and found equal. */
  put(name: string): Promise<void>;
  list(): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
}

interface BackupScheduleOptions {
  /** Cron expression of five fields. */
  readonly cron: string;
  readonly timezone: string;
  readonly retention: RetentionPolicy;
  readonly folder: BackupFolder;
  readonly copies?: BackupCopies | undefined;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
}

/** The state of scheduled backups. Times are seconds since 1970. */
interface BackupReport {
  readonly schedule: string;
  readonly timezone: string;
  readonly nextAt?: number;
  readonly lastGoodAt?: number;
  readonly lastDurationSeconds?: number;
  readonly lastSizeBytes?: number;
  /** Failed attempts since then. */
  readonly failures: number;
  readonly lastError?: string;
  /** Newest first. */
  readonly files: { name: string; at: number; sizeBytes: number }[];
  /** Attempts since the start of the process, by their outcome. */
  readonly counts: { readonly ok: number; readonly failed: number };
}

/** The longest sleep, because the wall clock may jump. */
const STEP_MS = 60_000;

const RETRY: Backoff = { initial: 60_000, max: 3_600_000 };

/** Most backups that a report lists. */
const LISTED = 100;

/**
 * Makes backups by a cron expression, copies them, and removes those that the policy no longer keeps. If a scheduled
 * time passed while the process was down, the backup is made at the start. A failed backup is retried after one minute
 * at first, later after up to an hour.
 */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions;
  readonly #times: CronTimes;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #nextAt: number | undefined;
  #kept: readonly KeptBackup[] = [];
  #good: { readonly at: number; readonly sizeBytes: number; readonly durationMs?: number } | undefined;
  #failures = 0;
  #lastError: string | undefined;
  readonly #counts = { ok: 0, failed: 0 };

  /** Throws for an invalid expression or time zone. */
  constructor(options: BackupScheduleOptions) {
    this.#options = options;
    this.#times = new CronTimes(options.cron, options.timezone);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Waits for a backup in progress; safe to call twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  get report(): BackupReport {
    const { cron, timezone } = this.#options;
    return {
      schedule: cron,
      timezone,
      nextAt: this.#nextAt && seconds(this.#nextAt),
      lastGoodAt: this.#good && seconds(this.#good.at),
      lastSizeBytes: this.#good?.sizeBytes,
      lastDurationSeconds: this.#good?.durationMs === undefined ? undefined : this.#good.durationMs / 1000,
      failures: this.#failures,
      lastError: this.#lastError,
      files: this.#kept.slice(0, LISTED).map(({ name, at, sizeBytes }) => ({ name, at: seconds(at), sizeBytes })),
      counts: { ...this.#counts },
    };
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await this.#look();
      this.#good = this.#newest();
    } catch (error) {
      log.warn({ err: error }, 'the folder of backups cannot be read');
    }
    let due = this.#isMissing() ? clock.now() : this.#times.after(clock.now());
    while (due !== undefined && !this.#stopping.signal.aborted) {
      this.#nextAt = due;
      const isDue = await this.#until(due);
      if (this.#stopping.signal.aborted) return;
      if (isDue) await this.#attempt();
      due = this.#failures === 0 ? this.#times.after(clock.now()) : clock.now() + backoffDelay(this.#failures, RETRY);
    }
    this.#nextAt = undefined;
  }

  /**
   * The newest backup. Names in the future are those of a clock that was wrong: nothing may wait until it is as late.
   */
  #newest(): KeptBackup | undefined {
    const now = this.#options.clock.now();
    return this.#kept.find(({ at }) => at <= now);
  }

  /** Whether no backup was made since the last time at which one was due. */
  #isMissing(): boolean {
    const slot = this.#times.upTo(this.#options.clock.now());
    return slot !== undefined && (this.#newest()?.at ?? -Infinity) < slot;
  }

  /** Resolves with false when the clock was set back before the call, so that the time has to be found anew. */
  async #until(due: number): Promise<boolean> {
    const { clock, timer } = this.#options;
    const { signal } = this.#stopping;
    const first = clock.now();
    for (let left = due - first; left > 0 && !signal.aborted; left = due - clock.now()) {
      if (clock.now() < first - STEP_MS) return false;
      await timer.sleep(Math.min(left, STEP_MS), signal);
    }
    return true;
  }

  /** Never rejects. */
  async #attempt(): Promise<void> {
    const { clock, log } = this.#options;
    const begun = clock.now();
    try {
      // It is there already if only its copy failed, and when the clock shows a time again.
      if (this.#isMissing()) await this.#make(begun);
      const newest = this.#newest();
      if (newest === undefined) throw new Error('the clock was set back while the backup was made');
      await this.#copy(newest);
      this.#good = { at: newest.at, sizeBytes: newest.sizeBytes, durationMs: clock.now() - begun };
      this.#failures = 0;
      this.#lastError = undefined;
      this.#counts.ok += 1;
      log.info({ backup: newest.name, bytes: newest.sizeBytes, ms: clock.now() - begun }, 'scheduled backup made');
    } catch (error) {
      this.#failures += 1;
      this.#counts.failed += 1;
      this.#lastError = error instanceof Error ? error.message : String(error);
      log.error({ err: error, failures: this.#failures }, 'scheduled backup failed; trying again');
      return;
    }
    await this.#prune();
  }

  async #make(at: number): Promise<void> {
    const { folder } = this.#options;
    await folder.make(scheduledName(at, folder.ending));
    await this.#look();
  }

  async #look(): Promise<void> {
    this.#kept = this.#dated(await this.#options.folder.list());
  }

  /** The scheduled backups among them, newest first. */
  #dated<F extends { readonly name: string }>(files: readonly F[]): (F & DatedBackup)[] {
    const dated = files.flatMap((file) => {
      const at = momentOfName(file.name, this.#options.folder.ending);
      return at === undefined ? [] : [{ ...file, at }];
    });
    return dated.sort((a, b) => b.at - a.at);
  }

  async #copy({ name }: KeptBackup): Promise<void> {
    const { copies } = this.#options;
    if (copies !== undefined && !(await copies.list()).includes(name)) await copies.put(name);
  }

  /** Never rejects: failing to remove an old backup is not a failure of the new one. */
  async #prune(): Promise<void> {
    const { folder, copies, log } = this.#options;
    try {
      for (const { name } of this.#expired(this.#kept)) await folder.remove(name);
      await this.#look();
      if (copies === undefined) return;
      const copied = (await copies.list()).map((name) => ({ name }));
      for (const { name } of this.#expired(this.#dated(copied))) await copies.remove(name);
    } catch (error) {
      log.warn({ err: error }, 'old backups could not be removed');
    }
  }

  /** Backups in the future count among others only when the clock is as late. */
  #expired<B extends DatedBackup>(backups: readonly B[]): B[] {
    const { retention, clock, timezone } = this.#options;
    const now = clock.now();
    return expiredBackups(backups.filter(({ at }) => at <= now), retention, now, timezone);
  }
}

const seconds = (ms: number): number => Math.floor(ms / 1000);

/**
 * Names of scheduled backups, which distinguish them from manual ones: `scheduled-20261123T030000Z`, with an ending.
 */
const NAME = /^scheduled-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Precise to the second; `ending` is for example `.db`. */
export function scheduledName(ms: number, ending: string): string {
  return `scheduled-${new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')}${ending}`;
}

/** The start of a scheduled backup, in milliseconds since 1970; undefined for every other name. */
export function momentOfName(name: string, ending: string): number | undefined {
  if (!name.endsWith(ending)) return undefined;
  const match = NAME.exec(name.slice(0, name.length - ending.length));
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [number, number, number, number,
    number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
