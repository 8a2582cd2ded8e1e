/** What steps that run at once must not do at the same time: move files into and out of their work folder. */
export class WorkFiles {
  /** The caches that are in the work folder, each with its paths. */
  readonly restored = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  /** Does work after what was asked for before has ended, in whatever way. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
