export interface BatcherOptions<Request, Outcome> {
  /** Processes requests together. Returns their outcomes, in their order. */
  readonly process: (requests: readonly Request[]) => Promise<readonly Outcome[]>;
  /** Maximum number of requests in a batch; by default any. */
  readonly most?: number;
  /**
   * Called for each batch. Returns whether a waiting request joins it; it is asked for each in order, and must accept
   * the first. Those that do not join keep their order.
   */
  readonly joining?: () => (request: Request) => boolean;
  /**
   * Whether a failure concerns each request of a batch; by default it does. Otherwise each is then processed alone, so
   * that only those fail that cannot be processed.
   */
  readonly concernsAll?: (error: unknown) => boolean;
  /** Awaited after all that waited was processed, and before what has arrived meanwhile. */
  readonly rest?: () => Promise<void>;
  /** Called when nothing waits any more. */
  readonly onIdle?: () => void;
}

interface Waiting<Request, Outcome> {
  readonly request: Request;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Processes requests together that arrive while others are processed, one batch at a time. So the work for each request
 * decreases as the load grows, and a single request waits for nothing: its batch begins before `add` returns.
 */
export class Batcher<Request, Outcome> {
  readonly #options: BatcherOptions<Request, Outcome>;
  #waiting: Waiting<Request, Outcome>[] = [];
  #working: Promise<void> | undefined;

  constructor(options: BatcherOptions<Request, Outcome>) {
    this.#options = options;
  }

  /** Resolves with the outcome of the request, or rejects with the reason why its batch failed. */
  add(request: Request): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /** Resolves when all requests are processed. */
  async idle(): Promise<void> {
    await this.#working;
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    const { rest, onIdle } = this.#options;
    while (this.#waiting.length > 0) {
      for (let left = this.#waiting.length; left > 0;) {
        const batch = this.#take();
        left -= batch.length;
        await this.#process(batch);
      }
      if (rest !== undefined) await rest();
    }
    this.#working = undefined;
    onIdle?.();
  }

  #take(): Waiting<Request, Outcome>[] {
    const { most = Infinity, joining } = this.#options;
    const joins = joining?.() ?? (() => true);
    const [batch, others]: [Waiting<Request, Outcome>[], Waiting<Request, Outcome>[]] = [[], []];
    for (const one of this.#waiting) (batch.length < most && joins(one.request) ? batch : others).push(one);
    this.#waiting = others;
    return batch;
  }

  async #process(batch: readonly Waiting<Request, Outcome>[]): Promise<void> {
    const { process, concernsAll } = this.#options;
    try {
      const outcomes = await process(batch.map(({ request }) => request));
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]!);
    } catch (error) {
      if (batch.length > 1 && concernsAll?.(error) === false) { for (const one of batch) await this.#process([one]); }
      else for (const { reject } of batch) reject(error);
    }
  }
}

/**
 * Splits items into batches with a maximum count and a maximum total weight; an item over that weight is a batch of its
 * own.
 */
export function* inBatches<T>(items: readonly T[], most: number, weightOf: (item: T) => number,
  mostWeight: number): Generator<T[]>
{
  let batch: T[] = [];
  let weight = 0;
  for (const item of items) {
    if (batch.length === most || (batch.length > 0 && weight + weightOf(item) > mostWeight)) {
      yield batch;
      [batch, weight] = [[], 0];
    }
    batch.push(item);
    weight += weightOf(item);
  }
  if (batch.length > 0) yield batch;
}
