import { ServiceError } from '../../errors/index.ts';
import type { QuotaHeaders, RateLimit, Sender } from '../../operations/index.ts';
import type { ToWorker } from './messages.ts';

/** The rate limit as seen by a worker: the primary counts, so that one limit applies to all processes. */
export class PrimaryLimit implements RateLimit {
  readonly #ask: (id: number, sender: Sender) => void;
  readonly #asked = new Map<number, PromiseWithResolvers<QuotaHeaders>>();
  #lastId = 0;

  constructor(ask: (id: number, sender: Sender) => void) {
    this.#ask = ask;
  }

  admit(sender: Sender): Promise<QuotaHeaders> {
    const id = ++this.#lastId;
    const asked = Promise.withResolvers<QuotaHeaders>();
    this.#asked.set(id, asked);
    this.#ask(id, sender);
    return asked.promise;
  }

  settle({ id, headers, refused }: Extract<ToWorker, { type: 'admitted' }>): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (refused === undefined) asked?.resolve(headers);
    else asked?.reject(new ServiceError('rate_limited', refused, { headers }));
  }
}
