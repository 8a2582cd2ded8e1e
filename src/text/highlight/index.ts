import { tokenize } from '../tokenize.ts';
import { closeTag } from './close-tag.ts';
import { LineCounter } from './lines.ts';
import { chooseWindows, type Hit, type Window } from './windows.ts';
import { growRange, type WordRange, type Words, wordsOf, wordsWithin } from './words.ts';

export { closeTag } from './close-tag.ts';

/** A fragment of a document that shows hits (contract, "Full-text search"; decisions D-88, D-89). */
export interface Highlight {
  /** The text with every hit tagged, and `…` where it was cut; not escaped. */
  readonly fragment: string;
  /** What matched in the fragment, each once, in order of appearance. */
  readonly matchedTerms: string[];
  /** Bytes of the UTF-8 text that the fragment shows, without tags and ellipses; the end is exclusive. */
  readonly startOffset: number;
  readonly endOffset: number;
  /** Lines of the first and the last byte, from 1. */
  readonly startLine: number;
  readonly endLine: number;
}

/** What a tokeniser says of a word; those of code overlap, as they give an identifier and its parts. */
export interface HighlightToken {
  readonly start: number;
  readonly end: number;
  readonly form: string;
}

export interface HighlightOptions {
  /** The matched term that a form stands for, as the answer names it; undefined if it didn't match. Called once for each distinct form. */
  readonly match: (form: string) => string | undefined;
  /** `<mark>` by default. */
  readonly highlightTag?: string;
  /** Most fragments; 3 by default. */
  readonly maxHighlights?: number;
  /** Bytes of text in a fragment, at most, unless a single hit is longer; 150 by default. */
  readonly fragmentSize?: number;
  /** The tokeniser that the document is indexed with, in order of start; that of prose by default. */
  readonly tokens?: (text: string) => readonly HighlightToken[];
}

const ELLIPSIS = '…';

/** Bytes of the text, the end exclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What a fragment shows, and the hits in it. */
interface Slice extends ByteRange {
  readonly hits: readonly Hit[];
}

/**
 * The best fragments of a text, in document order: hits that are near one another share a fragment, and
 * those with the most distinct terms, then the most hits, are kept. Fragments begin and end at word
 * boundaries and don't overlap. Empty when nothing matches.
 */
export function highlight(text: string, options: HighlightOptions): Highlight[] {
  const { match, highlightTag = '<mark>', maxHighlights = 3, fragmentSize = 150, tokens = tokenize } = options;
  if (maxHighlights <= 0) return [];
  const found = tokens(text);
  const hits = findHits(found, match);
  if (hits.length === 0) return [];
  const bytes = Buffer.from(text);
  const content = contentOf(bytes);
  const lines = new LineCounter(bytes);
  return cut(wordsOf(found), hits, chooseWindows(hits, fragmentSize, maxHighlights), fragmentSize, content).map((slice) => ({
    fragment: tagged(bytes, slice, highlightTag, content),
    matchedTerms: [...new Set(slice.hits.map(({ term }) => term))],
    startOffset: slice.start,
    endOffset: slice.end,
    startLine: lines.lineOf(slice.start),
    endLine: lines.lineOf(slice.end - 1),
  }));
}

/** Hits in order and without overlaps: of two that overlap, the one that starts first, or else is longer, stays. */
function findHits(tokens: readonly HighlightToken[], match: (form: string) => string | undefined): Hit[] {
  const known = new Map<string, string | undefined>();
  const hits: Hit[] = [];
  for (const { start, end, form } of tokens) {
    if (!known.has(form)) known.set(form, match(form));
    const term = known.get(form);
    if (term === undefined) continue;
    const last = hits.at(-1);
    if (last === undefined || start >= last.end) hits.push({ start, end, term });
    else if (start === last.start && end > last.end) hits[hits.length - 1] = { start, end, term };
  }
  return hits;
}

/** The slices of the windows. Each grows as far as the slice before it and the first hit of the window behind it. */
function cut(words: Words, hits: readonly Hit[], windows: readonly Window[], size: number, content: ByteRange): Slice[] {
  const inner = windows.map(({ first, last }) => wordsWithin(words, hits[first]!.start, hits[last - 1]!.end));
  const slices: Slice[] = [];
  let from = 0;
  for (const [i, { first, last }] of windows.entries()) {
    const to = inner[i + 1]?.first ?? words.starts.length;
    const range = growRange(words, inner[i]!, size, { first: from, last: to });
    from = range.last;
    const slice = edges(words, range, size, content);
    slices.push({ ...slice, hits: hitsWithin(hits, first, last, slice) });
  }
  return slices;
}

/** The hits of a window, and those around it that the slice has grown over. */
function hitsWithin(hits: readonly Hit[], first: number, last: number, { start, end }: ByteRange): Hit[] {
  let from = first;
  let to = last;
  while (from > 0 && hits[from - 1]!.start >= start) from--;
  while (to < hits.length && hits[to]!.end <= end) to++;
  return hits.slice(from, to);
}

/** Byte offsets of a range of words; at the ends of the text with the signs outside of the words, if they fit. */
function edges({ starts, ends }: Words, { first, last }: WordRange, size: number, content: ByteRange): ByteRange {
  let start = starts[first]!;
  let end = ends[last - 1]!;
  if (first === 0 && end - content.start <= size) start = content.start;
  if (last === ends.length && content.end - start <= size) end = content.end;
  return { start, end };
}

/** The bytes of a text from its first to behind its last that isn't white space. */
function contentOf(bytes: Buffer): ByteRange {
  let start = 0;
  let end = bytes.length;
  while (start < end && bytes[start]! <= 0x20) start++;
  while (end > start && bytes[end - 1]! <= 0x20) end--;
  return { start, end };
}

function tagged(bytes: Buffer, { start, end, hits }: Slice, tag: string, content: ByteRange): string {
  const close = closeTag(tag);
  const parts = [start > content.start ? ELLIPSIS : ''];
  let at = start;
  for (const hit of hits) {
    parts.push(bytes.toString('utf8', at, hit.start), tag, bytes.toString('utf8', hit.start, hit.end), close);
    at = hit.end;
  }
  parts.push(bytes.toString('utf8', at, end), end < content.end ? ELLIPSIS : '');
  return parts.join('');
}
