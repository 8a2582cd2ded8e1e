import type { RunRef } from '../../queue/port.ts';
import { isSameRef } from '../refs.ts';

interface HeldRun {
  readonly ref: RunRef;
  /** The ship has reported that it works on the run, or that it still holds it. */
  readonly accepted: boolean;
}

/**
 * The runs that a ship holds, as far as its messages have reported, and how many more it would take. Messages are
 * ordered, so an assignment that a heartbeat does not name has not been accepted yet.
 */
export class HeldRuns {
  readonly #held = new Map<string, HeldRun>();
  #capacity = 0;
  #room = 0;
  /**
   * Assigned runs that the ship has not accepted; counted, because the dispatcher asks all ships for their free slots
   * before each batch.
   */
  #waiting = 0;

  setCapacity(capacity: number): void {
    this.#capacity = capacity;
    this.#room = capacity;
  }

  /** Number of runs that it would take now. */
  get free(): number {
    return Math.max(0, Math.min(this.#room - this.#waiting, this.#capacity - this.#held.size));
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

  /** A run was assigned to it. */
  hand(ref: RunRef): void {
    this.#put({ ref, accepted: false });
  }

  /** It held this run when it connected. */
  keep(ref: RunRef): void {
    this.#put({ ref, accepted: true });
  }

  accept(ref: RunRef): void {
    if (!this.has(ref)) return;
    this.#put({ ref, accepted: true });
    this.#room = Math.max(0, this.#room - 1);
  }

  /** A run has ended on the ship, or was taken away; its slot is free. */
  release(ref: RunRef): void {
    const held = this.#held.get(ref.runId);
    if (held === undefined || !isSameRef(held.ref, ref)) return;
    this.#drop(ref.runId);
    if (held.accepted) this.#room = Math.min(this.#capacity, this.#room + 1);
  }

  /** It has reported how many more runs it would take. */
  report(room: number): void {
    this.#room = Math.min(room, this.#capacity);
  }

  #put(run: HeldRun): void {
    this.#drop(run.ref.runId);
    this.#held.set(run.ref.runId, run);
    if (!run.accepted) this.#waiting += 1;
  }

  #drop(runId: string): void {
    if (this.#held.get(runId)?.accepted === false) this.#waiting -= 1;
    this.#held.delete(runId);
  }
}
