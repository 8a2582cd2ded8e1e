import type { Assertion, Pattern } from './regexp-syntax.ts';

/** Maximum size of an automaton. Counted repetitions such as `{1,500}` are expanded, so they count against it. */
const MAX_STATES = 1000;

/** A search of one text that is in progress. */
export interface TextSearch {
  /** Total number of states examined so far: the cost of the search, which is the same on every machine. */
  readonly steps: number;
  /**
   * Continues for about the given number of steps. Returns whether the pattern matches, or undefined while that is not
   * known.
   */
  advance(steps: number): boolean | undefined;
}

/** A state of the automaton. It knows what follows it, not what precedes it. */
export type State = { readonly type: 'accept' } | { readonly type: 'atom'; readonly accepts: CharacterTest;
  readonly next: number } | { readonly type: 'assertion'; readonly kind: Assertion; readonly next: number } | {
  readonly type: 'split';
  next: readonly number[];
};

type CharacterTest = (codePoint: number) => boolean;

export interface Automaton {
  readonly states: readonly State[];
  readonly start: number;
}

/** Throws a `SyntaxError` for a pattern that is too large. */
export function buildAutomaton(pattern: Pattern): Automaton {
  return new AutomatonBuilder().build(pattern);
}

/** Builds from the end to the front: each part receives the state that follows it. */
class AutomatonBuilder {
  readonly #states: State[] = [];
  readonly #tests = new Map<string, CharacterTest>();
  #steps = 0;

  build(pattern: Pattern): Automaton {
    const accept = this.#add({ type: 'accept' });
    return { start: this.#compile(pattern, accept), states: this.#states };
  }

  #compile(pattern: Pattern, next: number): number {
    this.#count(); // also counts parts that add no state, as in `((){1000}){1000}`
    switch (pattern.type) {
      case 'atom':
        return this.#add({ type: 'atom', accepts: this.#testOf(pattern.source), next });
      case 'assertion':
        return this.#add({ type: 'assertion', kind: pattern.kind, next });
      case 'sequence':
        return pattern.parts.reduceRight((following, part) => this.#compile(part, following), next);
      case 'choice':
        return this.#add({ type: 'split', next: pattern.options.map((option) => this.#compile(option, next)) });
      case 'repeat':
        return this.#repeat(pattern, next);
    }
  }

  #repeat({ part, min, max }: Pattern & { type: 'repeat' }, next: number): number {
    let entry = max === Infinity ? this.#loop(part, next) : next;
    for (let i = min; i < max && max !== Infinity; i++)
      entry = this.#add({ type: 'split', next: [this.#compile(part, entry), next] });
    for (let i = 0; i < min; i++) entry = this.#compile(part, entry);
    return entry;
  }

  #loop(part: Pattern, next: number): number {
    const split: State = { type: 'split', next: [] };
    const entry = this.#add(split);
    split.next = [this.#compile(part, entry), next];
    return entry;
  }

  #add(state: State): number {
    this.#count();
    return this.#states.push(state) - 1;
  }

  #count(): void {
    this.#steps += 1;
    if (this.#steps > 4 * MAX_STATES || this.#states.length >= MAX_STATES)
      throw new SyntaxError('the pattern is too large');
  }

  #testOf(source: string): CharacterTest {
    const test = this.#tests.get(source) ?? characterTest(source);
    this.#tests.set(source, test);
    return test;
  }
}

/**
 * Leaves the meaning of a class or an escape to the engine. ASCII characters are looked up in a table; for other
 * characters the last result is kept, because all states ask about the same character.
 */
function characterTest(source: string): CharacterTest {
  const expression = new RegExp(`^${source}$`, 'u');
  const ascii = Array.from({ length: 128 }, (_, code) => expression.test(String.fromCharCode(code)));
  let last = -1;
  let answer = false;
  return (codePoint) => {
    if (codePoint < 128) return ascii[codePoint]!;
    if (codePoint !== last) {
      answer = expression.test(String.fromCodePoint(codePoint));
      last = codePoint;
    }
    return answer;
  };
}
