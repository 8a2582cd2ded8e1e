import type { RunRef } from '../../queue/port.ts';
import { isSameRef } from '../refs.ts';

interface HeldRun {
  readonly ref: RunRef;
  /** The ship has said that it works on it, or that it still holds it. */
  readonly accepted: boolean;
}

/**
 * What a ship holds, as far as its messages have told, and how much more it would take. Messages are ordered, so an
 * assignment that a heartbeat does not know of is one that is not accepted yet.
 */
export class Slots {
  readonly #held = new Map<string, HeldRun>();
  #capacity = 0;
  #room = 0;

  setCapacity(capacity: number): void {
    this.#capacity = capacity;
    this.#room = capacity;
  }

  /** Runs that it would take now. */
  get free(): number {
    return Math.max(0, Math.min(this.#room - this.#waiting(), this.#capacity - this.#held.size));
  }

  get size(): number {
    return this.#held.size;
  }

  has(ref: RunRef): boolean {
    const held = this.#held.get(ref.runId);
    return held !== undefined && isSameRef(held.ref, ref);
  }

  find(runId: string): RunRef | undefined {
    return this.#held.get(runId)?.ref;
  }

  /** It has been handed a run. */
  hand(ref: RunRef): void {
    this.#held.set(ref.runId, { ref, accepted: false });
  }

  /** It held this one when it connected. */
  keep(ref: RunRef): void {
    this.#held.set(ref.runId, { ref, accepted: true });
  }

  accept(ref: RunRef): void {
    if (!this.has(ref)) return;
    this.#held.set(ref.runId, { ref, accepted: true });
    this.#room = Math.max(0, this.#room - 1);
  }

  /** A run has ended there, or was taken away; its slot is free. */
  release(ref: RunRef): void {
    const held = this.#held.get(ref.runId);
    if (held === undefined || !isSameRef(held.ref, ref)) return;
    this.#held.delete(ref.runId);
    if (held.accepted) this.#room = Math.min(this.#capacity, this.#room + 1);
  }

  /** It has said how many more it would take. */
  report(room: number): void {
    this.#room = Math.min(room, this.#capacity);
  }

  #waiting(): number {
    let waiting = 0;
    for (const { accepted } of this.#held.values()) if (!accepted) waiting += 1;
    return waiting;
  }
}
