import type { Automaton, State, TextSearch } from './regexp-automaton.ts';
import type { Assertion } from './regexp-syntax.ts';

/**
 * A search that follows all paths through the automaton in parallel; each state is entered at most once for a
 * character. This is the cheapest way if nearly every character leads to a set of states that was not met before.
 */
export class ParallelSearch implements TextSearch {
  readonly #automaton: Automaton;
  readonly #text: string;
  readonly #entered: Int32Array;
  #waiting: number[] = [];
  #position = 0;
  #accepted = false;
  #steps = 0;

  constructor(automaton: Automaton, text: string) {
    this.#automaton = automaton;
    this.#text = text;
    this.#entered = new Int32Array(automaton.states.length).fill(-1);
  }

  get steps(): number {
    return this.#steps;
  }

  advance(steps: number): boolean | undefined {
    for (const end = this.#steps + steps;;) {
      if (this.#steps >= end) return undefined;
      this.#steps += 1;
      this.#enter(this.#automaton.start); // a match may begin at every character
      if (this.#accepted || this.#position >= this.#text.length) return this.#accepted;
      const codePoint = this.#text.codePointAt(this.#position)!;
      this.#position += codePoint > 0xffff ? 2 : 1;
      this.#advance(codePoint);
    }
  }

  #advance(codePoint: number): void {
    const before = this.#waiting;
    this.#waiting = [];
    this.#steps += before.length;
    for (const index of before) {
      const state = this.#automaton.states[index] as State & { type: 'atom' };
      if (state.accepts(codePoint)) this.#enter(state.next);
    }
  }

  /** Follows all transitions that consume no character. The recursion is at most as deep as the automaton is large. */
  #enter(index: number): void {
    if (this.#entered[index] === this.#position) return;
    this.#entered[index] = this.#position;
    this.#steps += 1;
    const state = this.#automaton.states[index]!;
    if (state.type === 'accept') this.#accepted = true;
    else if (state.type === 'atom') this.#waiting.push(index);
    else if (state.type === 'split') { for (const next of state.next) this.#enter(next); }
    else if (this.#holds(state.kind)) this.#enter(state.next);
  }

  #holds(kind: Assertion): boolean {
    if (kind === 'start') return this.#position === 0;
    if (kind === 'end') return this.#position === this.#text.length;
    const boundary = isWord(this.#text[this.#position - 1]) !== isWord(this.#text[this.#position]);
    return boundary === (kind === 'boundary');
  }
}

const isWord = (unit: string | undefined): boolean => unit !== undefined && /\w/.test(unit);
