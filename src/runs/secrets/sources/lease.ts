import type { Clock } from '../../../lib/clock.ts';

/** A token for a store, and how long it counts. */
export interface Leased {
  readonly token: string;
  readonly seconds: number;
}

/** Part of its life after which a token is replaced, so that none ends on its way. */
const USED_PART = 0.8;

/** Keeps the token of a store while it counts. Requests made while it is fetched share one login. */
export class Lease {
  readonly #login: (signal: AbortSignal) => Promise<Leased>;
  readonly #clock: Clock;
  #held: { readonly token: Promise<string>; until: number } | undefined;

  constructor(clock: Clock, login: (signal: AbortSignal) => Promise<Leased>) {
    this.#clock = clock;
    this.#login = login;
  }

  token(signal: AbortSignal): Promise<string> {
    if (this.#held !== undefined && this.#clock.now() < this.#held.until) return this.#held.token;
    const begun = this.#clock.now();
    const login = this.#login(signal);
    const held = { token: login.then(({ token }) => token), until: Infinity };
    this.#held = held;
    login.then(({ seconds }) => {
      held.until = begun + seconds * 1000 * USED_PART;
    }, () => this.forget(held.token));
    return held.token;
  }

  /** The store has refused the token; without an argument, whichever it is. */
  forget(token?: Promise<string>): void {
    if (token === undefined || this.#held?.token === token) this.#held = undefined;
  }
}
