import type { Stepping } from '../kernels/geo.ts';
import { Pace } from '../lib/pace.ts';

/** Steps for which a change waits until the searches that have begun are done; then it completes them at once. */
const PATIENCE = 200;

/**
 * The searches of an index that are not done. They yield to the event loop between steps, and find what was there when
 * they began: a change first waits until they are done.
 */
export class Searches {
  readonly #open = new Set<Stepping<unknown>>();
  /** Steps for which the next change has waited. */
  #waited = 0;

  /** Goes on with a search until it is done; most are done already. Rejects with the reason of an aborted signal. */
  async finish<T>(search: Stepping<T>, signal?: AbortSignal): Promise<T> {
    if (search.isDone) {
      signal?.throwIfAborted();
      return search.result();
    }
    this.#open.add(search);
    try {
      return await inSteps(search, signal);
    } finally {
      this.#open.delete(search);
      search.close();
    }
  }

  /**
   * Goes on with a search for which a change waits. Returns whether it should wait longer: not if it has waited for
   * many steps, because new searches keep coming.
   */
  settle(): boolean {
    const [search] = this.#open;
    if (search === undefined || this.#waited >= PATIENCE) return false;
    this.#waited += 1;
    search.step();
    if (search.isDone) this.#open.delete(search);
    return true;
  }

  /** Completes all searches, before a change. */
  complete(): void {
    for (const search of this.#open) while (!search.isDone) search.step();
    this.#open.clear();
    this.#waited = 0;
  }
}

/** Goes on with work until it is done. */
export async function inSteps<T>(work: Stepping<T>, signal: AbortSignal | undefined): Promise<T> {
  const pace = new Pace();
  for (;;) {
    await pace.rest();
    signal?.throwIfAborted();
    if (work.isDone) return work.result();
    work.step();
  }
}
