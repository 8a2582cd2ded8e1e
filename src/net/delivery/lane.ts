import type { Log } from '../../lib/log.ts';
import type { Timer } from '../../lib/timer.ts';
import { OrderedWindow, type Sequenced } from './ordered-window.ts';
import { GIVE_UP_MS, QUICK_ATTEMPTS, waitAfter } from './schedule.ts';
import type { Slots, SlotUser } from './slots.ts';

/** What became of one attempt. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status?: number }
  /** To be tried again; `retryAfterMs` when the endpoint said so. */
  | { readonly kind: 'failed'; readonly error: string; readonly status?: number; readonly retryAfterMs?: number }
  /** Never to be tried again. */
  | { readonly kind: 'refused'; readonly error: string; readonly status?: number };

export type Failure = Exclude<Outcome, { kind: 'delivered' }> & { readonly attempts: number };

/** How far a lane has come: all up to `position` was read, and of that only `open` is not done. */
export interface Progress {
  readonly position: number;
  /** Ascending. */
  readonly open: readonly number[];
  /** For how long the endpoint has been tried without accepting anything, in milliseconds. */
  readonly failingMs: number;
}

/** Where a lane's deliveries come from and what happens to them. */
export interface LaneSource<T extends Sequenced> {
  readonly id: string;
  readonly start: Progress;
  /** What follows a position, in order, and the position up to which that is all; the same position when there is nothing. */
  read(after: number): Promise<{ readonly items: readonly T[]; readonly position: number }>;
  /** The deliveries of these numbers, as they were read before; those that are gone are left out. */
  reread(seqs: readonly number[]): Promise<readonly T[]>;
  /** One attempt. Must not reject. */
  send(item: T, signal: AbortSignal): Promise<Outcome>;
  /** Keeps what was given up; when it resolves, that is durable. */
  bury(item: T, failure: Failure): Promise<void>;
  /** The endpoint has accepted nothing for a day; whoever is told stops the lane. */
  onFailing(): void;
  /** Failures in a row after which the endpoint counts as down, and one request at a time asks whether it is back; 4 when absent. Never, where each delivery has few attempts. */
  readonly downAfter?: number;
}

export interface LaneDeps {
  readonly slots: Slots;
  readonly timer: Timer;
  readonly log: Log;
  /** Most requests of a lane that are under way at once. */
  readonly inFlight: number;
  /** Called when the progress has changed: something is done, or (`read`) more was only looked at. */
  readonly onProgress: (what: 'done' | 'read') => void;
}

/** Deliveries of a lane in memory that were not tried yet, up to which more are read. */
const WINDOW = 256;

/** Deliveries that wait for another attempt, up to which more are read: they are not to hold back what follows. */
const MAX_FAILING = 1024;

/** Failures in a row after which an endpoint counts as down: one request at a time asks whether it is back. */
const DOWN_AFTER = QUICK_ATTEMPTS;

/** While an endpoint is down, a delivery that was never tried waits no longer than this: it may be accepted where others are not. */
const FRESH_MS = 5000;

/** Until what could not be read or kept is tried again. */
const TROUBLE_MS = 5000;

interface Attempts {
  count: number;
  /** Milliseconds waited between them. */
  waitedMs: number;
  /** What the endpoint had accepted when the first one failed. */
  readonly acceptedBefore: number;
}

/** An endpoint that accepts nothing. */
interface Down {
  readonly attempts: number;
  /** The wait for the next attempt; undefined while that is due or under way. */
  waiting: AbortController | undefined;
  /** Whether that wait is one for a delivery that was never tried. */
  readonly isShort: boolean;
}

