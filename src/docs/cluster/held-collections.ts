import type { Log } from '../../lib/log.ts';
import { Loop, type LoopOptions } from '../../lib/loop.ts';
import { Pace } from '../../lib/pace.ts';
import { type IndexCounts, type IndexInMemory, MOST_AT_REST, nameOfPartition, type Partition } from '../view/index.ts';
import type { Cluster } from './cluster.ts';
import type { Collections, ListedUnit } from './collections.ts';
import { Divisions, type SwitchingView } from './divisions.ts';
import type { UnitNumber } from './unit.ts';

/** What of a view brings its indexes into memory and takes them out: see `CollectionView`. */
export interface HoldingView extends SwitchingView {
  readonly isReady: boolean;
  inMemory(): readonly IndexInMemory[];
  stateOf(partition: Partition): keyof IndexCounts | undefined;
  partIntoMemory(partition: Partition, signal: AbortSignal): Promise<void>;
  rest(index: string, usedAt: number, signal: AbortSignal): Promise<boolean>;
}

interface HeldCollectionsDeps {
  readonly views: readonly HoldingView[];
  readonly cluster: Pick<Cluster, 'state' | 'isWanted' | 'mayDrop' | 'wake'>;
  readonly collections: Pick<Collections, 'all' | 'listed'>;
  /** Whether the indexes of this node have a limit of memory. */
  readonly isLimited?: boolean;
  readonly log: Log;
  readonly timer?: LoopOptions['timer'];
  readonly now?: () => number;
}

/** What a unit is in the division of its collection. Former ones are not brought into memory again. */
type UnitKind = 'serving' | 'next' | 'former' | 'unknown';

const EVERY_MS = 1000;
const NEVER = new Promise<void>(() => undefined);

/**
 * The partitions whose indexes this node holds for the others: those that it is meant for are brought into memory, and
 * those that others have leave it. Small ones that nobody uses are held without being in memory.
 */
export class HeldCollections {
  /** For `/ready`: a node that has just started is asked for its share only when that is in memory. */
  readonly name = 'held';
  readonly #deps: HeldCollectionsDeps;
  readonly #divisions: Divisions;
  readonly #held = new Set<UnitNumber>();
  readonly #loop: Loop;
  #isReady = false;
  readonly #ready = Promise.withResolvers<void>();

  constructor(deps: HeldCollectionsDeps) {
    this.#deps = deps;
    const { views, collections, log, timer, now } = deps;
    this.#divisions = new Divisions({ views, collections, now });
    this.#loop = new Loop({
      name: 'held indexes',
      everyMs: EVERY_MS,
      failure: 'indexes that this node is meant to hold could not be read, or others not be released; trying again',
      log,
      timer,
    }, (signal) => this.#round(signal));
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Whether the share that this node had at its start is in memory. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves when that has changed. */
  get changed(): Promise<void> {
    return this.#isReady ? NEVER : this.#ready.promise;
  }

  /** Whether a unit is held, so that what of it rests counts as ready. */
  has(unit: UnitNumber): boolean {
    return this.#held.has(unit);
  }

  /**
   * Whether searches leave what rests of a unit to others, of which some are ready or not. With a limit of memory, what
   * this node is not meant to hold stays out of it, also if no other has it.
   */
  leaves(unit: UnitNumber, isReadyElsewhere: boolean): boolean {
    if (this.has(unit)) return false;
    const { cluster, isLimited = false } = this.#deps;
    return isReadyElsewhere || (isLimited && cluster.state !== undefined && !cluster.isWanted(unit));
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { views, cluster, collections } = this.#deps;
    if (cluster.state === undefined || !views.every(({ isReady }) => isReady)) return;
    const hasChanged = await this.#divisions.follow(cluster.state);
    const { listed } = collections;
    const kinds = await this.#byKind(listed);
    // Other units than those that were read last.
    if (hasChanged || kinds.unknown.length > 0) return cluster.wake();
    const present = new Set(listed.map(({ unit }) => unit));
    for (const unit of this.#held) if (!present.has(unit)) this.#held.delete(unit);
    for (const unit of listed)
      if (!cluster.isWanted(unit.unit) && cluster.mayDrop(unit.unit)) await this.#release(unit, signal);
    await this.#holdAll(kinds.serving, signal);
    if (signal.aborted) return;
    this.#isReady = true;
    this.#ready.resolve();
    await this.#holdAll(kinds.next, signal);
  }

  async #byKind(units: readonly ListedUnit[]): Promise<Readonly<Record<UnitKind, readonly ListedUnit[]>>> {
    const pace = new Pace();
    const kinds: Record<UnitKind, ListedUnit[]> = { serving: [], next: [], former: [], unknown: [] };
    for (const unit of units) {
      kinds[this.#kindOf(unit)].push(unit);
      if (pace.isDue) await pace.rest();
    }
    return kinds;
  }

  #kindOf({ partition: { collection, of } }: ListedUnit): UnitKind {
    const divisions = this.#deps.views.flatMap((view) => view.divisionOf(collection) ?? []);
    if (divisions.length === 0 || divisions.some(({ serving }) => serving === of)) return 'serving';
    if (divisions.some(({ next }) => next === of)) return 'next';
    return divisions.some(({ former }) => former === of) ? 'former' : 'unknown';
  }

  async #holdAll(units: readonly ListedUnit[], signal: AbortSignal): Promise<void> {
    for (const unit of units)
      if (!signal.aborted && this.#deps.cluster.isWanted(unit.unit)) await this.#hold(unit, signal);
  }

  async #hold({ unit, partition, documents }: ListedUnit, signal: AbortSignal): Promise<void> {
    if (this.#held.has(unit)) return;
    const { views } = this.#deps;
    if (documents > MOST_AT_REST) {
      await Promise.all(views.map((view) => view.partIntoMemory(partition, signal)));
      // It could not be read, which the next round tries again.
      if (views.some((view) => view.stateOf(partition) === 'resting')) return;
    }
    this.#held.add(unit);
    this.#deps.cluster.wake();
  }

  /** An index that is used meanwhile stays until the next round. */
  async #release({ unit, partition }: ListedUnit, signal: AbortSignal): Promise<void> {
    this.#held.delete(unit);
    const name = nameOfPartition(partition);
    for (const view of this.#deps.views) {
      const index = view.inMemory().find((each) => each.name === name);
      if (index !== undefined) await view.rest(name, index.usedAt, signal);
    }
  }
}
