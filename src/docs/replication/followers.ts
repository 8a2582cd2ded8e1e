import type { Clock } from '../../lib/clock.ts';
import type { FollowerPlace } from './messages.ts';

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

/** Times are noted no more often than this, in milliseconds, and no more of them than this. */
const MARK_MS = 100;
const MARKS = 36_000;

/** Nobody waits for a follower that was not heard of for so long. */
const FORGET_MS = 24 * 3_600_000;

/** Followers by their ids, and how far each is behind. */
export class Followers {
  readonly #clock: Clock;
  readonly #known = new Map<string, Record>();
  /** When the binlog had come how far, oldest first. */
  #marks: { readonly position: number; readonly at: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The binlog ends at a position now. */
  reached(position: number): void {
    const at = this.#clock.now();
    const last = this.#marks.at(-1);
    if (last !== undefined && (position <= last.position || at - last.at < MARK_MS)) return;
    this.#marks.push({ position, at });
    if (this.#marks.length > MARKS) this.#marks = this.#marks.slice(MARKS / 2);
  }

  /** A follower has all up to a place on disk. */
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

  /** Since when the first entry waits that the follower has not confirmed. */
  #lagOf(position: number, now: number): number {
    const first = this.#marks.find((mark) => mark.position > position);
    return first === undefined ? 0 : now - first.at;
  }
}

function healthOf(lagMs: number): FollowerHealth {
  if (lagMs < HEALTHY_MS) return 'healthy';
  return lagMs <= UNHEALTHY_MS ? 'warning' : 'unhealthy';
}
