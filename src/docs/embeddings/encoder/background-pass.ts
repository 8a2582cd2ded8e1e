import type { Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { Loop } from '../../../lib/loop.ts';
import type { LackingDocument, PassageName } from './passage-rows.ts';

export interface BackgroundPassOptions {
  readonly timer: Timer;
  readonly log: Log;
  /** Whether the processor is free: no query waits, and no document waits for its vectors. */
  readonly isIdle: () => boolean;
  readonly mayKeep: (collection: string) => boolean;
  /** The next documents after one, by ordinal, that lack vectors. */
  readonly lackingAfter: (after: number, limit: number) => Promise<LackingDocument[]>;
  /**
   * Makes and stores the missing vectors of passages; returns how many it made. Stops early when the server is no
   * longer idle.
   */
  readonly fill: (passages: readonly PassageName[]) => Promise<number>;
}

/** Milliseconds until it checks again whether the server is idle. */
const BUSY_MS = 1000;
/** Milliseconds until it looks again for passages when there were none, and after a failure. */
const DONE_MS = 30_000;
/** Number of documents that are looked up together. */
const DOCUMENTS = 32;
/** Number of passages between two checks for other work. */
const PASSAGES = 16;

/**
 * Makes the encoder's vectors of all passages while the server is idle, by document, in the order in which they were
 * written.
 */
export class BackgroundPass {
  readonly #options: BackgroundPassOptions;
  readonly loop: Loop;

  constructor(options: BackgroundPassOptions) {
    this.#options = options;
    const { timer, log } = options;
    this.loop = new Loop({
      name: 'vectors of the encoder',
      everyMs: DONE_MS,
      timer,
      log,
      failure: 'the encoder could not be used in the background; trying again later',
    }, (signal) => this.#pass(signal));
  }

  /** One pass over every document that lacks vectors. */
  async #pass(signal: AbortSignal): Promise<void> {
    const { lackingAfter, mayKeep } = this.#options;
    for (let last = 0;;) {
      const documents = await lackingAfter(last, DOCUMENTS);
      if (documents.length === 0) return;
      for (const { ord, chunks, collection } of documents) {
        if (mayKeep(collection))
          await this.#fill(Array.from({ length: chunks }, (_, chunk) => ({ ord, chunk })), signal);
        if (signal.aborted) return;
      }
      last = documents.at(-1)!.ord;
    }
  }

  async #fill(passages: readonly PassageName[], signal: AbortSignal): Promise<void> {
    const { isIdle, timer, fill } = this.#options;
    for (let i = 0; i < passages.length; i += PASSAGES) {
      while (!isIdle() && !signal.aborted) await timer.sleep(BUSY_MS, signal);
      if (signal.aborted) return;
      await fill(passages.slice(i, i + PASSAGES));
    }
  }
}
