/** A lane that waits for a slot. */
export interface SlotUser {
  /** Called when a slot may be available again. */
  slotFree(): void;
}

/**
 * Limits the concurrent requests of all lanes, not counting the first one of each. The first request needs no slot, so
 * lanes whose endpoints hang can occupy all slots without delaying another lane's first request.
 */
export class Slots {
  #free: number;
  readonly #waiting = new Set<SlotUser>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot and returns true if one is free; otherwise the user is called when one becomes free. */
  take(user: SlotUser): boolean {
    if (this.#free === 0) {
      this.#waiting.add(user);
      return false;
    }
    this.#free--;
    return true;
  }

  /** Returns a slot; while slots are free, waiting users are called, the longest-waiting first. */
  release(): void {
    this.#free++;
    while (this.#free > 0 && this.#waiting.size > 0) {
      const [first] = this.#waiting;
      this.#waiting.delete(first!);
      first!.slotFree();
    }
  }

  forget(user: SlotUser): void {
    this.#waiting.delete(user);
  }
}
