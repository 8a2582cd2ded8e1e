import { systemTimer, type Timer } from '../../lib/clock.ts';

/** Number of the last answers whose times decide when a second node is asked. */
const WINDOW = 256;
/** Below this number of answers, the delay is `FIRST_MS`. */
const FEW = 20;
const FIRST_MS = 50;
const PERCENTILE = 0.95;

/**
 * How long to wait for an answer before a second node is asked: the 95th percentile of the last answers, so that one in
 * twenty requests is sent twice.
 */
export class HedgeDelay {
  readonly #times = new Float64Array(WINDOW);
  #count = 0;
  #delay = FIRST_MS;

  /** Counts an answer that took this long. */
  observe(milliseconds: number): void {
    this.#times[this.#count % WINDOW] = milliseconds;
    this.#count += 1;
    if (this.#count < FEW || this.#count % FEW !== 0) return;
    const times = this.#times.slice(0, Math.min(this.#count, WINDOW)).sort();
    this.#delay = times[Math.floor(times.length * PERCENTILE)]!;
  }

  /** Milliseconds. */
  get delay(): number {
    return this.#delay;
  }
}

interface HedgeOptions<Node> {
  /** The nodes that can answer, the best first; at least one. */
  readonly nodes: readonly Node[];
  /** Milliseconds until the next node is asked, too. */
  readonly delay: number;
  /** Asks a node. Its signal aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** How many nodes may be asked because others are slow; those that fail do not count. Two when absent. */
  readonly atOnce?: number;
  readonly timer?: Timer;
}

/** The first answer, and the node that gave it. */
export interface Answer<Node, T> {
  readonly node: Node;
  readonly value: T;
}

/**
 * Asks the first node, and the next one as well when there is no answer after the delay, or at once when a node fails.
 * Resolves with the first answer; the other requests are aborted. Rejects with the failure of the last node when all
 * have failed, and with the signal's reason when that aborts.
 */
export async function askHedged<Node, T>(ask: (node: Node, signal: AbortSignal) => Promise<T>,
  { nodes, delay, signal, atOnce = 2, timer = systemTimer }: HedgeOptions<Node>): Promise<Answer<Node, T>>
{
  signal.throwIfAborted();
  const over = new AbortController();
  const within = AbortSignal.any([signal, over.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<Answer<Node, T>>();
  let next = 0;
  let running = 0;
  const askNext = (): void => {
    const node = nodes[next++]!;
    running += 1;
    Promise.try(() => ask(node, within)).then((value) => resolve({ node, value }), (error: unknown) => {
      running -= 1;
      if (next < nodes.length && !within.aborted) askNext();
      else if (running === 0) reject(error as Error);
    });
  };
  const hurry = async (): Promise<void> => {
    for (let asked = 1; asked < atOnce && next < nodes.length; asked++) {
      await timer.sleep(delay, within);
      if (within.aborted) return;
      if (running < atOnce && next < nodes.length) askNext();
    }
  };
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  askNext();
  void hurry();
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    over.abort();
  }
}
