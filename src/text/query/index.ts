import { anyOf, combine, isContradictory, type QueryNode, type SourceRange, wantedNodes } from './ast.ts';
import { detectMode, hasOperator, type QueryMode, withoutQuestionMark } from './detect-mode.ts';
import { MAX_ATOMS, MAX_DISTANCE, MAX_QUERY_BYTES, QuerySyntaxError, QueryTooLargeError } from './lexer.ts';
import { parseExpression } from './parser.ts';
import { CODE, phraseAtom, PROSE, requireAtMost, type Vocabulary, wordAtom } from './vocabulary.ts';

export { type GroupNode, isLoose, type PhraseNode, printQuery, type ProximityNode, type QueryNode, type TermNode,
  wantedNodes, type WildcardNode } from './ast.ts';
export { QUERY_MODES, type QueryMode } from './detect-mode.ts';
export { QuerySyntaxError } from './lexer.ts';

export interface ParsedQuery {
  /** The mode that was requested, or detected from the syntax. */
  readonly mode: QueryMode;
  /** Undefined if the query contains no letter or digit: then it matches nothing. */
  readonly root: QueryNode | undefined;
}

export interface ParseOptions {
  /** `auto`, the default, detects the mode from the syntax. */
  readonly mode?: QueryMode | 'auto';
  /** Distance of phrases without an explicit one, in proximity mode; 5 by default. */
  readonly distance?: number;
  /** Whether the words are tokenised as source code: identifiers as wholes. As prose by default. */
  readonly code?: boolean;
}

/**
 * Parses the query of a full-text search. Forms in the result are those of the tokeniser, of prose or of code; the
 * evaluator handles terms and stop words, because they depend on the language.
 *
 * Throws QuerySyntaxError for a query that the mode's grammar does not allow, unless the mode was detected: then the
 * query is parsed as plain words, as is one that wants nothing, or what it excludes (decision D-178). Throws
 * QueryTooLargeError for a query that exceeds the limits: 4096 bytes, 128 operands, 32 levels of nesting.
 */
export function parseQuery(query: string,
  { mode = 'auto', distance = 5, code = false }: ParseOptions = {}): ParsedQuery
{
  if (Buffer.byteLength(query) > MAX_QUERY_BYTES)
    throw new QueryTooLargeError(MAX_QUERY_BYTES, `the query is longer than ${MAX_QUERY_BYTES} bytes`);
  const vocabulary = code ? CODE : PROSE;
  return mode === 'auto'
    ? parseAny(query, distance, vocabulary)
    : { mode, root: parseAs(mode, query, distance, vocabulary) };
}

function parseAny(query: string, distance: number, vocabulary: Vocabulary): ParsedQuery {
  const mode = detectMode(query);
  const text = withoutQuestionMark(query);
  try {
    const root = parseAs(mode, text, distance, vocabulary);
    if (wantedNodes(root).length > 0 && !isContradictory(root)) return { mode, root };
  } catch (error) {
    if (!(error instanceof QuerySyntaxError) || error instanceof QueryTooLargeError) throw error;
  }
  return { mode: 'simple', root: parseSimple(text, vocabulary) };
}

function parseAs(mode: QueryMode, query: string, distance: number, vocabulary: Vocabulary): QueryNode | undefined {
  if (mode === 'simple') return parseSimple(query, vocabulary);
  const toByte = byteOffsets(query);
  switch (mode) {
    case 'boolean':
      return parseExpression(query, toByte, 'optional', vocabulary);
    case 'expression':
      return parseExpression(query, toByte, 'required', vocabulary);
    case 'wildcard':
      return parseWildcards(query, toByte, vocabulary);
    case 'phrase':
      return parsePhrases(query, toByte, undefined, vocabulary);
    case 'proximity':
      return parsePhrases(query, toByte, distance, vocabulary);
  }
}

/** Any of the words, without syntax. */
function parseSimple(query: string, { wordsOf }: Vocabulary): QueryNode | undefined {
  const terms = wordsOf(query).map((
    { form, parts, start, end },
  ): QueryNode => (parts.length > 0 ? { kind: 'term', form, parts, start, end } : { kind: 'term', form, start, end }));
  return anyOf(terms, { start: 0, end: Buffer.byteLength(query) });
}

/** Any of the words, each of which may be a pattern; with operators (`foo* AND bar`), the boolean grammar is used. */
function parseWildcards(query: string, toByte: (offset: number) => number, vocabulary: Vocabulary): QueryNode
  | undefined
{
  if (hasOperator(query)) return parseExpression(query, toByte, 'optional', vocabulary);
  const words = [...query.matchAll(/\S+/g)];
  if (words.length > MAX_ATOMS)
    throw new QueryTooLargeError(toByte(words[MAX_ATOMS]!.index), `more than ${MAX_ATOMS} operands`);
  const nodes = words.map((word) => wordAtom(word[0], rangeOf(word, toByte), vocabulary));
  const root = anyOf(nodes, { start: 0, end: toByte(query.length) });
  if (root === undefined && words.length > 0 && /[*?]/.test(query)) {
    throw new QuerySyntaxError(toByte(words[0]!.index),
      'a pattern needs at least one letter or digit beside its wildcards');
  }
  return root;
}

/**
 * Every quoted phrase is required, and words outside of the quotes only add to the score. Without quotes, the whole
 * query is one phrase. In proximity mode, a phrase without a `~N` has the given distance.
 */
function parsePhrases(query: string, toByte: (offset: number) => number, distance: number | undefined,
  vocabulary: Vocabulary): QueryNode | undefined
{
  const whole = { start: 0, end: toByte(query.length) };
  if (!query.includes('"')) return phraseAtom(query, whole, vocabulary, distance);
  const required: (QueryNode | undefined)[] = [];
  const optional: (QueryNode | undefined)[] = [];
  for (const part of query.matchAll(/"([^"]*)"(?:~(\d+))?|"|[^\s"]+/g)) {
    const range = rangeOf(part, toByte);
    if (part[0] === '"') throw new QuerySyntaxError(range.start, 'the quote is not closed');
    const own = part[2] === undefined ? distance : Number(part[2]);
    requireAtMost(own ?? 0, MAX_DISTANCE, 'the distance', range.start);
    if (part[1] !== undefined) required.push(phraseAtom(part[1], range, vocabulary, own));
    else optional.push(wordAtom(part[0], range, vocabulary));
  }
  return combine(required, optional, whole);
}

function rangeOf(match: RegExpExecArray, toByte: (offset: number) => number): SourceRange {
  return { start: toByte(match.index), end: toByte(match.index + match[0].length) };
}

/** Converts UTF-16 offsets of a text into byte offsets, which are computed once, so that each lookup is fast. */
function byteOffsets(text: string): (offset: number) => number {
  const offsets = new Uint16Array(text.length + 1);
  for (let i = 0, byte = 0; i <= text.length;) {
    const codePoint = text.codePointAt(i) ?? 0;
    const units = codePoint > 0xffff ? 2 : 1;
    offsets.fill(byte, i, i + units);
    byte += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x1_0000 ? 3 : 4;
    i += units;
  }
  return (offset) => offsets[offset]!;
}
