/**
 * The log is copied into the database when so many of its pages are not there yet: about 4 MiB. Readers search all of the
 * log for each page that they do not have, so a longer one makes every read slower.
 */
const LOG_PAGES = 1000;

/**
 * Decides when the write-ahead log is copied into the database. The copying ends with an fsync of the
 * whole file, which takes tens of milliseconds, so it is left to the worker thread, one at a time.
 */
export class Checkpoints {
  readonly #checkpoint: () => Promise<void>;
  #running = false;

  constructor(checkpoint: () => Promise<void>) {
    this.#checkpoint = checkpoint;
  }

  /** `pages`: how many of the log are not in the database yet. */
  afterCommit(pages: number): void {
    if (this.#running || pages < LOG_PAGES) return;
    this.#running = true;
    // One that fails leaves the log as it was: the next commit asks again, and at 64 MiB the writer does it.
    const done = (): void => void (this.#running = false);
    this.#checkpoint().then(done, done);
  }
}
