import { LazyDfa } from './lazy-dfa.ts';
import { ParallelSearch } from './parallel-search.ts';
import { buildAutomaton, type TextSearch } from './regexp-automaton.ts';
import { parsePattern } from './regexp-syntax.ts';

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
