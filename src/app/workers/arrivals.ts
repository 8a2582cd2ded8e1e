import { nodeLoop, type EventLoop } from '../../lib/turns.ts';

/** The requests that arrived in one turn of the event loop, by what they share. */
interface Turn {
  current?: Promise<boolean>;
}

/**
 * Serves requests once everything is loaded that was committed before they arrived. Requests that arrive in the same turn of the event loop share one
 * look at the database, which begins after the last of them. They are then served one by one, because each may take the time that the turn has left.
 */
export class Arrivals {
  readonly #refresh: () => Promise<void>;
  readonly #loop: Pick<EventLoop, 'soon'>;
  #turn: Turn | undefined;

  /** `refresh` rejects if it cannot load the current state. */
  constructor(refresh: () => Promise<void>, loop: Pick<EventLoop, 'soon'> = nodeLoop) {
    this.#refresh = refresh;
    this.#loop = loop;
  }

  /** `serve` is called with whether the current state is loaded. */
  add(serve: (isCurrent: boolean) => void): void {
    const turn = (this.#turn ??= {});
    this.#loop.soon(() => void this.#currentFor(turn).then(serve));
  }

  #currentFor(turn: Turn): Promise<boolean> {
    if (turn.current !== undefined) return turn.current;
    // Later requests arrive after this look.
    this.#turn = undefined;
    return (turn.current = this.#refresh().then(() => true, () => false));
  }
}
