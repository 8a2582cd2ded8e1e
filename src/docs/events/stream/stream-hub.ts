import { ServiceError } from '../../../errors/index.ts';
import type { Timer } from '../../../lib/timer.ts';
import type { ChangeFeed } from '../../../storage/index.ts';
import { serviceEventOf, type ServiceEvent } from '../service-event.ts';

/** Streams that are open at once. */
export interface StreamLimits {
  readonly all: number;
  /** Of one user or, without authentication, of one address. */
  readonly each: number;
}

const LIMITS: StreamLimits = { all: 1000, each: 100 };

/** Time between two comments of a stream. */
const BEAT_MS = 15_000;

/** Changes read at once. */
const BATCH = 500;

/** With many streams, how long they share one wake-up. */
const WAKE_MS = 20;
const MANY = 16;

/** A part of the feed. */
export interface Page {
  /** Number of its last change. */
  readonly last: number;
  readonly events: readonly ServiceEvent[];
}

export interface StreamHubOptions {
  readonly feed: ChangeFeed;
  readonly timer: Timer;
  readonly limits?: StreamLimits;
}

/**
 * Counts the open streams, wakes them when the feed grows, and reads it for them: each stream reads at the pace of its client, and
 * those that are equally far share what is read. So nothing is kept for a slow client.
 */
export class StreamHub {
  readonly #options: StreamHubOptions;
  readonly #limits: StreamLimits;
  readonly #seats = new Set<StreamSeat>();
  #read: { readonly after: number; readonly page: Promise<Page | undefined> } | undefined;
  #rest: (() => void) | undefined;
  #waking = false;
  #stopped = false;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
  }

  /** Streams that are open. */
  get size(): number {
    return this.#seats.size;
  }

  /** Throws `unavailable` once stopped, `busy` when there are too many streams, `rate_limited` when the owner has too many. */
  admit(owner: string): void {
    if (this.#stopped) throw new ServiceError('unavailable', 'the service is stopping');
    if (this.#seats.size >= this.#limits.all) throw new ServiceError('busy', `at most ${this.#limits.all} streams of events may be open; try again later`, RETRY);
    const own = [...this.#seats].filter((seat) => seat.owner === owner).length;
    if (own >= this.#limits.each) throw new ServiceError('rate_limited', `at most ${this.#limits.each} streams of events may be open for one client; close one first`, RETRY);
  }

  /** Opens a stream until it leaves. Throws as `admit` does. */
  open(owner: string): StreamSeat {
    this.admit(owner);
    const seat = new StreamSeat(owner, () => {
      this.#seats.delete(seat);
      if (this.#seats.size === 0) this.#rest?.();
    });
    this.#seats.add(seat);
    this.#rest ??= this.#begin();
    return seat;
  }

  /** What follows a position; undefined at the head. Throws `FeedGap`. */
  read(after: number): Promise<Page | undefined> {
    const known = this.#read;
    if (known?.after === after) return known.page;
    const page = this.#options.feed.read(after, BATCH).then(pageOf);
    const read = { after, page };
    this.#read = read;
    // A failure is not to be shared with those who try again.
    page.catch(() => (this.#read = this.#read === read ? undefined : this.#read));
    return page;
  }

  /** Ends all streams; further ones are refused. */
  stop(): void {
    this.#stopped = true;
    for (const seat of this.#seats) seat.end();
  }

  #begin(): () => void {
    const resting = new AbortController();
    // Streams do not hold the feed back: one that falls too far behind is told so.
    const leave = this.#options.feed.join({ wake: () => this.#wake(), position: () => undefined });
    this.#read = undefined;
    void this.#beat(resting.signal);
    return () => {
      this.#rest = undefined;
      this.#read = undefined;
      leave();
      resting.abort();
    };
  }

  #wake(): void {
    this.#read = undefined;
    if (this.#waking) return;
    this.#waking = true;
    setTimeout(() => {
      this.#waking = false;
      for (const seat of this.#seats) seat.wake();
    }, this.#seats.size > MANY ? WAKE_MS : 0);
  }

  /** Never rejects. */
  async #beat(resting: AbortSignal): Promise<void> {
    for (;;) {
      await this.#options.timer.sleep(BEAT_MS, resting);
      if (resting.aborted) return;
      // Also what this process was not woken for, such as another database in the place of this one.
      this.#read = undefined;
      for (const seat of this.#seats) seat.beat();
    }
  }
}

const RETRY = { headers: { 'Retry-After': '15' } };

/** One open stream. */
export class StreamSeat {
  readonly owner: string;
  readonly #forget: () => void;
  #news = Promise.withResolvers<void>();
  #beatDue = false;
  #over = false;

  constructor(owner: string, forget: () => void) {
    this.owner = owner;
    this.#forget = forget;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Resolves when something has happened since the last call. */
  async news(): Promise<void> {
    await this.#news.promise;
    if (!this.#over) this.#news = Promise.withResolvers<void>();
  }

  /** True once after each beat. */
  takeBeat(): boolean {
    const due = this.#beatDue;
    this.#beatDue = false;
    return due;
  }

  wake(): void {
    this.#news.resolve();
  }

  beat(): void {
    this.#beatDue = true;
    this.wake();
  }

  /** Tells its reader that the stream is over; again is harmless. */
  readonly end = (): void => {
    this.#over = true;
    this.wake();
  };

  /** Its reader has left. */
  leave(): void {
    this.end();
    this.#forget();
  }
}

function pageOf(changes: Awaited<ReturnType<ChangeFeed['read']>>): Page | undefined {
  const last = changes.at(-1)?.lsn;
  return last === undefined ? undefined : { last, events: changes.map(serviceEventOf).filter((event) => event !== undefined) };
}
