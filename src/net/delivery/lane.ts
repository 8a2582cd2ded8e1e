import { backoffDelay, type Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { OrderedWindow, type Sequenced } from './ordered-window.ts';
import type { Slots, SlotUser } from './slots.ts';

const DAY_MS = 86_400_000;

/** Delays between the first attempts, which are made after 0, 1, 5 and 15 seconds (decisions, section 6). */
const FIRST_MS = [1000, 4000, 10_000] as const;

/** The later delays: half a minute, doubled each time up to an hour, with jitter. */
const LATER = { initial: 30_000, max: 3_600_000 };

/** How long attempts continue before a delivery is given up or an endpoint is paused. */
const GIVE_UP_MS = DAY_MS;

/** Maximum `Retry-After` of an endpoint that is honoured. */
export const MAX_RETRY_AFTER_MS = LATER.max;

/** Number of attempts within the first seconds. */
const QUICK_ATTEMPTS = FIRST_MS.length + 1;

/** Returns the delay in milliseconds after failed attempt number `attempts` (1 is the first). */
function waitAfter(attempts: number, random: () => number = Math.random): number {
  return FIRST_MS[attempts - 1] ?? backoffDelay(attempts - FIRST_MS.length, LATER, random);
}

/** The result of one attempt. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status?: number }
  /** The attempt should be repeated; `retryAfterMs` if the endpoint requested a delay. */
  | { readonly kind: 'failed'; readonly error: string; readonly status?: number; readonly retryAfterMs?: number }
  /** The delivery must not be tried again. */
  | { readonly kind: 'refused'; readonly error: string; readonly status?: number };

export type Failure = Exclude<Outcome, { kind: 'delivered' }> & { readonly attempts: number };

/** The progress of a lane: everything up to `position` was read, and only the deliveries in `open` are not done. */
export interface Progress {
  readonly position: number;
  /** In ascending order. */
  readonly open: readonly number[];
  /** How long the endpoint has been tried without accepting anything, in milliseconds. */
  readonly failingMs: number;
}

/** The source of a lane's deliveries and the handling of their results. */
export interface LaneSource<T extends Sequenced> {
  readonly id: string;
  readonly start: Progress;
  /**
   * Reads the deliveries after a position, in order, and the position up to which they are complete; this is the same
   * position if there is nothing.
   */
  read(after: number): Promise<{ readonly items: readonly T[]; readonly position: number }>;
  /** Reads deliveries again by number; those that no longer exist are left out. */
  reread(seqs: readonly number[]): Promise<readonly T[]>;
  /** Makes one attempt. Must not reject. */
  send(item: T, signal: AbortSignal): Promise<Outcome>;
  /** Stores deliveries that were given up; when it resolves, they are durable. */
  storeFailed(item: T, failure: Failure): Promise<void>;
  /** Called when the endpoint has accepted nothing for a day; the callee stops the lane. */
  onFailing(): void;
  /**
   * Consecutive failures after which the endpoint counts as down; then one request at a time probes it. 4 if absent.
   * `Infinity` for lanes whose deliveries have few attempts.
   */
  readonly downAfter?: number;
}

interface LaneDeps {
  readonly slots: Slots;
  readonly timer: Timer;
  readonly log: Log;
  /** Maximum number of concurrent requests of a lane. */
  readonly inFlight: number;
  /** Called when the progress has changed: a delivery is done, or (`read`) more entries were only read past. */
  readonly onProgress: (what: 'done' | 'read') => void;
}

/** Reading continues while fewer untried deliveries of a lane than this are in memory. */
const WINDOW = 256;

/**
 * Reading continues while fewer deliveries than this wait for another attempt, because they must not hold back later
 * ones.
 */
const MAX_FAILING = 1024;

/** Consecutive failures after which an endpoint counts as down; then one request at a time probes it. */
const DOWN_AFTER = QUICK_ATTEMPTS;

/**
 * While an endpoint is down, a delivery that was never tried waits at most this long, because it may be accepted
 * although others are not.
 */
const FRESH_MS = 5000;

/** Delay before a failed read or write is tried again. */
const TROUBLE_MS = 5000;

interface Attempts {
  count: number;
  /** Total waiting time between the attempts, in milliseconds. */
  waitedMs: number;
  /** Number of deliveries that the endpoint had accepted when the first attempt failed. */
  readonly acceptedBefore: number;
}

/** State of an endpoint that accepts nothing. */
interface Down {
  readonly attempts: number;
  /** The wait for the next attempt; undefined while an attempt is due or in progress. */
  waiting: AbortController | undefined;
  /** Whether that wait is for a delivery that was never tried. */
  readonly isShort: boolean;
}

/**
 * Delivers entries of one log to one endpoint, each at least once: in order for the same key, in parallel for different
 * keys. Ages are measured by the time waited, not by the clock, because the clock may be changed.
 */
export class Lane<T extends Sequenced> implements SlotUser {
  readonly #source: LaneSource<T>;
  readonly #deps: LaneDeps;
  readonly #window = new OrderedWindow<T>();
  readonly #attempts = new Map<number, Attempts>();
  readonly #stopping = new AbortController();
  readonly #cutting = new AbortController();
  #ready: T[] = [];
  #position: number;
  #inFlight = 0;
  /** Number of deliveries that the endpoint has accepted or refused. */
  #accepted = 0;
  #failuresInARow = 0;
  #failingMs: number;
  /** While the endpoint is down: the number of attempts so far, and the wait for the next one. */
  #down: Down | undefined;
  #reading: Promise<void> | undefined;
  /** Deliveries that are being given up. */
  readonly #storing = new Map<number, Promise<void>>();
  #more = true;
  #opened = false;
  #idle = Promise.withResolvers<void>();

  constructor(source: LaneSource<T>, deps: LaneDeps) {
    this.#source = source;
    this.#deps = deps;
    this.#position = source.start.position;
    this.#failingMs = source.start.failingMs;
  }

  get id(): string {
    return this.#source.id;
  }

  /** Number of deliveries that are known and not done. */
  get waiting(): number {
    return this.#window.size;
  }

  get isDown(): boolean {
    return this.#down !== undefined;
  }

  /** The progress at the start, until the deliveries that it names have been read; then the current progress. */
  get progress(): Progress {
    if (!this.#opened) return { ...this.#source.start, failingMs: this.#failingMs };
    return { position: this.#position, open: this.#window.seqs(), failingMs: this.#failingMs };
  }

  /** Signals that there may be more to deliver. */
  wake(): void {
    this.#more = true;
    this.#pump();
  }

  slotFree(): void {
    this.#pump();
  }

  /** Sends nothing new, waits the given time for requests in progress, and then aborts them. May be called twice. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#deps.slots.forget(this);
    this.#down?.waiting?.abort();
    if (this.#inFlight === 0) this.#idle.resolve();
    const late = setTimeout(() => this.#cutting.abort(), graceMs);
    await Promise.all([this.#idle.promise, this.#reading, ...this.#storing.values()]);
    clearTimeout(late);
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #pump(): void {
    if (this.#stopped) return;
    if (this.#more && this.#hasRoom) this.#reading ??= this.#read().finally(() => this.#readEnded());
    while (this.#ready.length > 0 && this.#maySend()) void this.#attempt(this.#next());
    this.#makeRoom();
  }

  get #hasRoom(): boolean {
    return this.#attempts.size <= MAX_FAILING && this.#window.size - this.#attempts.size <= WINDOW;
  }

  /**
   * While the endpoint is down, the delivery with the fewest attempts goes first, so that one that is never accepted
   * does not hide that the endpoint is up again.
   */
  #next(): T {
    if (this.#down === undefined) return this.#ready.shift()!;
    const best = this.#ready.reduce((a, b) => (this.#countOf(b) < this.#countOf(a) ? b : a));
    this.#ready.splice(this.#ready.indexOf(best), 1);
    return best;
  }

  #countOf({ seq }: T): number {
    return this.#attempts.get(seq)?.count ?? 0;
  }

  #maySend(): boolean {
    if (this.#down !== undefined) return this.#inFlight === 0 && this.#down.waiting === undefined;
    if (this.#inFlight === 0) return true;
    return this.#inFlight < this.#deps.inFlight && this.#deps.slots.take(this);
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    try {
      if (!this.#opened) {
        this.#take(await this.#source.reread(this.#source.start.open));
        this.#opened = true;
      }
      // Before the read, which may not find what a wake during it announces.
      this.#more = false;
      const { items, position } = await this.#source.read(this.#position);
      if (position !== this.#position) {
        this.#more = true;
        this.#deps.onProgress('read');
      }
      this.#position = position;
      this.#take(items);
    } catch (error) {
      this.#more = true;
      this.#deps.log.warn({ err: error, lane: this.id }, 'deliveries could not be read; trying again');
      await this.#deps.timer.sleep(TROUBLE_MS, this.#stopping.signal);
    }
  }

  #readEnded(): void {
    this.#reading = undefined;
    this.#pump();
  }

  #take(items: readonly T[]): void {
    const before = this.#ready.length;
    for (const item of items) if (this.#window.add(item)) this.#ready.push(item);
    if (this.#ready.length > before) this.#hurry();
  }

  /** Ends a long wait for the endpoint early, because there is a delivery that was never tried. */
  #hurry(): void {
    const down = this.#down;
    if (down?.waiting === undefined || down.isShort) return;
    down.waiting.abort();
    this.#waitForEndpoint(down.attempts);
  }

  async #attempt(item: T): Promise<void> {
    this.#inFlight++;
    const outcome = await this.#source.send(item, this.#cutting.signal);
    if (this.#inFlight-- > 1) this.#deps.slots.release();
    // An aborted attempt says nothing about the endpoint.
    if (!this.#cutting.signal.aborted || outcome.kind === 'delivered') this.#judge(item, outcome);
    if (this.#stopped && this.#inFlight === 0) this.#idle.resolve();
    this.#pump();
  }

  #judge(item: T, outcome: Outcome): void {
    // It was given up in the meantime.
    if (!this.#window.has(item.seq)) return;
    const attempts = this.#attemptsOf(item);
    attempts.count++;
    if (outcome.kind !== 'failed') {
      this.#endpointAnswers();
      if (outcome.kind === 'refused') this.#storeFailed(item, { ...outcome, attempts: attempts.count });
      else this.#done(item);
      return;
    }
    this.#failuresInARow++;
    if (this.#down !== undefined) {
      this.#ready.push(item);
      if (this.#down.waiting === undefined) this.#waitForEndpoint(this.#down.attempts + 1, outcome.retryAfterMs);
    } else if (this.#failuresInARow >= (this.#source.downAfter ?? DOWN_AFTER)) {
      this.#ready.push(item);
      this.#waitForEndpoint(attempts.count, outcome.retryAfterMs);
    } else {
      this.#retryLater(item, attempts, outcome);
    }
  }

  #attemptsOf({ seq }: T): Attempts {
    const attempts = this.#attempts.get(seq) ?? { count: 0, waitedMs: 0, acceptedBefore: this.#accepted };
    this.#attempts.set(seq, attempts);
    return attempts;
  }

  #done({ seq }: T): void {
    this.#attempts.delete(seq);
    this.#ready.push(...this.#window.done(seq));
    this.#deps.onProgress('done');
  }

  #endpointAnswers(): void {
    this.#accepted++;
    this.#failuresInARow = 0;
    this.#failingMs = 0;
    const down = this.#down;
    this.#down = undefined;
    down?.waiting?.abort();
  }

  #retryLater(item: T, attempts: Attempts, failure: Extract<Outcome, { kind: 'failed' }>): void {
    if (attempts.waitedMs >= GIVE_UP_MS) return this.#storeFailed(item, { ...failure, attempts: attempts.count });
    const wait = Math.max(waitAfter(attempts.count), failure.retryAfterMs ?? 0);
    void this.#deps.timer.sleep(wait, this.#stopping.signal).then(() => {
      attempts.waitedMs += wait;
      // It may have been given up in the meantime.
      if (!this.#window.has(item.seq) || this.#storing.has(item.seq)) return;
      this.#ready.push(item);
      this.#pump();
    });
  }

  #waitForEndpoint(attempts: number, retryAfterMs = 0): void {
    // The lane continues slowly until it is stopped.
    if (this.#failingMs >= GIVE_UP_MS) this.#source.onFailing();
    const waiting = new AbortController();
    const isShort = retryAfterMs === 0 && this.#ready.some((item) => this.#countOf(item) === 0);
    const down: Down = { attempts, waiting, isShort };
    this.#down = down;
    const wait = Math.max(isShort ? Math.min(FRESH_MS, waitAfter(attempts)) : waitAfter(attempts), retryAfterMs);
    void this.#deps.timer.sleep(wait, waiting.signal).then(() => {
      if (waiting.signal.aborted || this.#stopped) return;
      this.#failingMs += wait;
      for (const { seq } of this.#ready) {
        const known = this.#attempts.get(seq);
        if (known !== undefined) known.waitedMs += wait;
      }
      this.#deps.onProgress('read');
      down.waiting = undefined;
      this.#pump();
    });
  }

  /** If too many wait for another attempt, gives up the oldest of those that failed while others were accepted. */
  #makeRoom(): void {
    if (!this.#more || this.#attempts.size <= MAX_FAILING || this.#storing.size > 0) return;
    for (const item of this.#window.items()) {
      const known = this.#attempts.get(item.seq);
      if (known === undefined || known.acceptedBefore === this.#accepted) continue;
      this.#ready = this.#ready.filter(({ seq }) => seq !== item.seq);
      return this.#storeFailed(item, {
        kind: 'failed',
        error: `failed while others succeeded, as did more than ${MAX_FAILING} others`,
        attempts: known.count,
      });
    }
  }

  #storeFailed(item: T, failure: Failure): void {
    this.#storing.set(item.seq, this.#storeFailedNow(item, failure));
  }

  /** If a delivery cannot be stored, it is tried again later rather than lost. Never rejects. */
  async #storeFailedNow(item: T, failure: Failure): Promise<void> {
    try {
      await this.#source.storeFailed(item, failure);
      this.#storing.delete(item.seq);
      this.#done(item);
    } catch (error) {
      this.#deps.log.warn({ err: error, lane: this.id }, 'a dead letter could not be kept; it is tried again');
      await this.#deps.timer.sleep(TROUBLE_MS, this.#stopping.signal);
      this.#storing.delete(item.seq);
      if (this.#window.has(item.seq)) this.#ready.push(item);
    }
    this.#pump();
  }
}
