import { backoffDelay, type Backoff } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { CronTimes } from '../../lib/cron-times.ts';
import type { Log } from '../../lib/log.ts';
import type { Timer } from '../../lib/timer.ts';
import { momentOfName, scheduledName } from './backup-name.ts';
import { expiredBackups, type DatedBackup, type RetentionPolicy } from './retention.ts';

export interface KeptBackup extends DatedBackup {
  readonly sizeBytes: number;
}

/** Where backups are written first, on a disk of this machine. */
export interface BackupFolder {
  /** What the names of backups end with, such as `.db`. */
  readonly ending: string;
  /** Writes one and reads it back; it has its name only once it was found whole. */
  make(name: string): Promise<void>;
  /** Everything that is there, with its size; what is no scheduled backup is passed over. */
  list(): Promise<readonly { readonly name: string; readonly sizeBytes: number }[]>;
  remove(name: string): Promise<void>;
}

/** Another place that has a copy of each. */
export interface BackupCopies {
  /** Resolves once the copy was read back and is the same. */
  put(name: string): Promise<void>;
  list(): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
}

export interface BackupScheduleOptions {
  /** Five fields. */
  readonly cron: string;
  readonly timezone: string;
  readonly retention: RetentionPolicy;
  readonly folder: BackupFolder;
  readonly copies?: BackupCopies | undefined;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
}

/** How scheduled backups stand. Moments are seconds since 1970. */
export interface BackupReport {
  readonly schedule: string;
  readonly timezone: string;
  readonly nextAt?: number;
  readonly lastGoodAt?: number;
  readonly lastDurationSeconds?: number;
  readonly lastSizeBytes?: number;
  /** Attempts that failed since then. */
  readonly failures: number;
  readonly lastError?: string;
  /** Newest first. */
  readonly files: { name: string; at: number; sizeBytes: number }[];
  /** Attempts since the start of the process, by how they ended. */
  readonly counts: { readonly ok: number; readonly failed: number };
}

/** The wall clock may leap, so nothing is slept for longer. */
const STEP_MS = 60_000;

const RETRY: Backoff = { initial: 60_000, max: 3_600_000 };

/** Backups that a report lists. */
const LISTED = 100;

/**
 * Makes backups by a cron expression, copies them, and removes those that the policy keeps no longer. A time that passed
 * while the process was down is made up for at the start. After a failure it is tried again, from a minute up to an hour later.
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

  /** Throws for an expression or a zone that is none. */
  constructor(options: BackupScheduleOptions) {
    this.#options = options;
    this.#times = new CronTimes(options.cron, options.timezone);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Waits for a backup that is under way; safe twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  get report(): BackupReport {
    const { cron, timezone } = this.#options;
    return {
      schedule: cron, timezone,
      ...(this.#nextAt !== undefined && { nextAt: seconds(this.#nextAt) }),
      ...(this.#good && { lastGoodAt: seconds(this.#good.at), lastSizeBytes: this.#good.sizeBytes }),
      ...(this.#good?.durationMs !== undefined && { lastDurationSeconds: this.#good.durationMs / 1000 }),
      failures: this.#failures,
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      files: this.#kept.slice(0, LISTED).map(({ name, at, sizeBytes }) => ({ name, at: seconds(at), sizeBytes })),
      counts: { ...this.#counts },
    };
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await this.#look();
      [this.#good] = this.#kept;
    } catch (error) {
      log.warn({ err: error }, 'the folder of backups cannot be read');
    }
    let due = this.#isMissing() ? clock.now() : this.#times.after(clock.now());
    while (due !== undefined && !this.#stopping.signal.aborted) {
      this.#nextAt = due;
      await this.#until(due);
      if (this.#stopping.signal.aborted) return;
      due = (await this.#attempt()) ? this.#times.after(clock.now()) : clock.now() + backoffDelay(this.#failures, RETRY);
    }
    this.#nextAt = undefined;
  }

  /** Whether there is no backup since the last time that one was due. */
  #isMissing(): boolean {
    const slot = this.#times.upTo(this.#options.clock.now());
    return slot !== undefined && (this.#kept[0]?.at ?? -Infinity) < slot;
  }

  async #until(due: number): Promise<void> {
    const { clock, timer } = this.#options;
    const { signal } = this.#stopping;
    for (let left = due - clock.now(); left > 0 && !signal.aborted; left = due - clock.now()) await timer.sleep(Math.min(left, STEP_MS), signal);
  }

  /** Never rejects; false for a failure. */
  async #attempt(): Promise<boolean> {
    const { clock, log } = this.#options;
    const begun = clock.now();
    try {
      // A backup whose copy failed is not made again.
      if (this.#failures === 0 || this.#isMissing()) await this.#make(begun);
      await this.#copy();
      const newest = this.#kept[0]!;
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
      return false;
    }
    await this.#prune();
    return true;
  }

  async #make(at: number): Promise<void> {
    const { folder } = this.#options;
    await folder.make(scheduledName(at, folder.ending));
    await this.#look();
  }

  async #look(): Promise<void> {
    this.#kept = this.#dated(await this.#options.folder.list());
  }

  /** Those that are scheduled backups, newest first. */
  #dated<F extends { readonly name: string }>(files: readonly F[]): (F & DatedBackup)[] {
    const dated = files.flatMap((file) => {
      const at = momentOfName(file.name, this.#options.folder.ending);
      return at === undefined ? [] : [{ ...file, at }];
    });
    return dated.sort((a, b) => b.at - a.at);
  }

  async #copy(): Promise<void> {
    const { copies } = this.#options;
    const newest = this.#kept[0];
    if (copies === undefined || newest === undefined) return;
    if (!(await copies.list()).includes(newest.name)) await copies.put(newest.name);
  }

  /** Never rejects: a backup that stays too long is no failure of the new one. */
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

  #expired<B extends DatedBackup>(backups: readonly B[]): B[] {
    const { retention, clock, timezone } = this.#options;
    return expiredBackups(backups, retention, clock.now(), timezone);
  }
}

const seconds = (ms: number): number => Math.floor(ms / 1000);
