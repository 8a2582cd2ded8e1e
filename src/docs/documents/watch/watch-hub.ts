import { ServiceError } from '../../../errors/index.ts';
import type { Log } from '../../../lib/log.ts';
import { type Change, type ChangeFeed, memoryCursor, Subscriber } from '../../../storage/index.ts';
import { type DocumentEvent, eventOf } from './events.ts';

/** Maximum number of events that wait for a watcher (decisions, section 4.12). */
export const MAX_BEHIND = 4096;

/** The events that wait for one watcher, from the time at which it has caught up. */
export class Watcher {
  readonly #wanted: (event: DocumentEvent) => boolean;
  #waiting: DocumentEvent[] = [];
  /** Number of events at the front of `#waiting` that were taken already; removing each one would copy the rest. */
  #taken = 0;
  #failure: unknown;
  #wake: (() => void) | undefined;

  constructor(wanted: (event: DocumentEvent) => boolean) {
    this.#wanted = wanted;
  }

  push(event: DocumentEvent): void {
    if (this.#failure !== undefined || !this.#wanted(event)) return;
    this.#waiting.push(event);
    if (this.#waiting.length - this.#taken > MAX_BEHIND) {
      this.fail(
        new ServiceError('rate_limited',
          `the watcher is more than ${MAX_BEHIND} events behind; it may resume after the last event that it has seen`),
      );
    } else {
      this.#wake?.();
    }
  }

  /** Ends the watcher: waiting events are dropped, and `next` rejects. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#waiting = [];
    this.#taken = 0;
    this.#wake?.();
  }

  /** The next event, when there is one. Rejects when the watcher was ended. At most one caller may wait at a time. */
  async next(): Promise<DocumentEvent> {
    while (this.#failure === undefined && this.#taken === this.#waiting.length) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    if (this.#failure !== undefined) throw this.#failure;
    const event = this.#waiting[this.#taken++]!;
    if (this.#taken === this.#waiting.length) {
      this.#waiting = [];
      this.#taken = 0;
    }
    return event;
  }
}

/**
 * Follows the feed once for all watchers: if each watcher had its own reader, every commit would cost as many queries
 * as there are watchers. It follows the feed only while there are watchers.
 */
export class WatchHub {
  readonly #feed: ChangeFeed;
  readonly #log: Log;
  readonly #watchers = new Set<Watcher>();
  /** Number of the last change that was passed to the watchers. */
  #position = 0;
  #subscriber: Subscriber | undefined;
  #starting: Promise<void> | undefined;
  #stopped = false;

  constructor({ feed, log }: { readonly feed: ChangeFeed; readonly log: Log }) {
    this.#feed = feed;
    this.#log = log;
  }

  /** The number of watchers. */
  get size(): number {
    return this.#watchers.size;
  }

  get position(): number {
    return this.#position;
  }

  /** After this call the watcher receives every change after `position`. Resolves when the hub follows the feed. */
  async join(watcher: Watcher): Promise<void> {
    if (this.#stopped) throw stopping();
    // Added before the first `await`, so that the hub does not stop in between.
    this.#watchers.add(watcher);
    const starting = (this.#starting ??= this.#start());
    try {
      await starting;
    } catch (error) {
      this.#watchers.delete(watcher);
      if (this.#starting === starting) this.#starting = undefined;
      throw error;
    }
    // The service may have stopped meanwhile.
    if (this.#stopped) throw stopping();
  }

  leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    this.#rest();
  }

  /** Ends all watchers; none can join after this. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const subscriber = this.#subscriber;
    for (const watcher of this.#watchers) watcher.fail(stopping());
    await subscriber?.stop();
  }

  async #start(): Promise<void> {
    const head = await this.#feed.head();
    if (this.#stopped) return;
    this.#position = head;
    const subscriber: Subscriber = new Subscriber({
      feed: this.#feed,
      cursor: memoryCursor(head),
      // A stopped subscriber may have a batch under way.
      handle: async (changes) => (subscriber === this.#subscriber ? this.#deliver(changes) : undefined),
      onGap: async (gap) => {
        if (subscriber === this.#subscriber) this.#restored(gap.head);
        return gap.head;
      },
      onFailure: (error) => this.#log.error({ err: error }, 'the change feed cannot be read for watchers'),
    });
    this.#subscriber = subscriber;
    subscriber.start();
    this.#rest();
  }

  /** Stops following the feed when there are no watchers; while the hub is starting, the start does that. */
  #rest(): void {
    const subscriber = this.#subscriber;
    if (subscriber === undefined || this.#watchers.size > 0) return;
    this.#subscriber = undefined;
    this.#starting = undefined;
    void subscriber.stop();
  }

  #deliver(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#position = change.lsn;
      const event = eventOf(change);
      if (event === undefined) continue;
      for (const watcher of this.#watchers) watcher.push(event);
    }
  }

  /** The positions of watchers are meaningless in another database. */
  #restored(head: number): void {
    this.#position = head;
    for (const watcher of this.#watchers) watcher.fail(eventsLost());
  }
}

export function eventsLost(): ServiceError {
  return new ServiceError('unavailable',
    'events were lost: the database was replaced by a backup, or they are no longer kept; watch it again, without ' +
      'the number of the last event');
}

const stopping = (): ServiceError => new ServiceError('unavailable', 'the service is stopping');
