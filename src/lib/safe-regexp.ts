import { type Assertion, type Automaton, buildAutomaton, parsePattern, type State,
  type TextSearch } from './regexp-automaton.ts';

/**
 * A search that follows all paths through the automaton in parallel; each state is entered at most once for a
 * character. This is the cheapest way if nearly every character leads to a set of states that was not met before.
 */
class ParallelSearch implements TextSearch {
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

/**
 * Maximum number of state sets kept; if there are more, all are discarded. The table of each takes half a kilobyte to a
 * kilobyte.
 */
const CACHED_STATES = 64;

/** Maximum number of entries that one search may add to the tables; a text that needs more gains nothing from them. */
const MAX_ENTRIES = 1024;

/** Number of characters beyond ASCII that are remembered for each set. */
const CACHED_CHARACTERS = 128;

const ASCII = 128;

/** A set of states of the automaton, before one character is read. */
interface StateSet {
  /**
   * States that the last character led to. The start of the automaton is in every set, because a match may begin
   * anywhere.
   */
  readonly reached: readonly number[];
  /** Whether this is the set at the beginning of the text. */
  readonly isFirst: boolean;
  /** The next set, by ASCII character and by any other character. */
  readonly next: (StateSet | undefined)[];
  readonly others: Map<number, StateSet>;
  /** What is known without a further character; undefined until it is needed. */
  within: Closure | undefined;
  acceptsAtEnd: boolean | undefined;
}

/** All states that a set leads to without consuming a character. */
interface Closure {
  readonly accepted: boolean;
  /** States that consume a character. */
  readonly atoms: readonly (State & { type: 'atom' })[];
  readonly size: number;
}

/**
 * The deterministic automaton of a pattern, built as far as texts need it (Aho, Sethi, Ullman, "Compilers", 1986,
 * section 3.7; lazily, as in RE2). If a text meets few sets of states, each character costs one table lookup. A text
 * that meets many is searched without tables (`ParallelSearch`).
 */
class LazyDfa {
  readonly #automaton: Automaton;
  readonly #mostSets: number;
  readonly #sets = new Map<string, StateSet>();
  #first: StateSet | undefined;

  constructor(automaton: Automaton, mostSets = CACHED_STATES) {
    this.#automaton = automaton;
    this.#mostSets = mostSets;
  }

  /** Not for patterns with `\b` or `\B`, because the next character decides whether they match. */
  static serves({ states }: Automaton): boolean {
    return !states.some((state) =>
      state.type === 'assertion' && (state.kind === 'boundary' || state.kind === 'inside')
    );
  }

  search(text: string): TextSearch {
    this.#first ??= toSet([], true);
    return new DfaSearch(this, text, this.#first, () => new ParallelSearch(this.#automaton, text));
  }

  /** Whether a match was found before the end of the text, and what was examined to know it. */
  within(set: StateSet): { readonly accepted: boolean; readonly steps: number } {
    if (set.within !== undefined) return { accepted: set.within.accepted, steps: 0 };
    set.within = this.#closure(set, false);
    return { accepted: set.within.accepted, steps: set.within.size };
  }

  atEnd(set: StateSet): { readonly accepted: boolean; readonly steps: number } {
    if (set.acceptsAtEnd !== undefined) return { accepted: set.acceptsAtEnd, steps: 0 };
    const { accepted, size } = this.#closure(set, true);
    set.acceptsAtEnd = accepted;
    return { accepted, steps: size };
  }

  /** Computes the set after a character for which the given set has no entry. */
  advance(set: StateSet, codePoint: number): { readonly set: StateSet; readonly steps: number } {
    const { atoms } = set.within!;
    const reached = [...new Set(atoms.filter(({ accepts }) => accepts(codePoint)).map(({ next }) => next))].sort((a,
      b) => a - b
    );
    const next = this.#known(reached);
    if (codePoint < ASCII) set.next[codePoint] = next;
    else if (set.others.size < CACHED_CHARACTERS) set.others.set(codePoint, next);
    return { set: next, steps: atoms.length + reached.length };
  }

  #known(reached: readonly number[]): StateSet {
    const key = reached.join();
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    if (this.#sets.size >= this.#mostSets) {
      this.#sets.clear();
      this.#first = undefined;
    }
    const set = toSet(reached, false);
    this.#sets.set(key, set);
    return set;
  }

