import { recognize, type Version } from './versions.ts';

/** A document's state: the number of the stored version, or absent. */
export type State = number | 'absent';

/**
 * What a server that was killed must still know: for each document the last acknowledged state, and the states of
 * requests without a response, which may or may not have been executed.
 */
export class WriteModel {
  readonly #documents = new Map<string, { acknowledged: State; pending: State[] }>();
  #acknowledgements = 0;

  /** Number of writes of single documents that the server acknowledged. */
  get acknowledgements(): number {
    return this.#acknowledgements;
  }

  /** The keys that were written at any time. */
  get keys(): string[] {
    return [...this.#documents.keys()];
  }

  /** True if the document is known to exist. */
  exists(key: string): boolean {
    const entry = this.#documents.get(key);
    return entry !== undefined && entry.acknowledged !== 'absent' && entry.pending.length === 0;
  }

  /** Records a request with this outcome before it is sent. */
  begin(key: string, state: State): void {
    const entry = this.#documents.get(key) ?? { acknowledged: 'absent' as State, pending: [] };
    entry.pending.push(state);
    this.#documents.set(key, entry);
  }

  /** Records that the server reported success. */
  acknowledge(key: string, state: State): void {
    this.#documents.set(key, { acknowledged: state, pending: [] });
    this.#acknowledgements += 1;
  }

  /** Records that the server reported a failure, so that nothing changed. */
  refuse(key: string, state: State): void {
    const entry = this.#documents.get(key)!;
    entry.pending.splice(entry.pending.indexOf(state), 1);
  }

  /**
   * Compares everything that is stored with what must and may be stored, and adopts it as the new state. Returns one
   * line for each difference.
   */
  reconcile(stored: ReadonlyMap<string, Version>): string[] {
    const strangers = [...stored.keys()].filter((key) => !this.#documents.has(key)).map((key) =>
      `${key} was never written`
    );
    return [...strangers, ...this.keys.flatMap((key) => this.#settle(key, stored.get(key)))];
  }

  #settle(key: string, document: Version | undefined): string[] {
    const { acknowledged, pending } = this.#documents.get(key)!;
    const state = document === undefined ? 'absent' : recognize(document);
    if (state === undefined)
      return [`${key} is no version that was written: ${JSON.stringify(document).slice(0, 200)}`];
    this.#documents.set(key, { acknowledged: state, pending: [] });
    const possible = [acknowledged, ...pending];
    return possible.includes(state) ? [] : [`${key} is ${state}, expected ${possible.join(' or ')}`];
  }
}
