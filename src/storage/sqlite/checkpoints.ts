/**
 * The log is copied into the database when this many of its pages have not been copied yet: about 16 MiB. Each page is copied once, however
 * often the log has it, and a copy ends with an fsync that delays the commits beside it, so rare copies are cheap. Readers search the log for
 * each page that they do not have; the first 4,062 pages are in one hash table (https://sqlite.org/walformat.html, section 2.2).
 */
export const LOG_PAGES = 4000;

/**
 * Decides when the write-ahead log is copied into the database. The copying ends with an fsync of the whole file, which takes tens of
 * milliseconds, so the worker thread does it, one checkpoint at a time.
 */
export class Checkpoints {
  readonly #checkpoint: () => Promise<void>;
  #running = false;

  constructor(checkpoint: () => Promise<void>) {
    this.#checkpoint = checkpoint;
  }

  /** `pages`: number of pages of the log that are not in the database yet. */
  afterCommit(pages: number): void {
    if (this.#running || pages < LOG_PAGES) return;
    this.#running = true;
    // A checkpoint that fails leaves the log unchanged: the next commit requests it again, and at 64 MiB the writer makes it.
    const done = (): void => void (this.#running = false);
    this.#checkpoint().then(done, done);
  }
}
