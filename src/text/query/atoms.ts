import { tokenize } from '../tokenize.ts';
import type { QueryNode, SourceRange } from './ast.ts';
import { QuerySyntaxError } from './errors.ts';
import { allOf } from './groups.ts';

const WILDCARDS = /[*?]/;
/** The pieces of a word that a pattern can reach over: what the tokeniser keeps together, and the wildcards. */
const PIECES = /(?:[\p{L}\p{N}\p{M}*?\u00ad\u200c\u200d]|(?<=\p{L})['’](?=\p{L})|(?<=\p{Nd})\.(?=\p{Nd}))+/gu;
const LITERALS = /[^*?]+/g;

/**
 * A word as it stands in a query: a term, a phrase if it is several tokens ("wi-fi", "全文検索"), a pattern
 * if it has wildcards; undefined without any letter or digit.
 */
export function wordAtom(text: string, range: SourceRange, fuzzy?: 0 | 1 | 2): QueryNode | undefined {
  if (WILDCARDS.test(text)) return wildcardAtom(text, range);
  const forms = tokenize(text).map(({ form }) => form);
  if (forms.length > 1) return { kind: 'phrase', forms, ...range };
  const [form] = forms;
  return form === undefined ? undefined : { kind: 'term', form, ...(fuzzy !== undefined && { fuzzy }), ...range };
}

/** A quoted phrase: its tokens in order, or near one another if a distance is given; undefined without any. */
export function phraseAtom(text: string, range: SourceRange, distance?: number): QueryNode | undefined {
  const forms = tokenize(text).map(({ form }) => form);
  if (forms.length === 0) return undefined;
  return distance === undefined ? { kind: 'phrase', forms, ...range } : { kind: 'proximity', forms, distance, ...range };
}

/**
 * A word with wildcards. Separators within it part it into pieces that all have to match. A pattern
 * without a letter or digit would mean every term there is: it counts for nothing.
 */
function wildcardAtom(text: string, range: SourceRange): QueryNode | undefined {
  const nodes = (text.match(PIECES) ?? []).map((piece): QueryNode | undefined => {
    if (!WILDCARDS.test(piece)) return wordAtom(piece, range);
    const pattern = piece.replace(LITERALS, (literal) => foldLiteral(literal)).replace(/[*?]{2,}/g, normalizeRun);
    return /[^*?]/.test(pattern) ? { kind: 'wildcard', pattern, ...range } : undefined;
  });
  return allOf(nodes, range);
}

/** The characters between wildcards, folded as the tokeniser folds a form; what it would split at is dropped. */
function foldLiteral(literal: string): string {
  return tokenize(literal).map(({ form }) => form).join('');
}

/** In a run of wildcards, one "any characters" is enough; the single ones stay, in front of it. */
function normalizeRun(run: string): string {
  return run.includes('*') ? `${run.replaceAll('*', '')}*` : run;
}

/** Throws unless the number of a `~N` is small enough. */
export function requireAtMost(value: number, most: number, what: string, position: number): void {
  if (value > most) throw new QuerySyntaxError(position, `${what} must be at most ${most}, got ${value}`);
}
