import { ServiceError } from '../../errors/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ObjectPage, ObjectStore } from '../../net/objects.ts';

const PAGE = 1000;

/** Memory for the objects of all collections together. */
export class MemoryBudget {
  readonly maxBytes: number;
  bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }
}

interface Entry {
  readonly bytes: Uint8Array;
  readonly putAt: number;
}

/** Objects in the memory of this process. */
export class MemoryStore implements ObjectStore {
  readonly #objects = new Map<string, Entry>();
  readonly #clock: Clock;
  readonly #budget: MemoryBudget;

  constructor(clock: Clock, budget: MemoryBudget) {
    this.#clock = clock;
    this.#budget = budget;
  }

  /** Rejects with `unavailable` when the budget is used up: referenced objects are never removed to free memory. */
  async put(name: string, bytes: Uint8Array): Promise<void> {
    const { maxBytes } = this.#budget;
    if (!this.#objects.has(name)) {
      if (this.#budget.bytes + bytes.length > maxBytes) {
        throw new ServiceError('unavailable',
          `bodies in memory may have ${maxBytes} bytes together (SVC_BODIES_MEMORY_BYTES), and that is used up: ` +
            'delete documents, or store them elsewhere');
      }
      this.#budget.bytes += bytes.length;
    }
    this.#objects.set(name, { bytes, putAt: this.#clock.now() });
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    return this.#objects.get(name)?.bytes;
  }

  async remove(name: string): Promise<void> {
    this.#budget.bytes -= this.#objects.get(name)?.bytes.length ?? 0;
    this.#objects.delete(name);
  }

  async list(from = '0'): Promise<ObjectPage> {
    const start = Number(from);
    const objects = [...this.#objects].slice(start, start + PAGE).map(([name, { putAt }]) => ({ name, putAt }));
    // If objects are removed between two pages, the next page skips as many; the next collection finds them.
    return { objects, next: start + PAGE < this.#objects.size ? String(start + PAGE) : undefined };
  }
}
