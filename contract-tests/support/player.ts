import type { ExampleCall } from './examples.ts';

/** The result of an SDK function. */
export interface Played {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response?: Response;
}

/** Runs an example against a server. */
export type Send = (call: ExampleCall) => Promise<Played>;

/** Creates what an example requires, before it is run. */
export type Prepare = (player: Player) => Promise<void>;

const ID = /\b(?:cfg|cur|ses|msg|sum|job|wh|auto|log|rot)_[0-9a-f]{6,}(?:_[0-9a-f]+)?/g;

/**
 * Runs the examples of a specification from top to bottom, as a reader would: ids that the server generates replace
 * those in the examples.
 */
export class Player {
  readonly #calls: ReadonlyMap<string, ExampleCall>;
  readonly #send: Send;
  readonly #prepare: Readonly<Record<string, Prepare>>;
  /** Values that differ from the examples: a prefix of ids, or a whole value. */
  readonly #actual = new Map<string, string>();

  constructor(calls: readonly ExampleCall[], send: Send, prepare: Readonly<Record<string, Prepare>>) {
    this.#calls = new Map(calls.map((call) => [call.operationId, call]));
    this.#send = send;
    this.#prepare = prepare;
  }

  /** From now on, `shown` in examples is replaced by `actual`. */
  say(shown: string, actual: string): void {
    this.#actual.set(shown, actual);
  }

  /** Runs the examples of the operations that precede another one, and ignores their results. */
  async first(...operationIds: readonly string[]): Promise<void> {
    for (const id of operationIds) await this.#run(this.#calls.get(id)!);
  }

  /** Runs an operation's example, after what it requires. */
  async play(operationId: string): Promise<Played> {
    await this.#prepare[operationId]?.(this);
    return this.#run(this.#calls.get(operationId)!);
  }

  async #run(call: ExampleCall): Promise<Played> {
    const played = await this.#send({ ...call, options: this.#meant(call.options) as ExampleCall['options'] });
    for (const [id] of (JSON.stringify(played.data ?? null) ?? '').matchAll(ID))
      this.#actual.set(id.slice(0, id.indexOf('_')), id);
    return played;
  }

  #meant(value: unknown): unknown {
    if (typeof value === 'string')
      return this.#actual.get(value) ?? value.replace(ID, (id) => this.#actual.get(id.slice(0, id.indexOf('_'))) ?? id);
    if (Array.isArray(value)) return value.map((item) => this.#meant(item));
    if (value === null || typeof value !== 'object' || value instanceof Blob) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#meant(inner)]));
  }
}
