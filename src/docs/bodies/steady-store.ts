import { type Backoff, backoffDelay, type Clock, type Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type ObjectPage, type ObjectStore, StoreFailure } from '../../net/objects.ts';
import { BodyUnavailable } from '../../storage/index.ts';

export type StoreOperation = 'put' | 'get' | 'remove' | 'list';

interface SteadyDeps {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Whose store it is, in the log: a collection, or something else that `name` tells. */
  readonly collection?: string;
  /** What the store is, in messages; that of the bodies of the collection when absent. */
  readonly name?: string;
  /** The error of a request that failed; `BodyUnavailable` when absent. */
  readonly toError?: (failure: StoreFailure, retryMs: number) => Error;
  readonly onRequest?: (operation: StoreOperation, outcome: 'ok' | 'failed') => void;
}

const ATTEMPTS = 3;
const BACKOFF: Backoff = { initial: 100, max: 1000 };

/** Number of failures in a row after which no requests are sent for a while. */
const OPENS_AFTER = 3;
const OPEN_MS = 5000;

/** Maximum number of concurrent requests to one store, and of those that wait. */
const AT_ONCE = 16;
const MOST_WAITING = 4096;

/**
 * A store with retries and a circuit breaker (Nygard, Release It!, chapter 5). When it fails repeatedly, requests fail
 * immediately for 5 s; then one of them tests whether the store works again. All failures reject with
 * `BodyUnavailable`, which says when to try again, unless `toError` makes another error.
 */
export class SteadyStore implements ObjectStore {
  readonly #store: ObjectStore;
  readonly #deps: SteadyDeps;
  #failures = 0;
  #openUntil = 0;
  #isTrying = false;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(store: ObjectStore, deps: SteadyDeps) {
    this.#store = store;
    this.#deps = deps;
  }

  get isDown(): boolean {
    return this.#failures >= OPENS_AFTER;
  }

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#ask('put', () => this.#store.put(name, bytes));
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return this.#ask('get', () => this.#store.get(name));
  }

  remove(name: string): Promise<void> {
    return this.#ask('remove', () => this.#store.remove(name));
  }

  list(from: string | undefined, under?: string): Promise<ObjectPage> {
    return this.#ask('list', () => this.#store.list(from, under));
  }

  async #ask<T>(operation: StoreOperation, request: () => Promise<T>): Promise<T> {
    await this.#turn();
    try {
      return await this.#try(operation, request);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING) throw this.#refusal('it has too many requests', 1);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running++;
  }

  async #try<T>(operation: StoreOperation, request: () => Promise<T>): Promise<T> {
    const isTrial = this.#enter();
    try {
      for (let attempt = 1;; attempt++) {
        try {
          const value = await request();
          this.#deps.onRequest?.(operation, 'ok');
          this.#succeeded();
          return value;
        } catch (error) {
          this.#deps.onRequest?.(operation, 'failed');
          if (!(error instanceof StoreFailure)) throw error;
          if (isTrial || !error.passes || attempt === ATTEMPTS || this.isDown) throw this.#failed(error);
        }
        await this.#deps.timer.sleep(backoffDelay(attempt, BACKOFF));
      }
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }

  /** Returns whether this request is the one that tests if the store works again. */
  #enter(): boolean {
    if (!this.isDown) return false;
    const left = this.#openUntil - this.#deps.clock.now();
    if (left > 0 || this.#isTrying) throw this.#refusal('it fails at present', left);
    this.#isTrying = true;
    return true;
  }

  #succeeded(): void {
    if (this.isDown) this.#deps.log.info(this.#about, `${this.#name} is back`);
    this.#failures = 0;
  }

  #failed(failure: StoreFailure): Error {
    const wasDown = this.isDown;
    this.#failures += 1;
    this.#openUntil = this.#deps.clock.now() + OPEN_MS;
    if (this.isDown && !wasDown)
      this.#deps.log.warn({ err: failure, ...this.#about },
        `${this.#name} is down: its writes and reads are refused until it is back`);
    return this.#toError(failure, OPEN_MS);
  }

  get #about(): { readonly collection?: string } {
    const { collection } = this.#deps;
    return collection === undefined ? {} : { collection };
  }

  get #name(): string {
    return this.#deps.name ?? 'the place of its bodies';
  }

  #refusal(reason: string, retryMs: number): Error {
    return this.#toError(new StoreFailure(reason, { field: 'endpoint', passes: true }), retryMs);
  }

  #toError(failure: StoreFailure, retryMs: number): Error {
    return this.#deps.toError?.(failure, retryMs) ?? unavailable(failure, retryMs);
  }
}

function unavailable(failure: StoreFailure, retryMs: number): BodyUnavailable {
  const headers = { 'Retry-After': String(Math.max(1, Math.ceil(retryMs / 1000))) };
  return new BodyUnavailable(
    `the place where the collection keeps its bodies (storageBackend) does not serve: ${failure.message}`,
    { headers, cause: failure },
  );
}
