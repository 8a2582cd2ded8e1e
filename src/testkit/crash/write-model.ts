import { recognize, type Version } from './versions.ts';

/** A document's state: the number of the version that is stored, or that it is absent. */
export type State = number | 'absent';

/**
 * What a server that was killed has to know: for each document the state that was acknowledged
 * last, and those of requests whose answer never came, which may have happened or not.
 */
export class WriteModel {
  readonly #documents = new Map<string, { acknowledged: State; pending: State[] }>();
  #acknowledgements = 0;

  /** Writes of single documents that the server acknowledged. */
  get acknowledgements(): number {
    return this.#acknowledgements;
  }

  /** The keys that were ever written. */
  get keys(): string[] {
    return [...this.#documents.keys()];
  }

  /** True when the document is known to exist. */
  exists(key: string): boolean {
    const entry = this.#documents.get(key);
    return entry !== undefined && entry.acknowledged !== 'absent' && entry.pending.length === 0;
  }

  /** A request with this outcome is about to be sent. */
  begin(key: string, state: State): void {
    const entry = this.#documents.get(key) ?? { acknowledged: 'absent' as State, pending: [] };
    entry.pending.push(state);
    this.#documents.set(key, entry);
  }

  /** The server said that the request succeeded. */
  acknowledge(key: string, state: State): void {
    this.#documents.set(key, { acknowledged: state, pending: [] });
    this.#acknowledgements += 1;
  }

  /** The server said that the request failed, and so that nothing changed. */
  refuse(key: string, state: State): void {
    const entry = this.#documents.get(key)!;
    entry.pending.splice(entry.pending.indexOf(state), 1);
  }

  /**
   * Compares all that is stored with what must and may be, and takes it over as the new truth.
   * Answers one line for each difference.
   */
  reconcile(stored: ReadonlyMap<string, Version>): string[] {
    const strangers = [...stored.keys()].filter((key) => !this.#documents.has(key)).map((key) => `${key} was never written`);
    return [...strangers, ...this.keys.flatMap((key) => this.#settle(key, stored.get(key)))];
  }

  #settle(key: string, document: Version | undefined): string[] {
    const { acknowledged, pending } = this.#documents.get(key)!;
    const state = document === undefined ? 'absent' : recognize(document);
    if (state === undefined) return [`${key} is no version that was written: ${JSON.stringify(document).slice(0, 200)}`];
    this.#documents.set(key, { acknowledged: state, pending: [] });
    const possible = [acknowledged, ...pending];
    return possible.includes(state) ? [] : [`${key} is ${state}, expected ${possible.join(' or ')}`];
  }
}
