import type { QueryNode, SourceRange } from './ast.ts';
import { allOf } from './groups.ts';
import { QueryTooLargeError } from './lexer.ts';
import type { Vocabulary } from './vocabulary.ts';

const WILDCARDS = /[*?]/;
const LITERALS = /[^*?]+/g;

/**
 * The node of a word in a query: a term, a phrase if it has several tokens ("wi-fi", "全文検索"), a pattern if it has
 * wildcards; undefined if it has no letter or digit.
 */
export function wordAtom(text: string, range: SourceRange, vocabulary: Vocabulary, fuzzy?: 0 | 1 | 2): QueryNode
  | undefined
{
  if (WILDCARDS.test(text)) return wildcardAtom(text, range, vocabulary);
  const forms = vocabulary.wordsOf(text).map(({ form }) => form);
  if (forms.length > 1) return { kind: 'phrase', forms, ...range };
  const [form] = forms;
  return form === undefined ? undefined : { kind: 'term', form, ...(fuzzy !== undefined && { fuzzy }), ...range };
}

/** A quoted phrase: its tokens in order, or near one another if a distance is given; undefined if it has no tokens. */
export function phraseAtom(text: string, range: SourceRange, vocabulary: Vocabulary, distance?: number): QueryNode
  | undefined
{
  const forms = vocabulary.wordsOf(text).map(({ form }) => form);
  if (forms.length === 0) return undefined;
  return distance === undefined
    ? { kind: 'phrase', forms, ...range }
    : { kind: 'proximity', forms, distance, ...range };
}

/**
 * A word with wildcards. Separators divide it into pieces that all have to match. A pattern without a letter or digit
 * would match every term, so it is ignored.
 */
function wildcardAtom(text: string, range: SourceRange, vocabulary: Vocabulary): QueryNode | undefined {
  const nodes = (text.match(vocabulary.pieces) ?? []).map((piece): QueryNode | undefined => {
    if (!WILDCARDS.test(piece)) return wordAtom(piece, range, vocabulary);
    const pattern = piece.replace(LITERALS, (literal) => vocabulary.fold(literal)).replace(/[*?]{2,}/g, normalizeRun);
    return /[^*?]/.test(pattern) ? { kind: 'wildcard', pattern, ...range } : undefined;
  });
  return allOf(nodes, range);
}

/** In a run of wildcards, a single `*` is enough; the `?` are kept, before it. */
function normalizeRun(run: string): string {
  return run.includes('*') ? `${run.replaceAll('*', '')}*` : run;
}

/** Throws if the number of a `~N` is too large. */
export function requireAtMost(value: number, most: number, what: string, position: number): void {
  if (value > most) throw new QueryTooLargeError(position, `${what} must be at most ${most}, got ${value}`);
}
