/** A reader of the feed in this process. */
export interface FeedReader {
  /** Called after each commit that appended, once it is on disk. */
  readonly wake: () => void;
  /** Called as soon as readers see the commit, instead. For state in memory that a restart rebuilds. */
  readonly isEarly?: boolean;
  /** Number of the last change handled; `prune` keeps everything after it. Undefined while it is not known. */
  readonly position: () => number | undefined;
  /**
   * Called before `prune` deletes the changes up to this number, which the reader has handled. Once it has resolved,
   * the reader needs none of them, not even to continue after a restart. It may keep a reference to the change after
   * this number, but to none before.
   */
  readonly release?: (lsn: number) => Promise<void>;
}
