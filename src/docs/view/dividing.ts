import { Pace } from '../../lib/pace.ts';
import type { Partitioning } from './collection-indexes.ts';
import type { CollectionParts } from './collection-parts.ts';
import type { BuildRun, IndexBuilder } from './index-builder.ts';
import type { ViewIndex } from './view-kind.ts';

/** What dividing needs of the running view. */
export interface DividingRun extends BuildRun {
  /** Collections whose partitions will be joined for searches in the background. */
  readonly joining: Set<object>;
}

interface DividingOptions<Index extends ViewIndex> {
  readonly builder: IndexBuilder<Index>;
  readonly partitions: Partitioning;
  /** Other indexes may serve. */
  readonly onChange: () => void;
  /** Removes the checkpoints of indexes that are no longer needed. */
  readonly removeKept: (names: readonly string[]) => Promise<void>;
}

/** Divides collections into another number of partitions, and prepares their partitions to be searched together. */
export class Dividing<Index extends ViewIndex & Readable & Part, Readable, Part = Index> {
  readonly #options: DividingOptions<Index>;

  constructor(options: DividingOptions<Index>) {
    this.#options = options;
  }

  /** Begins to divide a collection anew, if it shall have another number of partitions. */
  divide(run: DividingRun, collection: CollectionParts<Index, Readable, Part>): void {
    const { name, parts } = collection;
    const partitions = this.#options.partitions(name, parts.length, () => collection.documents);
    if (partitions === collection.wanted) return;
    for (const index of collection.divide(partitions))
      run.inTurn(() => this.#options.builder.build(index, run));
  }

  joinLater(run: DividingRun, collection: CollectionParts<Index, Readable, Part>): void {
    if (run.joining.has(collection)) return;
    run.joining.add(collection);
    run.inTurn(async () => {
      run.joining.delete(collection);
      await this.join(run, collection);
    });
  }

  /** Prepares what searches read of partitions; new ones take the place of the present ones when they are complete. */
  async join(run: DividingRun, collection: CollectionParts<Index, Readable, Part>): Promise<void> {
    const pace = new Pace();
    while (!run.signal.aborted && collection.warm()) await pace.rest();
    const left = collection.conclude();
    this.#options.onChange();
    await this.#options.removeKept(left);
  }

  /** An index of the collection serves, or could not be built. */
  built(run: DividingRun | undefined, collection: CollectionParts<Index, Readable, Part> | undefined): void {
    if (run !== undefined && collection !== undefined && collection.all.length > 1) this.joinLater(run, collection);
  }
}
