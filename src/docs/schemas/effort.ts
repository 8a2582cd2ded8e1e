import { setImmediate } from 'node:timers/promises';
import type { SafeRegExp } from '../../lib/safe-regexp.ts';

/** Maximum steps of a schema's patterns for the metadata of one document: a tenth of a second at worst. */
export const DOCUMENT_STEPS = 5_000_000;

/** Maximum steps for all documents of one request. */
const REQUEST_STEPS = 10 * DOCUMENT_STEPS;

/** Number of steps after which other work gets the event loop: a few milliseconds. */
const SLICE = 250_000;

/**
 * The steps of the patterns of one request, counted so that the same metadata have the same outcome on every machine.
 */
export class Effort {
  #ofRequest: number;
  #ofDocument = 0;
  #slice = SLICE;

  constructor(requestSteps = REQUEST_STEPS) {
    this.#ofRequest = requestSteps;
  }

  /** Starts the metadata of the next document. */
  nextDocument(): void {
    this.#ofDocument = Math.min(DOCUMENT_STEPS, this.#ofRequest);
  }

  /** Whether a pattern matches a value; undefined when that takes more steps than are left. */
  async matches(pattern: SafeRegExp, value: string): Promise<boolean | undefined> {
    const search = pattern.search(value);
    for (let before = 0;; before = search.steps) {
      const found = search.advance(Math.min(this.#slice, this.#ofDocument));
      const taken = search.steps - before;
      this.#ofDocument -= taken;
      this.#ofRequest -= taken;
      this.#slice -= taken;
      if (this.#slice <= 0) {
        await setImmediate();
        this.#slice = SLICE;
      }
      if (found !== undefined) return found;
      if (this.#ofDocument <= 0) return undefined;
    }
  }
}
