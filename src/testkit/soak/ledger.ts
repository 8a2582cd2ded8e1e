/** The number of a version that was written, or that there is no document. */
export type State = number | 'absent';

/**
 * What clients know of documents that each have one writer: the states that a document went through, up to
 * which of them the server has acknowledged, and up to which one it has been asked.
 */
export class Ledger {
  readonly #histories = new Map<string, { states: State[]; acknowledged: number }>();

  /** Notes a write before it is sent. */
  begin(name: string, state: State): void {
    this.#historyOf(name).states.push(state);
  }

  /** The last write that began was acknowledged. */
  acknowledge(name: string): void {
    const history = this.#historyOf(name);
    history.acknowledged = history.states.length - 1;
  }

  /** A moment: what was acknowledged until now must be found by a search that begins now. */
  now(): ReadonlyMap<string, number> {
    return new Map([...this.#histories].map(([name, { acknowledged }]) => [name, acknowledged]));
  }

  /** All that a search may have seen of a document that began at a moment and ends now. */
  possible(name: string, since: ReadonlyMap<string, number>): readonly State[] {
    return this.#historyOf(name).states.slice(since.get(name) ?? 0);
  }

  get names(): string[] {
    return [...this.#histories.keys()];
  }

  #historyOf(name: string): { states: State[]; acknowledged: number } {
    let history = this.#histories.get(name);
    if (history === undefined) this.#histories.set(name, history = { states: ['absent'], acknowledged: 0 });
    return history;
  }
}
