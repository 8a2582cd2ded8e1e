import { ServiceError } from '../errors/index.ts';
import { systemTimer, type Timer } from '../lib/clock.ts';
import { currentTracing, type Tracing } from '../lib/tracing.ts';
import { type Turns, turns as turnsOfThread } from '../lib/turns.ts';
import { gate, type Step } from '../operations/index.ts';

/** The estimated cost of a search: whether it may have to wait for cheaper ones. */
export type Cost = 'cheap' | 'expensive';

/** The parts of a search that the columns evaluate, with at most one pass over the collection for each entry. */
interface Passes {
  readonly filterMeta?: object | undefined;
  /** The filter of a search whose parameters are in the query string. */
  readonly meta?: object | undefined;
  /** A list of conditions, or one condition for each key. */
  readonly rangeMeta?: object | undefined;
  readonly filter?: unknown;
  readonly langs?: readonly string[] | undefined;
  readonly sort?: string | undefined;
  readonly boost?: object | undefined;
  readonly facetBy?: readonly string[] | undefined;
  readonly geo?: object | undefined;
}

/** The sort order of hybrid search that needs no pass. */
const BY_SCORE = 'combined';

/** Number of documents in all passes together from which a search is expensive. */
const EXPENSIVE_DOCUMENTS = 20_000;

/**
 * The cost of a search in collections with `documents` documents in total. New filters, ranges, boosts, facets and
 * sorts read a value of all of them, and geo filters read their rows. The cost decides which searches run first and how
 * long they may wait before they are refused, so it is an upper estimate.
 */
export function costOf(
  { filterMeta, meta, rangeMeta, filter, langs = [], sort = BY_SCORE, boost, facetBy, geo }: Passes,
  documents: number,
): Cost {
  const keys = sort === BY_SCORE ? 0 : sort.split(',').length;
  const entries = [filterMeta, meta, rangeMeta, boost, facetBy].reduce(
    (sum, each) => sum + Object.keys(each ?? {}).length,
    keys + Number(geo !== undefined) + Number(filter !== undefined) + Number(langs.length > 0),
  );
  return entries * documents >= EXPENSIVE_DOCUMENTS ? 'expensive' : 'cheap';
}

interface SearchGateOptions {
  /**
   * Maximum number of searches that run at once, with one more if all are expensive or all are cheap; 0 for no limit.
   */
  readonly places: number;
  readonly timer?: Timer;
  readonly turns?: Pick<Turns, 'isOver' | 'request'>;
}

/**
 * Milliseconds that a search waits for a place. A request may take 30 s, so time is left for an expensive search to
 * run.
 */
const MAX_WAIT_MS: Readonly<Record<Cost, number>> = { cheap: 2000, expensive: 20_000 };

/** Seconds after which a refused search may be tried again. */
const RETRY_AFTER: Readonly<Record<Cost, string>> = { cheap: '1', expensive: '5' };

/**
 * The reason by which the timer of an admitted search ends: without one, each would create an exception with its stack.
 */
const ADMITTED = 'admitted';

interface Waiting {
  readonly resolve: () => void;
}

/** The searches of one cost. */
class CostGroup {
  readonly cost: Cost;
  /** In the order of arrival; empty while there is a free place. */
  readonly queue = new Set<Waiting>();
  running = 0;

  constructor(cost: Cost) {
    this.cost = cost;
  }
}

/**
 * Limits the number of searches that run at once; they run in the order of their arrival. A further search waits for a
 * place, and is refused with `busy` if it gets none in time. A search whose signal aborts leaves the queue.
 *
 * Cheap and expensive searches have separate queues. One of each may always run, so that neither starves the other: if
 * searches of one cost occupy all places, the first of the other cost runs in addition. Cheap searches get free places
 * before expensive ones.
 */
export class SearchGate {
  readonly #places: number;
  readonly #timer: Timer;
  readonly #turns: Pick<Turns, 'isOver' | 'request'>;
  /** In the order in which they get free places. */
  readonly #groups = [new CostGroup('cheap'), new CostGroup('expensive')] as const;

  constructor({ places, timer = systemTimer, turns = turnsOfThread }: SearchGateOptions) {
    this.#places = places === 0 ? Infinity : places;
    this.#timer = timer;
    this.#turns = turns;
  }

  /** Number of searches that wait for a place. */
  get waiting(): number {
    return this.#groups.reduce((sum, { queue }) => sum + queue.size, 0);
  }

  /** The span `search engine` includes the wait for a place. */
  run<T>(search: () => Promise<T>, signal: AbortSignal, cost: Cost = 'cheap'): Promise<T> {
    const tracing = currentTracing();
    return tracing === undefined ? this.#run(search, signal, cost) : this.#traced(tracing, search, signal, cost);
  }

  #traced<T>(tracing: Tracing, search: () => Promise<T>, signal: AbortSignal, cost: Cost): Promise<T> {
    return tracing.within({ name: 'search engine', attributes: { 'quire.search.cost': cost } },
      () => this.#run(search, signal, cost));
  }

  async #run<T>(search: () => Promise<T>, signal: AbortSignal, cost: Cost): Promise<T> {
    const group = this.#groups[cost === 'cheap' ? 0 : 1];
    if (this.#hasPlace(group)) group.running += 1;
    else await this.#turn(group, signal);
    try {
      // A search that ends admits the next one at once, in the same turn of the event loop. Its request has had its
      // turn, so it does not wait behind those that have not begun.
      if (this.#turns.isOver) await this.#turns.request();
      return await search();
    } finally {
      group.running -= 1;
      this.#admit();
    }
  }

  /** If a group has a free place, its queue is empty. */
  #hasPlace(group: CostGroup): boolean {
    const running = this.#groups.reduce((sum, each) => sum + each.running, 0);
    return group.running === 0 || running < this.#places;
  }

  /**
   * Resolves when the search gets a place. A search that gives up leaves the queue immediately, so that it gets no
   * place.
   */
  async #turn(group: CostGroup, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { resolve };
    const giveUp = (reason: () => unknown): void => {
      if (group.queue.delete(waiting)) reject(reason());
    };
    const onAbort = (): void => giveUp(() => signal.reason);
    const over = new AbortController();
    group.queue.add(waiting);
    signal.addEventListener('abort', onAbort);
    void this.#timer.sleep(MAX_WAIT_MS[group.cost], over.signal).then(() => giveUp(() => busy(group.cost)));
    try {
      await promise;
    } finally {
      over.abort(ADMITTED);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Gives free places to waiting searches: first to cheap ones, and within a group in the order of their arrival. */
  #admit(): void {
    for (const group of this.#groups) {
      for (const waiting of group.queue) {
        if (!this.#hasPlace(group)) break;
        group.queue.delete(waiting);
        group.running += 1;
        waiting.resolve();
      }
    }
  }
}

/** The step of the pipeline for searches, by the number of documents in their collection; both are in memory. */
export function gateStep(searches: Pick<SearchGate, 'run'>, documentsOf: (collection: string) => number): Step {
  return gate(({ input, context }, search) => {
    const request = input as Passes & { readonly collection: string };
    return searches.run(search, context.signal, costOf(request, documentsOf(request.collection)));
  });
}

function busy(cost: Cost): ServiceError {
  return new ServiceError('busy', `too many searches at once; no place was free within ${MAX_WAIT_MS[cost]} ms`, {
    headers: { 'Retry-After': RETRY_AFTER[cost] },
  });
}
