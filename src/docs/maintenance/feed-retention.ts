import type { Timer } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import type { DocsEnvironment } from '../environment.ts';

/**
 * How much of the change feed is kept: a change is removed when it is too old or when the changes after it reach the
 * size.
 */
export interface FeedLimits {
  readonly maxAgeMs: number;
  /** Bytes, estimated from the newest changes. */
  readonly maxBytes: number;
}

interface FeedRetentionDeps extends Pick<DocsEnvironment, 'feed' | 'clock' | 'log'> {
  readonly limits: FeedLimits;
  /** Average bytes of one change; 0 when there is none. */
  readonly bytesOfChange: () => Promise<number>;
  readonly timer?: Timer;
}

const INTERVAL_MS = 3_600_000;

/**
 * Removes old changes from the feed once an hour. Changes that a follower has yet to read are kept
 * (`ChangeFeed.prune`), and indexes first write or confirm their checkpoints, so that a restart does not have to
 * rebuild them.
 */
export class FeedRetention {
  readonly #deps: FeedRetentionDeps;
  /** Does not prune at once, because a start has enough work. */
  readonly loop: Loop;

  constructor(deps: FeedRetentionDeps) {
    this.#deps = deps;
    const { timer, log } = deps;
    this.loop = new Loop({
      name: 'change feed',
      everyMs: INTERVAL_MS,
      waitsFirst: true,
      timer,
      log,
      failure: 'old changes could not be removed from the feed; trying again later',
    }, () => this.prune());
  }

  /** Returns the number of removed changes. */
  async prune(): Promise<number> {
    const { feed, clock, limits, bytesOfChange } = this.#deps;
    const old = await feed.prune({ since: clock.now() - limits.maxAgeMs });
    const size = await bytesOfChange();
    return old + (size === 0 ? 0 : await feed.prune({ entries: Math.floor(limits.maxBytes / size) }));
  }
}
