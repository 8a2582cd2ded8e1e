import type { Log } from '../../lib/log.ts';
import { Loop, type LoopOptions } from '../../lib/loop.ts';
import { collectionOf, type IndexCounts, type IndexInMemory, MOST_AT_REST } from '../view/index.ts';
import type { Cluster } from './cluster.ts';
import type { Collections } from './collections.ts';

/** What of a view brings its indexes into memory and takes them out: see `CollectionView`. */
export interface HoldingView {
  readonly isReady: boolean;
  inMemory(): readonly IndexInMemory[];
  stateOf(collection: string): keyof IndexCounts | undefined;
  intoMemory(collections: readonly string[], signal: AbortSignal): Promise<void>;
  rest(index: string, usedAt: number, signal: AbortSignal): Promise<boolean>;
}

interface HeldCollectionsDeps {
  readonly views: readonly HoldingView[];
  readonly cluster: Pick<Cluster, 'state' | 'isWanted' | 'mayDrop' | 'wake'>;
  readonly collections: Pick<Collections, 'listed'>;
  readonly log: Log;
  readonly timer?: LoopOptions['timer'];
}

const EVERY_MS = 1000;
const NEVER = new Promise<void>(() => undefined);

/**
 * The collections whose indexes this node holds for the others: those that it is meant for are brought into memory, and
 * those that others have leave it. Small ones that nobody uses are held without being in memory.
 */
export class HeldCollections {
  /** For `/ready`: a node that has just started is asked for its share only when that is in memory. */
  readonly name = 'held';
  readonly #deps: HeldCollectionsDeps;
  readonly #held = new Set<string>();
  readonly #loop: Loop;
  #isReady = false;
  readonly #ready = Promise.withResolvers<void>();

  constructor(deps: HeldCollectionsDeps) {
    this.#deps = deps;
    const { log, timer } = deps;
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

  /** Whether a collection is held, by its lowercased name, so that what of it rests counts as ready. */
  has(collection: string): boolean {
    return this.#held.has(collection);
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { views, cluster, collections } = this.#deps;
    if (cluster.state === undefined || !views.every(({ isReady }) => isReady)) return;
    for (const { name, unit, documents } of collections.listed) {
      if (signal.aborted) return;
      if (cluster.isWanted(unit)) await this.#hold(name, documents, signal);
      else if (cluster.mayDrop(unit)) await this.#release(name, signal);
    }
    this.#isReady = true;
    this.#ready.resolve();
  }

  async #hold(name: string, documents: number, signal: AbortSignal): Promise<void> {
    if (this.#held.has(name)) return;
    const { views } = this.#deps;
    if (documents > MOST_AT_REST) {
      await Promise.all(views.map((view) => view.intoMemory([name], signal)));
      // It could not be read, which the next round tries again.
      if (views.some((view) => view.stateOf(name) === 'resting')) return;
    }
    this.#held.add(name);
    this.#deps.cluster.wake();
  }

  /** An index that is used meanwhile stays until the next round. */
  async #release(name: string, signal: AbortSignal): Promise<void> {
    this.#held.delete(name);
    for (const view of this.#deps.views) {
      for (const index of view.inMemory())
        if (collectionOf(index.name) === name) await view.rest(index.name, index.usedAt, signal);
    }
  }
}
