import { parsePattern, type Assertion, type Pattern } from './regexp-syntax.ts';

/** Longest pattern, in UTF-16 units. */
export const MAX_PATTERN_LENGTH = 1024;

/** Largest automaton; counted repetitions such as `{1,500}` are written out, so they use it up. */
const MAX_STATES = 1000;

/** A regular expression from a stranger that can be run on any text. */
export interface SafeRegExp {
  readonly source: string;
  /** Whether the pattern matches anywhere in the text, as `RegExp.prototype.test` with the `u` flag. */
  test(text: string): boolean;
}

/**
 * Compiles a pattern so that a test takes time proportional to the text, whatever the pattern:
 * all ways through the automaton are followed side by side (Ken Thompson, "Regular Expression Search
 * Algorithm", 1968) where the engine's own matcher would try them one after the other, for ever in
 * the worst case. Throws a `SyntaxError` for what is not a regular expression, is too large, or uses
 * backreferences, look-around or inline flags, which no such automaton can follow.
 */
export function compileSafeRegExp(source: string): SafeRegExp {
  if (source.length > MAX_PATTERN_LENGTH) throw new SyntaxError(`a pattern must have at most ${MAX_PATTERN_LENGTH} characters`);
  const states = new AutomatonBuilder().build(parsePattern(source));
  return { source, test: (text) => new Run(states, text).matches() };
}

type State =
  | { readonly type: 'accept' }
  | { readonly type: 'atom'; readonly accepts: CharacterTest; readonly next: number }
  | { readonly type: 'assertion'; readonly kind: Assertion; readonly next: number }
  | { readonly type: 'split'; next: readonly number[] };

type CharacterTest = (codePoint: number) => boolean;

interface Automaton {
  readonly states: readonly State[];
  readonly start: number;
}

/** Builds from the end to the front: each part is told the state that follows it. */
class AutomatonBuilder {
  readonly #states: State[] = [];
  readonly #tests = new Map<string, CharacterTest>();
  #steps = 0;

  build(pattern: Pattern): Automaton {
    const accept = this.#add({ type: 'accept' });
    return { start: this.#compile(pattern, accept), states: this.#states };
  }

  #compile(pattern: Pattern, next: number): number {
    this.#count(); // also where no state is made, as in `((){1000}){1000}`
    switch (pattern.type) {
      case 'atom': return this.#add({ type: 'atom', accepts: this.#testOf(pattern.source), next });
      case 'assertion': return this.#add({ type: 'assertion', kind: pattern.kind, next });
      case 'sequence': return pattern.parts.reduceRight((following, part) => this.#compile(part, following), next);
      case 'choice': return this.#add({ type: 'split', next: pattern.options.map((option) => this.#compile(option, next)) });
      case 'repeat': return this.#repeat(pattern, next);
    }
  }

  #repeat({ part, min, max }: Pattern & { type: 'repeat' }, next: number): number {
    let entry = max === Infinity ? this.#loop(part, next) : next;
    for (let i = min; i < max && max !== Infinity; i++) entry = this.#add({ type: 'split', next: [this.#compile(part, entry), next] });
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
    if (this.#steps > 4 * MAX_STATES || this.#states.length >= MAX_STATES) throw new SyntaxError('the pattern is too large');
  }

  #testOf(source: string): CharacterTest {
    const test = this.#tests.get(source) ?? characterTest(source);
    this.#tests.set(source, test);
    return test;
  }
}

/**
 * Leaves the meaning of a class or an escape to the engine: ASCII is looked up in a table, of other
 * characters the last answer is kept, since all states ask about the same one.
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

/** One text on its way through the automaton; each state is entered at most once for a character. */
class Run {
  readonly #automaton: Automaton;
  readonly #text: string;
  readonly #entered: Int32Array;
  #waiting: number[] = [];
  #position = 0;
  #accepted = false;

  constructor(automaton: Automaton, text: string) {
    this.#automaton = automaton;
    this.#text = text;
    this.#entered = new Int32Array(automaton.states.length).fill(-1);
  }

  matches(): boolean {
    for (;;) {
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
    for (const index of before) {
      const state = this.#automaton.states[index] as State & { type: 'atom' };
      if (state.accepts(codePoint)) this.#enter(state.next);
    }
  }

  /** Follows everything that consumes no character. As deep as the automaton is large, at most. */
  #enter(index: number): void {
    if (this.#entered[index] === this.#position) return;
    this.#entered[index] = this.#position;
    const state = this.#automaton.states[index]!;
    if (state.type === 'accept') this.#accepted = true;
    else if (state.type === 'atom') this.#waiting.push(index);
    else if (state.type === 'split') for (const next of state.next) this.#enter(next);
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
