import { Batcher } from '../../lib/batcher.ts';
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
}

/**
 * Extends the leases of all ships together: the first request at once, and the requests of the following second at its
 * end.
 */
export class Renewals {
  readonly #core: Core;
  readonly #requests: Batcher<Request, Answer>;
  #flushNow = new AbortController();

  constructor(core: Core) {
    this.#core = core;
    this.#requests = new Batcher({
      process: (requests) => this.#writeTogether(requests),
      joining: fewRefs,
      rest: () => core.env.timer.sleep(Math.min(GATHER_MS, settings(core).queue.heartbeat / 4), this.#flushNow.signal),
    });
  }

  async renew(shipId: string, refs: readonly RunRef[]): Promise<Answer> {
    return refs.length === 0 ? { renewed: [], lost: [] } : this.#requests.add({ shipId, refs });
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
    await this.#requests.idle();
  }

  async #writeTogether(requests: readonly Request[]): Promise<Answer[]> {
    try {
      // Each renewal checks its own conditions.
      return await this.#core.env.sql.transaction((tx) => this.#extend(tx, requests), { isolation: 'read committed' });
    } catch (error) {
      this.#core.outage.noteFailure(error);
      throw error;
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

/** Requests until they have enough leases together. */
function fewRefs(): (request: Request) => boolean {
  let size = 0;
  return ({ refs }) => {
    if (size >= BATCH) return false;
    size += refs.length;
    return true;
  };
}