  #closure({ reached, isFirst }: StateSet, isLast: boolean): Closure {
    const entered = new Set<number>();
    const open = [this.#automaton.start, ...reached];
    const atoms: (State & { type: 'atom' })[] = [];
    let accepted = false;
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (entered.has(index)) continue;
      entered.add(index);
      const state = this.#automaton.states[index]!;
      if (state.type === 'accept') accepted = true;
      else if (state.type === 'atom') atoms.push(state);
      else if (state.type === 'split') open.push(...state.next);
      else if (state.kind === 'start' ? isFirst : isLast) open.push(state.next);
    }
    return { accepted, atoms, size: entered.size };
  }
}

function toSet(reached: readonly number[], isFirst: boolean): StateSet {
  return {
    reached,
    isFirst,
    next: Array<undefined>(ASCII).fill(undefined),
    others: new Map(),
    within: undefined,
    acceptsAtEnd: undefined,
  };
}

class DfaSearch implements TextSearch {
  readonly #dfa: LazyDfa;
  readonly #text: string;
  #set: StateSet;
  #position = 0;
  #steps = 0;
  #entries = 0;
  readonly #makeOther: () => TextSearch;
  /** Continues from the beginning in place of this one. */
  #other: TextSearch | undefined;

  constructor(dfa: LazyDfa, text: string, first: StateSet, makeOther: () => TextSearch) {
    this.#dfa = dfa;
    this.#text = text;
    this.#set = first;
    this.#makeOther = makeOther;
  }

  get steps(): number {
    return this.#steps + (this.#other?.steps ?? 0);
  }

  advance(steps: number): boolean | undefined {
    if (this.#other !== undefined) return this.#other.advance(steps);
    for (const end = this.#steps + steps; this.#steps < end;) {
      const isLast = this.#position >= this.#text.length;
      const { accepted, steps: looked } = isLast ? this.#dfa.atEnd(this.#set) : this.#dfa.within(this.#set);
      this.#steps += 1 + looked;
      if (accepted || isLast) return accepted;
      const codePoint = this.#text.codePointAt(this.#position)!;
      this.#position += codePoint > 0xffff ? 2 : 1;
      this.#set = (codePoint < ASCII ? this.#set.next[codePoint] : this.#set.others.get(codePoint)) ??
        this.#make(codePoint);
      if (this.#entries > MAX_ENTRIES) return (this.#other = this.#makeOther()).advance(end - this.#steps);
    }
    return undefined;
  }

  #make(codePoint: number): StateSet {
    const { set, steps } = this.#dfa.advance(this.#set, codePoint);
    this.#steps += steps;
    this.#entries += 1;
    return set;
  }
}

export type { TextSearch } from './regexp-automaton.ts';

/** Maximum length of a pattern, in UTF-16 units. */
export const MAX_PATTERN_LENGTH = 1024;

/** A regular expression from an untrusted source that can safely be run on any text. */
export interface SafeRegExp {
  readonly source: string;
  /** Whether the pattern matches anywhere in the text, as `RegExp.prototype.test` with the `u` flag. */
  test(text: string): boolean;
  /** The same, in steps that can be counted and interrupted. */
  search(text: string): TextSearch;
}

/**
 * Compiles a pattern so that a test takes time proportional to the text, whatever the pattern: all paths through the
 * automaton are followed in parallel (Ken Thompson, "Regular Expression Search Algorithm", 1968) where the engine's own
 * matcher would try them one after another, in the worst case without end. Sets of states are remembered, so that most
 * characters take one step (`LazyDfa`); the worst pattern takes a thousand. Throws a `SyntaxError` for a pattern that
 * is not a regular expression, is too large, or uses backreferences, look-around or inline flags, which no such
 * automaton can follow.
 */
export function compileSafeRegExp(source: string,
  { cachedStates }: { readonly cachedStates?: number } = {}): SafeRegExp
{
  if (source.length > MAX_PATTERN_LENGTH)
    throw new SyntaxError(`a pattern must have at most ${MAX_PATTERN_LENGTH} characters`);
  const automaton = buildAutomaton(parsePattern(source));
  const search = LazyDfa.serves(automaton)
    ? searchesOf(new LazyDfa(automaton, cachedStates))
    : (text: string) => new ParallelSearch(automaton, text);
  return { source, search, test: (text) => search(text).advance(Infinity)! };
}

function searchesOf(dfa: LazyDfa): (text: string) => TextSearch {
  return (text) => dfa.search(text);
}
