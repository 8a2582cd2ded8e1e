import type { SlowBody, SlowBodyReports } from '../../lib/slow-bodies.ts';
import type { ToPrimary, ToWorker } from './messages.ts';

/** The slow bodies as reported by a worker: the primary counts, so that one bound applies to all processes. */
export class PrimarySlowBodies implements SlowBodyReports {
  readonly #say: (message: ToPrimary) => void;
  #bodies: readonly SlowBody[] = [];
  #number = 0;

  constructor(say: (message: ToPrimary) => void) {
    this.#say = say;
  }

  /** A worker has one listener, so there is one source. */
  report(_source: object, bodies: readonly SlowBody[]): void {
    if (bodies.length === 0 && this.#bodies.length === 0) return;
    this.#bodies = bodies;
    this.#say({ type: 'slow', report: ++this.#number, bodies: bodies.map(({ client, rate }) => ({ client, rate })) });
  }

  /** Ends a body of the last report; one of an earlier report is reported, and ended, again. */
  end({ report, index }: Extract<ToWorker, { type: 'end-slow' }>): void {
    if (report === this.#number) this.#bodies[index]?.end();
  }
}
