import type { OrdSet } from '../../lib/ord-set.ts';
import { spend } from '../../lib/pace.ts';
import type { Filter } from '../filter/index.ts';
import { conditionsIn } from './evaluation.ts';

/** Units of work (see `spend`) of a filter that is evaluated at once, and of a step of another: some milliseconds. */
const AT_ONCE = 1_000_000;
const STEP = 500_000;

/** Whether a filter is evaluated in steps: a condition may look at every document. */
export function isLong(filter: Filter, documents: number): boolean {
  return conditionsIn(filter) * documents > AT_ONCE;
}

/** The evaluation of a long filter, in steps that other requests may come between. */
export class Preparation {
  readonly filter: Filter;
  readonly #steps: Iterator<undefined, OrdSet>;
  #set: OrdSet | undefined;
  #hasFailed = false;

  /** `steps` evaluates the filter, one condition in each step. */
  constructor(filter: Filter, steps: Iterator<undefined, OrdSet>) {
    this.filter = filter;
    this.#steps = steps;
  }

  /** The documents that pass; undefined until that is known, and if the filter is wrong. */
  get set(): OrdSet | undefined {
    return this.#set;
  }

  get isDone(): boolean {
    return this.#set !== undefined || this.#hasFailed;
  }

  /** Evaluates some conditions over this many documents. A RangeError is left to the request whose filter it is. */
  step(documents: number): void {
    try {
      for (let units = 0; units < STEP && !this.isDone; units += documents) {
        const { done, value } = this.#steps.next();
        spend(documents);
        if (done) this.#set = value;
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#hasFailed = true;
    }
  }
}
