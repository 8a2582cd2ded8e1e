import { type EventLoop, nodeLoop } from '../../lib/turns.ts';

/**
 * Tells requests when everything is loaded that was committed before they arrived. A request begins at the end of the
 * turn of the event loop in which it arrived, after all others of that turn have arrived, so they share one look at the
 * database.
 */
export class Arrivals {
  readonly #refresh: () => Promise<void>;
  readonly #loop: Pick<EventLoop, 'turn'>;
  #turn = -1;
  #current: Promise<boolean> = Promise.resolve(false);

  /** `refresh` rejects if it cannot load the current state. */
  constructor(refresh: () => Promise<void>, loop: Pick<EventLoop, 'turn'> = nodeLoop) {
    this.#refresh = refresh;
    this.#loop = loop;
  }

  /** Call this at the end of a turn. Resolves with whether the current state is loaded. */
  current(): Promise<boolean> {
    const turn = this.#loop.turn();
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#current = this.#refresh().then(() => true, () => false);
    }
    return this.#current;
  }
}
