import type { Operations } from '../../generated/docs/operations.ts';
import { ServiceError } from '../errors/index.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';
import type { Context, Handlers } from '../operations/index.ts';

export interface SearchGateOptions {
  /** Searches that run at once; 0 for no limit. */
  readonly places: number;
  readonly timer?: Timer;
}

/** Milliseconds that a search waits for a place (decision D-19). */
const MAX_WAIT_MS = 2000;

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

/**
 * Lets so many searches run at once, in the order in which they came: one more waits for a place, and is
 * refused with `busy` when it gets none in time. One whose signal aborts leaves the queue.
 */
export class SearchGate {
  readonly #places: number;
  readonly #timer: Timer;
  /** In the order of arrival; empty while there is a place. */
  readonly #queue = new Set<Waiting>();
  #running = 0;

  constructor({ places, timer = systemTimer }: SearchGateOptions) {
    this.#places = places === 0 ? Infinity : places;
    this.#timer = timer;
  }

  /** Searches that wait for a place. */
  get waiting(): number {
    return this.#queue.size;
  }

  async run<T>(search: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#running < this.#places) this.#running += 1;
    else await this.#turn(signal);
    try {
      return await search();
    } finally {
      this.#leave();
    }
  }

  /** Resolves when a place was handed over. Whoever gives up is off the queue at once, so that no place is handed to it. */
  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { resolve };
    const giveUp = (reason: unknown): void => {
      if (this.#queue.delete(waiting)) reject(reason);
    };
    const onAbort = (): void => giveUp(signal.reason);
    const over = new AbortController();
    this.#queue.add(waiting);
    signal.addEventListener('abort', onAbort);
    void this.#timer.sleep(MAX_WAIT_MS, over.signal).then(() => giveUp(busy()));
    try {
      await promise;
    } finally {
      over.abort();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** The place goes to the search that has waited longest. */
  #leave(): void {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#queue.delete(next);
    next.resolve();
  }
}

/** Handlers of which those that search go through a gate. */
export function gateSearches<H extends Handlers<Operations>>(handlers: H, gate: Pick<SearchGate, 'run'>): H {
  const wrapped = Object.entries(handlers).map(([id, handler]) => [id, SEARCHES.has(id as keyof Operations) ? gated(handler as AnyHandler, gate) : handler]);
  return Object.fromEntries(wrapped) as H;
}

type AnyHandler = (input: object, context: Context) => Promise<unknown>;

function gated(handler: AnyHandler, gate: Pick<SearchGate, 'run'>): AnyHandler {
  return (input, context) => gate.run(() => handler(input, context), context.signal);
}

function busy(): ServiceError {
  return new ServiceError('busy', `too many searches at once; no place was free within ${MAX_WAIT_MS} ms`, { headers: { 'Retry-After': '1' } });
}
