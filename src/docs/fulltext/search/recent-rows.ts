import type { ChangeFeed, Queries } from '../../../storage/index.ts';
import { readRows, type ResultRow } from '../../search/index.ts';

/** Maximum number of rows, of some hundred bytes each. */
const ROWS = 8192;

const WITHOUT_CONTENT = { withBodies: false, withMeta: false, mostBytes: 0 } as const;

/**
 * Rows without metadata and bodies that were read since the last commit, by ordinal: reading them takes longer than all
 * else that a search does besides scoring. A commit forgets all of them as soon as readers see it, so a row is never
 * older than one that is read now.
 */
export class RecentRows {
  readonly #rows = new Map<number, ResultRow>();
  /** By a row with its content: the row that is remembered of the same version. */
  readonly #bare = new WeakMap<ResultRow, ResultRow>();
  /** Changes with every commit. */
  #state = 0;

  constructor(feed: Pick<ChangeFeed, 'join'>) {
    // It needs no past changes, so it does not hold back pruning.
    feed.join({ wake: () => this.clear(), isEarly: true, position: () => undefined });
  }

  /** Rows by ordinal; deleted documents are left out. The rows are shared: do not change them. */
  async read(queries: Queries, ords: readonly number[]): Promise<ReadonlyMap<number, ResultRow>> {
    const state = this.#state;
    const found = new Map<number, ResultRow>();
    const unknown: number[] = [];
    for (const ord of ords) {
      const row = this.#rows.get(ord);
      if (row === undefined) unknown.push(ord);
      else found.set(ord, row);
    }
    if (unknown.length === 0) return found;
    for (const [ord, read] of await readRows(queries, unknown, WITHOUT_CONTENT)) {
      // A copy, because the driver's objects are dictionaries, in which each look at a property is a search.
      const row = { ...read };
      found.set(ord, row);
      if (state === this.#state && this.#rows.size < ROWS) this.#rows.set(ord, row);
    }
    return found;
  }

  /** Identifies what is committed. */
  get state(): number {
    return this.#state;
  }

  /** The row of a document that was read since the last commit; shared, like those of `read`. */
  known(ord: number): ResultRow | undefined {
    return this.#rows.get(ord);
  }

  /**
   * Remembers rows that were read with their contents; `state` is that of before they were read. Does nothing if
   * something was committed since.
   */
  keep(state: number, rows: Iterable<ResultRow>): void {
    if (state !== this.#state) return;
    for (const row of rows) {
      const bare = this.#rows.get(row.ord) ?? { ...row, meta_bytes: 0, meta: '{}', body: null };
      if (row.meta === null || (this.#rows.size >= ROWS && !this.#rows.has(row.ord))) continue;
      this.#rows.set(row.ord, bare);
      this.#bare.set(row, bare);
    }
  }

  /**
   * The remembered row of the same version as a row that was kept, as long as that was not changed; undefined for
   * others.
   */
  bareOf(row: ResultRow): ResultRow | undefined {
    return this.#bare.get(row);
  }

  clear(): void {
    this.#state++;
    this.#rows.clear();
  }
}
