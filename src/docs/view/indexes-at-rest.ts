import type { CollectionIndex } from './collection-index.ts';
import type { BuildRun, IndexBuilder } from './index-builder.ts';
import type { KeptIndexes } from './kept-indexes.ts';
import type { ViewIndex } from './view-kind.ts';

interface IndexesAtRestOptions<Index extends ViewIndex> {
  readonly kept: KeptIndexes<Index>;
  readonly builder: IndexBuilder<Index>;
  /** The present index of a name. */
  readonly find: (name: string) => CollectionIndex<Index> | undefined;
}

/** Takes indexes of a view out of memory, and brings them back when a search asks for them. */
export class IndexesAtRest<Index extends ViewIndex> {
  readonly #options: IndexesAtRestOptions<Index>;
  /** Those that are being read, by name; the promises never reject. */
  readonly #waking = new Map<string, Promise<void>>();
  #woken = 0;

  constructor(options: IndexesAtRestOptions<Index>) {
    this.#options = options;
  }

  /** How many indexes searches have brought back into memory so far. */
  get woken(): number {
    return this.#woken;
  }

  /** Writes the checkpoint of an index and releases it; false if it was used since `usedAt`, or cannot rest now. */
  async rest(name: string, usedAt: number, position: number | undefined): Promise<boolean> {
    const { kept, find } = this.#options;
    const index = find(name);
    if (index?.usedAt !== usedAt) return false;
    await kept.save(index, position);
    return find(name) === index && index.usedAt === usedAt && index.rest();
  }

  /** Whether an index is being read. */
  isWaking(name: string): boolean {
    return this.#waking.has(name);
  }

  /** Begins to read those that rest, beside other work; those that are made anew anyway are waited for. */
  wake(run: BuildRun, indexes: readonly CollectionIndex<Index>[]): void {
    for (const index of indexes) {
      const { name } = index;
      if (!index.isResting || this.#waking.has(name) || index.isOutdated) continue;
      this.#woken += 1;
      this.#waking.set(name, this.#options.builder.wake(index, run).finally(() => this.#waking.delete(name)));
    }
  }

  /** Resolves when none of some indexes, or of all, is being read. */
  async settled(names: Iterable<string> = this.#waking.keys()): Promise<void> {
    await Promise.all([...names].map((name) => this.#waking.get(name)));
  }
}
