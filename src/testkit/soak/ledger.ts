/** The number of a version that was written, or no document. */
export type State = number | 'absent';

/**
 * What clients know about documents that each have one writer: the sequence of states of a document, up to which of
 * them the server has acknowledged, and up to which it has received requests.
 */
export class Ledger {
  readonly #histories = new Map<string, { states: State[]; acknowledged: number }>();

  /** Records a write before it is sent. */
  begin(name: string, state: State): void {
    this.#historyOf(name).states.push(state);
  }

  /** Records that the last write was acknowledged. */
  acknowledge(name: string): void {
    const history = this.#historyOf(name);
    history.acknowledged = history.states.length - 1;
  }

  /** A moment: writes acknowledged before it must be found by a search that begins now. */
  now(): ReadonlyMap<string, number> {
    return new Map([...this.#histories].map(([name, { acknowledged }]) => [name, acknowledged]));
  }

  /** All states of a document that a search from a moment until now may have seen. */
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
