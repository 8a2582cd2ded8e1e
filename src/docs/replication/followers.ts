import type { Clock } from '../../lib/clock.ts';
import type { FollowerPlace } from './messages.ts';
import type { Place } from './state.ts';

export type FollowerHealth = 'healthy' | 'warning' | 'unhealthy';

/** A follower as its leader sees it. */
export interface KnownFollower {
  readonly followerId: string;
  readonly address: string;
  readonly confirmedLsn: number;
  readonly lagMs: number;
  /** Milliseconds since 1970. */
  readonly lastSeenAt: number;
  readonly status: FollowerHealth;
}

interface Record {
  address: string;
  lsn: number;
  position: number;
  seenAt: number;
}

/** Decision 4.11. */
const HEALTHY_MS = 1000;
const UNHEALTHY_MS = 30_000;

/** Times are recorded at most once in this many milliseconds, and at most this many of them. */
const MARK_MS = 100;
const MARKS = 36_000;

/** A follower that was not heard of for this many milliseconds is no longer waited for. */
const FORGET_MS = 24 * 3_600_000;

/** Followers by their ids, and how far behind each is. */
export class Followers {
  readonly #clock: Clock;
  readonly #known = new Map<string, Record>();
  /** Times at which the binlog reached positions, oldest first. */
  #marks: { readonly position: number; readonly at: number }[] = [];
  #history = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records the present end of the binlog. Positions of another history tell nothing. */
  reached({ history, position }: Pick<Place, 'history' | 'position'>): void {
    if (history !== this.#history) this.#marks = [];
    this.#history = history;
    const at = this.#clock.now();
    // The clock was set back: what is recorded was not later than now.
    if (at < (this.#marks.at(-1)?.at ?? at))
      this.#marks = this.#marks.map((mark) => ({ ...mark, at: Math.min(mark.at, at) }));
    const last = this.#marks.at(-1);
    if (last !== undefined && (position <= last.position || at - last.at < MARK_MS)) return;
    this.#marks.push({ position, at });
    if (this.#marks.length > MARKS) this.#marks = this.#marks.slice(MARKS / 2);
  }

  /** Records that a follower has all entries up to a position on disk. */
  confirmed({ followerId, lsn, position }: FollowerPlace, address: string): void {
    this.#known.set(followerId, { address, lsn, position, seenAt: this.#clock.now() });
  }

  list(): KnownFollower[] {
    const now = this.#clock.now();
    for (const [id, { seenAt }] of this.#known) if (now - seenAt > FORGET_MS) this.#known.delete(id);
    return [...this.#known].map(([followerId, { address, lsn, position, seenAt }]) => {
      const lagMs = this.#lagOf(position, now);
      return { followerId, address, confirmedLsn: lsn, lagMs, lastSeenAt: seenAt, status: healthOf(lagMs) };
    });
  }

  /** Milliseconds for which the first entry that the follower has not confirmed has been waiting. */
  #lagOf(position: number, now: number): number {
    const first = this.#marks.find((mark) => mark.position > position);
    return first === undefined ? 0 : now - first.at;
  }
}

function healthOf(lagMs: number): FollowerHealth {
  if (lagMs < HEALTHY_MS) return 'healthy';
  return lagMs <= UNHEALTHY_MS ? 'warning' : 'unhealthy';
}
