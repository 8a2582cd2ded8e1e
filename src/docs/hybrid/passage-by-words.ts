import { isCodeDocument, tokenizeCode } from '../../text/code/index.ts';
import { tokenize } from '../../text/tokenize.ts';
import type { Meta } from '../documents/index.ts';
import type { Embeddings } from '../embeddings/index.ts';
import type { WordMatcher } from '../fulltext/index.ts';
import type { ChosenPassage } from '../search/index.ts';

/**
 * The passage of a body with the most different terms of a query; of several, the one with the most occurrences, then
 * the first one; with `size` neighbours on each side. Undefined for a blank body. For documents that only the lexical
 * side found: the body is split as for embeddings.
 */
export function passageByWords(chunker: Pick<Embeddings, 'chunksOf'>, matcher: WordMatcher | undefined,
  document: { readonly key: string; readonly meta: Meta; readonly contentMd: string }, size: number
): ChosenPassage | undefined {
  const chunks = chunker.chunksOf(document);
  if (chunks.length === 0) return undefined;
  const tokens = isCodeDocument(document) ? tokenizeCode : tokenize;
  const counts = chunks.map(({ text }) => countMatches(tokens(text), matcher));
  const chunk = counts.reduce((best, count, i) => (isMore(count, counts[best]!) ? i : best), 0);
  const [first, last] = [Math.max(0, chunk - size), Math.min(chunks.length - 1, chunk + size)];
  return {
    chunk,
    start: chunks[first]!.start,
    end: chunks[last]!.end,
    startLine: chunks[first]!.startLine,
    endLine: chunks[last]!.endLine,
  };
}

interface Matches {
  readonly terms: number;
  readonly hits: number;
}

function countMatches(tokens: readonly { readonly form: string }[], matcher: WordMatcher | undefined): Matches {
  const labels = tokens.map(({ form }) => matcher?.match(form)).filter((label) => label !== undefined);
  return { terms: new Set(labels).size, hits: labels.length };
}

function isMore(a: Matches, b: Matches): boolean {
  return a.terms > b.terms || (a.terms === b.terms && a.hits > b.hits);
}
