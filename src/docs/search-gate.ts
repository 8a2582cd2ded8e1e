import type { Operations } from '../../generated/docs/operations.ts';
import { ServiceError } from '../errors/index.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';
import { currentTracing, type Tracing } from '../lib/tracing.ts';
import type { Context, Handlers } from '../operations/index.ts';
import { costOf, type Cost, type Passes } from './search-cost.ts';

export interface SearchGateOptions {
  /** Searches that run at once, and one more beside those when all are expensive or all are cheap; 0 for no limit. */
  readonly places: number;
  readonly timer?: Timer;
}

/** Milliseconds that a search waits for a place (decision D-19). A request may take 30 s, so an expensive one has time left to run. */
const MAX_WAIT_MS: Readonly<Record<Cost, number>> = { cheap: 2000, expensive: 20_000 };

/** Seconds after which a search that was refused may be tried again. */
const RETRY_AFTER: Readonly<Record<Cost, string>> = { cheap: '1', expensive: '5' };

/**
 * Operations that score many documents for one answer, and so compete for the processors. Those that
 * select and count rows go through the database, which has its own queue; those that work through a whole
 * collection (`findDuplicates`) would keep places for long. `recallMemory`, `searchHybrid`
 * and those that search by vectors go through the gate by themselves, with no more than their scoring: waiting for a
 * provider keeps no place.
 */
const SEARCHES: ReadonlySet<keyof Operations> = new Set<keyof Operations>([
  'searchFullText', 'searchFullTextByQuery',
]);

interface Waiting {
  readonly resolve: () => void;
}

/** The searches of one cost. */
class Lane {
  readonly cost: Cost;
  /** In the order of arrival; empty while there is a place. */
  readonly queue = new Set<Waiting>();
  running = 0;

  constructor(cost: Cost) {
    this.cost = cost;
  }
}

/**
 * Lets so many searches run at once, in the order in which they came: one more waits for a place, and is
 * refused with `busy` when it gets none in time. One whose signal aborts leaves the queue.
 *
 * Cheap searches and expensive ones queue apart. One of each may always run, so that neither cost starves the other: where
 * searches of one cost have all places, the first of the other runs beside them. Of the places that become free, cheap
 * searches take theirs first.
 */
export class SearchGate {
  readonly #places: number;
  readonly #timer: Timer;
  /** Those that take a free place first come first. */
  readonly #lanes = [new Lane('cheap'), new Lane('expensive')] as const;

  constructor({ places, timer = systemTimer }: SearchGateOptions) {
    this.#places = places === 0 ? Infinity : places;
    this.#timer = timer;
  }

  /** Searches that wait for a place. */
  get waiting(): number {
    return this.#lanes.reduce((sum, { queue }) => sum + queue.size, 0);
  }

  /** Its span, `search engine`, holds the wait for a place, too. */
  run<T>(search: () => Promise<T>, signal: AbortSignal, cost: Cost = 'cheap'): Promise<T> {
    const tracing = currentTracing();
    return tracing === undefined ? this.#run(search, signal, cost) : this.#traced(tracing, search, signal, cost);
  }

  #traced<T>(tracing: Tracing, search: () => Promise<T>, signal: AbortSignal, cost: Cost): Promise<T> {
    return tracing.within({ name: 'search engine', attributes: { 'quire.search.cost': cost } }, () => this.#run(search, signal, cost));
  }

  async #run<T>(search: () => Promise<T>, signal: AbortSignal, cost: Cost): Promise<T> {
    const lane = this.#lanes[cost === 'cheap' ? 0 : 1];
    if (this.#hasPlace(lane)) lane.running += 1;
    else await this.#turn(lane, signal);
    try {
      return await search();
    } finally {
      lane.running -= 1;
      this.#admit();
    }
  }

  /** Nobody waits in a lane that has a place. */
  #hasPlace(lane: Lane): boolean {
    const running = this.#lanes.reduce((sum, each) => sum + each.running, 0);
    return lane.running === 0 || running < this.#places;
  }

  /** Resolves when a place was handed over. Whoever gives up is off the queue at once, so that no place is handed to it. */
  async #turn(lane: Lane, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { resolve };
    const giveUp = (reason: unknown): void => {
      if (lane.queue.delete(waiting)) reject(reason);
    };
    const onAbort = (): void => giveUp(signal.reason);
    const over = new AbortController();
    lane.queue.add(waiting);
    signal.addEventListener('abort', onAbort);
    void this.#timer.sleep(MAX_WAIT_MS[lane.cost], over.signal).then(() => giveUp(busy(lane.cost)));
    try {
      await promise;
    } finally {
      over.abort();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Free places go to the searches that have waited longest. */
  #admit(): void {
    for (const lane of this.#lanes) {
      for (const waiting of lane.queue) {
        if (!this.#hasPlace(lane)) break;
        lane.queue.delete(waiting);
        lane.running += 1;
        waiting.resolve();
      }
    }
  }
}

/** The documents that a search of a collection may meet; asked at each search, so it must answer from memory. */
export type DocumentsOf = (collection: string) => number;

/** Handlers of which those that search go through a gate. */
export function gateSearches<H extends Handlers<Operations>>(handlers: H, gate: Pick<SearchGate, 'run'>, documentsOf: DocumentsOf): H {
  const wrapped = Object.entries(handlers).map(([id, handler]) => [id, SEARCHES.has(id as keyof Operations) ? gated(handler as AnyHandler, gate, documentsOf) : handler]);
  return Object.fromEntries(wrapped) as H;
}

type AnyHandler = (input: Passes & { readonly collection: string }, context: Context) => Promise<unknown>;

function gated(handler: AnyHandler, gate: Pick<SearchGate, 'run'>, documentsOf: DocumentsOf): AnyHandler {
  return async (input, context) => gate.run(() => handler(input, context), context.signal, costOf(input, documentsOf(input.collection)));
}

function busy(cost: Cost): ServiceError {
  return new ServiceError('busy', `too many searches at once; no place was free within ${MAX_WAIT_MS[cost]} ms`, { headers: { 'Retry-After': RETRY_AFTER[cost] } });
}
