import type { Clock } from '../../../lib/clock.ts';

/** How long segments of a replaced manifest stay, for those who are fetching them. */
export const RETIRED_MS = 30 * 60_000;

/**
 * Segments that manifests of this process no longer name. An index that changes all the time would otherwise leave a
 * copy of its own after each checkpoint until garbage is collected.
 */
export class RetiredSegments {
  readonly #clock: Clock;
  /** By the name of the index, and the hash of the segment: since when. */
  readonly #since = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A manifest has replaced one with the segments of `former`; `named` are its own. */
  replaced(index: string, former: Iterable<string>, named: ReadonlySet<string>): void {
    const since = this.#since.get(index) ?? new Map<string, number>();
    for (const hash of former) if (!since.has(hash)) since.set(hash, this.#clock.now());
    for (const hash of named) since.delete(hash);
    this.#since.set(index, since);
  }

  /** Returns the segments that can be removed now, and forgets them. */
  due(index: string): string[] {
    const since = this.#since.get(index) ?? new Map<string, number>();
    const before = this.#clock.now() - RETIRED_MS;
    const due = [...since].filter(([, at]) => at <= before).map(([hash]) => hash);
    for (const hash of due) since.delete(hash);
    return due;
  }

  forget(index: string): void {
    this.#since.delete(index);
  }
}
