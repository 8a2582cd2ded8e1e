interface Named {
  readonly projectId: string;
  readonly name: string;
}

const keyOf = ({ projectId, name }: Named): string => `${name}:${projectId}`;

/** Work for schedules that takes long, beside other work: one at a time of each, and `most` of all at once. */
export class Beside {
  readonly #most: number;
  readonly #failed: (error: unknown) => void;
  readonly #known = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `failed` gets the errors of the work. */
  constructor(most: number, failed: (error: unknown) => void) {
    this.#most = most;
    this.#failed = failed;
  }

  /** Whether the work of a schedule runs or waits. */
  has(plan: Named): boolean {
    return this.#known.has(keyOf(plan));
  }

  /** Begins work, or lets it wait for others. Never throws. */
  add(plan: Named, work: () => Promise<void>): void {
    this.#known.set(keyOf(plan), this.#inTurn(work).catch(this.#failed).finally(() => this.#known.delete(keyOf(plan))));
  }

  /** Resolves when nothing that was added by now runs or waits. */
  async idle(): Promise<void> {
    await Promise.all(this.#known.values());
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#running === this.#most) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#running++;
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
