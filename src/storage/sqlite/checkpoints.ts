/**
 * The log is copied into the database when this many of its pages have not been copied yet: about 16 MiB. Each page is
 * copied once, however often the log has it, and a copy ends with an fsync that delays the commits beside it, so rare
 * copies are cheap. Readers search the log for each page that they do not have; the first 4,062 pages are in one hash
 * table (https://sqlite.org/walformat.html, section 2.2).
 */
export const LOG_PAGES = 4000;

/**
 * The log begins again at its start once it has this many pages, about 40 MiB, because writes have to wait for that:
 * under continuous writes for some 100 ms, which after each copy would be a tenth of the time. Readers do not search
 * the pages that were copied before they began. The limit leaves space below that of `wal_autocheckpoint`, from which
 * on the writer itself copies the log.
 */
export const LONG_LOG = 10_000;

/** The copy goes on beside writes, which append more pages meanwhile, until at most this many pages are left … */
export const FEW_PAGES = 1000;

/** … or this many times. */
const ROUNDS = 3;

/** Numbers of pages, counted from the start of the log. */
export interface LogState {
  readonly log: number;
  /** How many of them are in the database. */
  readonly checkpointed: number;
}

interface CheckpointWork {
  /** Copies the log in the worker thread, as far as it went when that began and no reader needs it. */
  readonly copy: () => Promise<Pick<LogState, 'checkpointed'>>;
  /** Runs a task while nothing writes, unless that would take long. */
  readonly withoutWrites: (task: () => Promise<unknown>) => Promise<unknown>;
}

/**
 * Decides when the write-ahead log is copied into the database. The copying ends with an fsync of the whole file, which
 * takes tens of milliseconds, so the worker thread does it, one checkpoint at a time.
 *
 * The log begins again at its start only after a copy that left nothing, which under continuous writes would never
 * happen. So the last pages of a long log are copied while writes wait. A log that is overwritten in place is synced
 * faster than one that grows, whose new size is synced, too.
 */
export class Checkpoints {
  readonly #work: CheckpointWork;
  #running = false;
  /** Pages of the log after the last commit. */
  #log = 0;

  constructor(work: CheckpointWork) {
    this.#work = work;
  }

  afterCommit({ log, checkpointed }: LogState): void {
    this.#log = log;
    if (this.#running || log - checkpointed < LOG_PAGES) return;
    this.#running = true;
    // A checkpoint that fails leaves the log unchanged: the next commit requests it again, and at 64 MiB the writer
    // makes it.
    const done = (): void => void (this.#running = false);
    this.#run().then(done, done);
  }

  async #run(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const before = this.#log;
      const { checkpointed } = await this.#work.copy();
      // A reader still needs pages of the log, so writes need not wait: the log cannot begin again.
      if (checkpointed < before || checkpointed === this.#log || this.#log < LONG_LOG) return;
      if (this.#log - checkpointed <= FEW_PAGES) break;
    }
    await this.#work.withoutWrites(this.#work.copy);
  }
}
