import type { EventEmitter } from 'node:events';

/** The requests of the servers of this thread that have no complete response yet. */
export class OpenRequests {
  #count = 0;

  /** Call this when a request has arrived. */
  add(response: Pick<EventEmitter, 'on'>): void {
    this.#count++;
    response.on('close', this.#leave);
  }

  /** Whether there is one and no other. */
  get isOne(): boolean {
    return this.#count === 1;
  }

  readonly #leave = (): void => {
    this.#count--;
  };
}

export const openRequests = new OpenRequests();
