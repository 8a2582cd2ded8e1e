/**
 * The part of ECMAScript's regular expressions (with the `u` flag) that describes a regular
 * language, as a tree. What needs backtracking to decide (backreferences, look-around) has no node.
 */
type Pattern = { readonly type: 'atom'; readonly source: string } | { readonly type: 'assertion';
  readonly kind: Assertion } | { readonly type: 'sequence'; readonly parts: readonly Pattern[] } | {
  readonly type: 'choice';
  readonly options: readonly Pattern[];
} | { readonly type: 'repeat'; readonly part: Pattern; readonly min: number; readonly max: number };

/** `^`, `$`, `\b` and `\B`. */
export type Assertion = 'start' | 'end' | 'boundary' | 'inside';

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '^': 'start',
  '$': 'end',
  '\\b': 'boundary',
  '\\B': 'inside',
};

/**
 * One atom: an escape (a surrogate pair of two `\u` escapes is one character), a class, or any
 * other code point. Under the `u` flag classes do not nest, so a class ends at its first bare `]`.
 */
const ATOM =
  /\\(?:u\{[^}]*\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[pP]\{[^}]*\}|x..|c.|.)|\[(?:\\.|[^\]\\])*\]|./suy;

const QUANTIFIER = /([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y;

/** Throws a `SyntaxError` if the source is not a regular expression or needs something that this tree lacks. */
export function parsePattern(source: string): Pattern {
  // The engine's own parser checks the grammar, so the parser below only has to find the structure.
  new RegExp(source, 'u');
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Pattern {
    return this.#choice();
  }

  #choice(): Pattern {
    const options = [this.#sequence()];
    while (this.#skip('|')) options.push(this.#sequence());
    return options.length === 1 ? options[0]! : { type: 'choice', options };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) parts.push(this.#quantified());
    return { type: 'sequence', parts };
  }

  #quantified(): Pattern {
    const part = this.#skip('(') ? this.#group() : this.#single();
    const quantifier = this.#match(QUANTIFIER);
    if (quantifier === undefined) return part;
    const [, sign, least, comma, most] = quantifier;
    if (sign !== undefined)
      return { type: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    return { type: 'repeat', part, min: Number(least), max: most ? Number(most) : comma ? Infinity : Number(least) };
  }

  /** The part of the match that a group captured is not needed, so every group is a plain one. */
  #group(): Pattern {
    if (this.#source[this.#at] === '?' && this.#match(/\?(?::|<(?![=!])[^>]*>)/y) === undefined) {
      throw new SyntaxError('look-around and inline flags are not supported');
    }
    const inner = this.#choice();
    this.#skip(')');
    return inner;
  }

  #single(): Pattern {
    const source = this.#match(ATOM)![0];
    if (/^\\[1-9k]/.test(source)) throw new SyntaxError('backreferences are not supported');
    const kind = ASSERTIONS[source];
    return kind === undefined ? { type: 'atom', source } : { type: 'assertion', kind };
  }

  #skip(character: string): boolean {
    const found = this.#source[this.#at] === character;
    if (found) this.#at += 1;
    return found;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source) ?? undefined;
    this.#at += match?.[0].length ?? 0;
    return match;
  }
}

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