/**
 * Delivers what comes from one log to one endpoint: in order for each key, different keys side by side, each
 * delivery at least once. Ages are counted by what was waited, not by the clock, which may be set.
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
  /** Deliveries that the endpoint has accepted or refused. */
  #accepted = 0;
  #failuresInARow = 0;
  #failingMs: number;
  /** While the endpoint is down: attempts so far, and the wait for the next one. */
  #down: Down | undefined;
  #reading: Promise<void> | undefined;
  /** Deliveries that are being given up. */
  readonly #burying = new Map<number, Promise<void>>();
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

  /** Deliveries that are known and not done. */
  get waiting(): number {
    return this.#window.size;
  }

  get isDown(): boolean {
    return this.#down !== undefined;
  }

  /** That of the start, until what it named was read. */
  get progress(): Progress {
    if (!this.#opened) return { ...this.#source.start, failingMs: this.#failingMs };
    return { position: this.#position, open: this.#window.seqs(), failingMs: this.#failingMs };
  }

  /** There may be more to deliver. */
  wake(): void {
    this.#more = true;
    this.#pump();
  }

  slotFree(): void {
    this.#pump();
  }

  /** Sends nothing new, waits for what is under way for so long, and cuts it off then. Safe twice. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#deps.slots.forget(this);
    this.#down?.waiting?.abort();
    if (this.#inFlight === 0) this.#idle.resolve();
    const late = setTimeout(() => this.#cutting.abort(), graceMs);
    await Promise.all([this.#idle.promise, this.#reading, ...this.#burying.values()]);
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

  /** While the endpoint is down, what was tried least often goes first, so that one delivery that it never accepts does not hide that it is back. */
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
      const { items, position } = await this.#source.read(this.#position);
      if (position === this.#position) this.#more = false;
      else this.#deps.onProgress('read');
      this.#position = position;
      this.#take(items);
    } catch (error) {
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

  /** Cuts a long wait for the endpoint short, since there is a delivery that was never tried. */
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
    // What was cut off was not judged by the endpoint.
    if (!this.#cutting.signal.aborted || outcome.kind === 'delivered') this.#judge(item, outcome);
    if (this.#stopped && this.#inFlight === 0) this.#idle.resolve();
    this.#pump();
  }

  #judge(item: T, outcome: Outcome): void {
    // It was given up meanwhile.
    if (!this.#window.has(item.seq)) return;
    const attempts = this.#attemptsOf(item);
    attempts.count++;
    if (outcome.kind !== 'failed') {
      this.#endpointAnswers();
      if (outcome.kind === 'refused') this.#bury(item, { ...outcome, attempts: attempts.count });
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
    if (attempts.waitedMs >= GIVE_UP_MS) return this.#bury(item, { ...failure, attempts: attempts.count });
    const wait = Math.max(waitAfter(attempts.count), failure.retryAfterMs ?? 0);
    void this.#deps.timer.sleep(wait, this.#stopping.signal).then(() => {
      attempts.waitedMs += wait;
      // It may have been given up meanwhile.
      if (!this.#window.has(item.seq) || this.#burying.has(item.seq)) return;
      this.#ready.push(item);
      this.#pump();
    });
  }

  #waitForEndpoint(attempts: number, retryAfterMs = 0): void {
    // It goes on in its slow way until whoever is told has stopped it.
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

  /** Where too many wait for another attempt, gives up the oldest of those that failed while others were accepted. */
  #makeRoom(): void {
    if (!this.#more || this.#attempts.size <= MAX_FAILING || this.#burying.size > 0) return;
    for (const item of this.#window.items()) {
      const known = this.#attempts.get(item.seq);
      if (known === undefined || known.acceptedBefore === this.#accepted) continue;
      this.#ready = this.#ready.filter(({ seq }) => seq !== item.seq);
      return this.#bury(item, { kind: 'failed', error: `failed while others succeeded, as did more than ${MAX_FAILING} others`, attempts: known.count });
    }
  }

  #bury(item: T, failure: Failure): void {
    this.#burying.set(item.seq, this.#buryNow(item, failure));
  }

  /** What cannot be kept is tried again later rather than lost. Never rejects. */
  async #buryNow(item: T, failure: Failure): Promise<void> {
    try {
      await this.#source.bury(item, failure);
      this.#burying.delete(item.seq);
      this.#done(item);
    } catch (error) {
      this.#deps.log.warn({ err: error, lane: this.id }, 'a dead letter could not be kept; it is tried again');
      await this.#deps.timer.sleep(TROUBLE_MS, this.#stopping.signal);
      this.#burying.delete(item.seq);
      if (this.#window.has(item.seq)) this.#ready.push(item);
    }
    this.#pump();
  }
}
