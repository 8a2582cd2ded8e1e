import { ServiceError } from '../../../errors/index.ts';
import type { Log } from '../../../lib/log.ts';
import { memoryCursor, Subscriber, type Change, type ChangeFeed } from '../../../storage/index.ts';
import { eventOf } from './events.ts';
import type { Watcher } from './watcher.ts';

/**
 * Follows the feed once for all watchers: with a reader for each, every commit would cost as many
 * queries as there are watchers. It follows only while there are any.
 */
export class WatchHub {
  readonly #feed: ChangeFeed;
  readonly #log: Log;
  readonly #watchers = new Set<Watcher>();
  /** Number of the last change that the watchers were told. */
  #position = 0;
  #subscriber: Subscriber | undefined;
  #starting: Promise<void> | undefined;
  #stopped = false;

  constructor({ feed, log }: { readonly feed: ChangeFeed; readonly log: Log }) {
    this.#feed = feed;
    this.#log = log;
  }

  /** How many are watching. */
  get size(): number {
    return this.#watchers.size;
  }

  get position(): number {
    return this.#position;
  }

  /** From here on the watcher is told everything after `position`. Resolves when that is so. */
  async join(watcher: Watcher): Promise<void> {
    if (this.#stopped) throw stopping();
    // Before anything is awaited, so that the hub does not stop in between.
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

  /** Ends all watchers; nobody can join any more. */
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
      // One that was stopped may have a batch under way.
      handle: async (changes) => (subscriber === this.#subscriber ? this.#tell(changes) : undefined),
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

  /** Stops following when nobody watches; while it is starting, that is left to the start. */
  #rest(): void {
    const subscriber = this.#subscriber;
    if (subscriber === undefined || this.#watchers.size > 0) return;
    this.#subscriber = undefined;
    this.#starting = undefined;
    void subscriber.stop();
  }

  #tell(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#position = change.lsn;
      const event = eventOf(change);
      if (event === undefined) continue;
      for (const watcher of this.#watchers) watcher.push(event);
    }
  }

  /** What a watcher has seen says nothing about another database. */
  #restored(head: number): void {
    this.#position = head;
    for (const watcher of this.#watchers) watcher.fail(eventsLost());
  }
}

export function eventsLost(): ServiceError {
  return new ServiceError('unavailable', 'events were lost: the database was replaced by a backup, or they are no longer kept; watch it anew, without the number of the last event');
}

const stopping = (): ServiceError => new ServiceError('unavailable', 'the service is stopping');
