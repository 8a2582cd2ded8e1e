import { ServiceError } from '../../../errors/index.ts';
import type { Timer } from '../../../lib/clock.ts';
import type { ChangeFeed } from '../../../storage/index.ts';
import { type ServiceEvent, serviceEventOf } from '../service-event.ts';

/** Maximum number of open streams. */
export interface StreamLimits {
  readonly all: number;
  /** Maximum for one user or, without authentication, for one address. */
  readonly each: number;
}

const LIMITS: StreamLimits = { all: 1000, each: 100 };

/** Milliseconds between two comments of a stream. */
const BEAT_MS = 15_000;

/** Number of changes that are read at once. */
const BATCH = 500;

/** If there are many streams, wake-ups within this time in milliseconds are combined. */
const WAKE_MS = 20;
const MANY = 16;

/** A page of the feed. */
interface Page {
  /** Number of its last change. */
  readonly last: number;
  readonly events: readonly ServiceEvent[];
}

interface StreamHubOptions {
  readonly feed: ChangeFeed;
  readonly timer: Timer;
  readonly limits?: StreamLimits;
}

/**
 * Counts the open streams, wakes them when the feed grows, and reads it for them. Each stream reads at the pace of its
 * client, and streams at the same position share a page. So nothing is stored for a slow client.
 */
export class StreamHub {
  readonly #options: StreamHubOptions;
  readonly #limits: StreamLimits;
  readonly #subscribers = new Set<StreamSubscriber>();
  #read: { readonly after: number; readonly page: Promise<Page | undefined> } | undefined;
  #rest: (() => void) | undefined;
  #waking = false;
  #stopped = false;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
  }

  /** Number of open streams. */
  get size(): number {
    return this.#subscribers.size;
  }

  /**
   * Throws `unavailable` after `stop`, `busy` when there are too many streams, `rate_limited` when the owner has too
   * many.
   */
  admit(owner: string): void {
    if (this.#stopped) throw new ServiceError('unavailable', 'the service is stopping');
    if (this.#subscribers.size >= this.#limits.all)
      throw new ServiceError('busy', `at most ${this.#limits.all} streams of events may be open; try again later`,
        RETRY);
    const own = [...this.#subscribers].filter((subscriber) => subscriber.owner === owner).length;
    if (own >= this.#limits.each)
      throw new ServiceError('rate_limited',
        `at most ${this.#limits.each} streams of events may be open for one client; close one first`, RETRY);
  }

  /** Opens a stream; the caller must call `leave` when it ends. Throws as `admit` does. */
  open(owner: string): StreamSubscriber {
    this.admit(owner);
    const subscriber = new StreamSubscriber(owner, () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size === 0) this.#rest?.();
    });
    this.#subscribers.add(subscriber);
    this.#rest ??= this.#begin();
    return subscriber;
  }

  /** The changes after a position; undefined at the head. Throws `FeedGap`. */
  read(after: number): Promise<Page | undefined> {
    const known = this.#read;
    if (known?.after === after) return known.page;
    const page = this.#options.feed.read(after, BATCH).then(pageOf);
    const read = { after, page };
    this.#read = read;
    // A failed read must not be shared, so that the next call tries again.
    page.catch(() => (this.#read = this.#read === read ? undefined : this.#read));
    return page;
  }

  /** Ends all streams; new ones are refused. */
  stop(): void {
    this.#stopped = true;
    for (const subscriber of this.#subscribers) subscriber.end();
  }

  #begin(): () => void {
    const resting = new AbortController();
    // Streams do not hold back pruning of the feed: a stream that falls too far behind is informed of the gap.
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
      for (const subscriber of this.#subscribers) subscriber.wake();
    }, this.#subscribers.size > MANY ? WAKE_MS : 0);
  }

  /** Never rejects. */
  async #beat(resting: AbortSignal): Promise<void> {
    for (;;) {
      await this.#options.timer.sleep(BEAT_MS, resting);
      if (resting.aborted) return;
      // Covers changes that caused no wake-up in this process, such as a replaced database.
      this.#read = undefined;
      for (const subscriber of this.#subscribers) subscriber.beat();
    }
  }
}

const RETRY = { headers: { 'Retry-After': '15' } };

/** One open stream. */
export class StreamSubscriber {
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

  /** Returns true once after each beat. */
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

  /** Marks the stream as ended for its reader; harmless when repeated. */
  readonly end = (): void => {
    this.#over = true;
    this.wake();
  };

  /** The reader has left. */
  leave(): void {
    this.end();
    this.#forget();
  }
}

function pageOf(changes: Awaited<ReturnType<ChangeFeed['read']>>): Page | undefined {
  const last = changes.at(-1)?.lsn;
  return last === undefined
    ? undefined
    : { last, events: changes.map(serviceEventOf).filter((event) => event !== undefined) };
}
