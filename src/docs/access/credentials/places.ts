import { ServiceError } from '../../../errors/index.ts';

/**
 * Lets so many pieces of work run at once; as many again may wait as `waiting` says, in the order in which they
 * came, and one more is refused with `busy`.
 */
export class Places {
  readonly #waiting: number;
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(places: number, waiting: number) {
    this.#free = places;
    this.#waiting = waiting;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#take();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    if (this.#queue.length >= this.#waiting) {
      throw new ServiceError('busy', 'too many passwords are being checked; try again later', { headers: { 'Retry-After': '1' } });
    }
    await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  /** A place goes straight to the next, so that nobody can take it in between. */
  #leave(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
