import type { Transaction } from '../../storage/index.ts';
import { type Core, settings } from './core.ts';
import type { RunRef } from './port.ts';
import { HeldUpdate } from './run-rows.ts';

/** Most leases that are extended in one transaction. */
const BATCH = 200;

/** Requests that arrive within this time are written together. */
const GATHER_MS = 1000;

export const RENEW = new HeldUpdate('lease_ms = ?, renewed_ms = ?');

type Answer = { renewed: RunRef[]; lost: RunRef[] };

interface Request {
  readonly shipId: string;
  readonly refs: readonly RunRef[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Extends the leases of all ships together: the first request at once, and the requests of the following second at its
 * end.
 */
export class Renewals {
  readonly #core: Core;
  #waiting: Request[] = [];
  #gathering: Promise<void> | undefined;
  #flushNow = new AbortController();

  constructor(core: Core) {
    this.#core = core;
  }

  renew(shipId: string, refs: readonly RunRef[]): Promise<Answer> {
    if (refs.length === 0) return Promise.resolve({ renewed: [], lost: [] });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ shipId, refs, resolve, reject });
      this.#gathering ??= this.#gather();
    });
  }

  /** Collects requests again, as before the first `close`. */
  open(): void {
    if (this.#flushNow.signal.aborted) this.#flushNow = new AbortController();
  }

  /**
   * Processes the waiting requests, and from now on each request at once: none may be left when the store is closed.
   */
  async close(): Promise<void> {
    this.#flushNow.abort();
    await this.#gathering;
  }

  async #gather(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#write(this.#waiting.splice(0));
      await this.#core.env.timer.sleep(Math.min(GATHER_MS, settings(this.#core).queue.heartbeat / 4),
        this.#flushNow.signal);
    }
    this.#gathering = undefined;
  }

  async #write(requests: readonly Request[]): Promise<void> {
    for (let first = 0; first < requests.length;) {
      let last = first;
      for (let size = 0; last < requests.length && size < BATCH; last++) size += requests[last]!.refs.length;
      await this.#writeTogether(requests.slice(first, last));
      first = last;
    }
  }

  async #writeTogether(requests: readonly Request[]): Promise<void> {
    try {
      // Each renewal checks its own conditions.
      const answers = await this.#core.env.sql.transaction((tx) => this.#extend(tx, requests), {
        isolation: 'read committed',
      });
      requests.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      this.#core.outage.noteFailure(error);
      for (const { reject } of requests) reject(error);
    }
  }

  async #extend(tx: Transaction, requests: readonly Request[]): Promise<Answer[]> {
    const now = this.#core.time.now();
    const wanted = requests.flatMap(({ shipId, refs }) => refs.map((ref) => ({ ref, shipId })));
    const held = await RENEW.run(tx, [now + settings(this.#core).queue.lease_ttl, now], wanted);
    const isHeld = held.values();
    return requests.map(({ refs }) => {
      const answer: Answer = { renewed: [], lost: [] };
      for (const ref of refs) (isHeld.next().value ? answer.renewed : answer.lost).push(ref);
      return answer;
    });
  }
}
