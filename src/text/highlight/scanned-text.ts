import type { HighlightToken } from './hits.ts';
import { type Lines, linesOf } from './lines.ts';
import type { ByteRange } from './markup.ts';
import { type Words, wordsOf } from './words.ts';

/** A text with its words. */
export interface ScannedText {
  /** The text as UTF-8. */
  readonly bytes: Buffer;
  /** The words at least of the given parts of the text, which must be in order. The next call may overwrite them. */
  readonly wordsOf: (parts: readonly ByteRange[]) => Words;
  readonly lines: Lines;
  /** The tokens that may match, in order of start: at least those with matching forms, or forms of a phrase. */
  readonly candidates: readonly HighlightToken[];
}

/**
 * Scans a text with a tokeniser, whose tokens must be in order of start; `isCandidate` selects the forms that may
 * match, all by default.
 */
export function scanTokens(text: string | Buffer, tokens: (text: string) => readonly HighlightToken[],
  isCandidate?: (form: string) => boolean): ScannedText
{
  const found = tokens(text.toString());
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return {
    bytes,
    wordsOf: () => wordsOf(found),
    lines: linesOf(bytes),
    candidates: isCandidate === undefined ? found : found.filter(({ form }) => isCandidate(form)),
  };
}
