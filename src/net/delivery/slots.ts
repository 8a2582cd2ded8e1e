/** Somebody who waits for a slot. */
export interface SlotUser {
  /** Called when there may be a slot again. */
  slotFree(): void;
}

/**
 * Requests that may be under way at once beside the first one of each lane. That one needs no slot, so lanes whose
 * endpoints hang can take all slots together and still delay nobody's first request.
 */
export class Slots {
  #free: number;
  readonly #waiting = new Set<SlotUser>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether there was one; if not, the user is called when there is one. */
  take(user: SlotUser): boolean {
    if (this.#free === 0) {
      this.#waiting.add(user);
      return false;
    }
    this.#free--;
    return true;
  }

  /** Gives one back; those who wait are called, longest first, while there is one. */
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
