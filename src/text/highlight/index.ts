import { Pace } from '../../lib/pace.ts';
import { tokenize } from '../tokenize.ts';
import { findHits, fitToMarkup, type HighlightToken, type HitOptions } from './hits.ts';
import { type ByteRange, MarkdownText } from './markup.ts';
import { endOfPart, PART } from './parts.ts';
import { growRange, LINE_FEED, lineAt, type ScannedText, scanTokens, type WordRange, type Words,
  wordsWithin } from './scanned-text.ts';
import { closeTag, escapeHtml } from './tags.ts';
import { chooseWindows, type Hit, type Window } from './windows.ts';

export type { HighlightPhrase, HighlightToken, HitOptions } from './hits.ts';
export { type ScannedText, scanTokens } from './scanned-text.ts';
export { closeTag } from './tags.ts';

/** A fragment of a document that shows hits (contract, "Full-text search"). */
interface Highlight {
  /** The text, with a tag around every hit that can have one, and `…` where it was cut. */
  readonly fragment: string;
  /** The distinct matched terms in the fragment, in order of appearance. */
  readonly matchedTerms: string[];
  /** Byte range of the fragment in the UTF-8 text, without tags and ellipses; the end is exclusive. */
  readonly startOffset: number;
  readonly endOffset: number;
  /** Lines of the first and the last byte, from 1. */
  readonly startLine: number;
  readonly endLine: number;
}

export interface HighlightOptions extends HitOptions {
  /** `<mark>` by default. */
  readonly highlightTag?: string;
  /** Maximum number of fragments; 3 by default. */
  readonly maxHighlights?: number;
  /** Maximum bytes of text in a fragment, unless a single hit is longer; 150 by default. */
  readonly fragmentSize?: number;
  /**
   * The tokeniser with which the document is indexed; tokens must be in order of start. By default, the tokeniser of
   * prose.
   */
  readonly tokens?: (text: string) => readonly HighlightToken[];
  /** Finds the words of a text, as a faster replacement of `tokens`. */
  readonly scan?: (text: string | Buffer) => ScannedText;
  /**
   * Whether the text is Markdown, so that tags must not be placed in addresses, HTML tags, code spans and the like;
   * false by default.
   */
  readonly markdown?: boolean;
  /** Whether the text of fragments is escaped, except for the tags; `none` by default. */
  readonly escape?: 'none' | 'html';
}

const ELLIPSIS = '…';
const MAX_HIGHLIGHTS = 3;

/** The range of a fragment, and the hits in it. */
interface Slice extends ByteRange {
  readonly hits: readonly Hit[];
}

/** A fragment and how good it is. */
interface Passage {
  readonly shown: Highlight;
  readonly isTagged: boolean;
  readonly hits: number;
}

/** Where a part of a longer text stands. */
interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** The opening of a fence in which it begins. */
  readonly fence: string | undefined;
}

const WHOLE: Place = { isFirst: true, isLast: true, fence: undefined };

/**
 * The best fragments of a text, in document order: hits that are near one another share a fragment, and the fragments
 * with the most distinct terms, then the most hits, are kept. Fragments begin and end at word boundaries and do not
 * overlap. If no hit can be tagged, fragments are shown without tags. Empty if nothing matches.
 *
 * @param text may be UTF-8 in a buffer, which must not be changed afterwards
 */
export function highlight(text: string | Buffer, options: HighlightOptions): Highlight[] {
  return passagesOf(text, options, WHOLE).passages.map(({ shown }) => shown);
}

/**
 * The same for a text that may be long, with pauses between its parts: no fragment, and no phrase, is of two parts.
 */
export async function highlightInParts(text: string | Buffer, options: HighlightOptions): Promise<Highlight[]> {
  if (text.length <= PART) return highlight(text, options);
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const pace = new Pace();
  let passages: Passage[] = [];
  let line = 0;
  let fence: string | undefined;
  for (let start = 0; start < bytes.length;) {
    await pace.rest();
    const end = endOfPart(bytes, start);
    const part = bytes.subarray(start, end);
    const found = passagesOf(part, options, { isFirst: start === 0, isLast: end === bytes.length, fence });
    passages = bestOf([...passages, ...found.passages.map((passage) => moved(passage, start, line))],
      options.maxHighlights ?? MAX_HIGHLIGHTS);
    fence = found.markdown?.openFence;
    line += found.lines - (part.at(-1) === LINE_FEED ? 0 : 1);
    start = end;
  }
  return passages.map(({ shown }) => shown);
}

interface Passages {
  readonly passages: Passage[];
  /** Number of lines in the text. */
  readonly lines: number;
  readonly markdown: MarkdownText | undefined;
}

function passagesOf(text: string | Buffer, options: HighlightOptions, { isFirst, isLast, fence }: Place): Passages {
  const { highlightTag = '<mark>', maxHighlights = MAX_HIGHLIGHTS, fragmentSize = 150, tokens = tokenize,
    scan = (raw) => scanTokens(raw, tokens), markdown = false, escape = 'none' } = options;
  if (maxHighlights <= 0) return { passages: [], lines: 0, markdown: undefined };
  const { bytes, wordsOf, lines, candidates } = scan(text);
  const all = findHits(candidates, options);
  const kept = typeof text === 'string' || !(isFirst && isLast) ? undefined : text;
  const marked = markdown ? new MarkdownText(bytes, lines, { kept, fence }) : undefined;
  if (all.length === 0) return { passages: [], lines: lines.starts.length, markdown: marked };
  const { open, closed } = marked === undefined ? { open: all, closed: [] } : fitToMarkup(all, marked, fragmentSize);
  const hits = open.length > 0 ? open : closed;
  const style: Style = {
    open: hits === open ? highlightTag : '',
    close: hits === open ? closeTag(highlightTag) : '',
    escape: escape === 'html' ? escapeHtml : (raw) => raw,
  };
  const content = contentOf(bytes);
  const windows = chooseWindows(hits, fragmentSize, maxHighlights);
  // A growing fragment does not extend beyond this range.
  const words = wordsOf(windows.map(({ first, last }) => ({
    start: hits[first]!.start - fragmentSize,
    end: hits[last - 1]!.end + fragmentSize,
  })));
  const shownOf = (slice: Slice): Highlight => ({
    fragment: tagged(bytes, slice, style, {
      before: !isFirst || slice.start > content.start,
      behind: !isLast || slice.end < content.end,
    }),
    matchedTerms: [...new Set(slice.hits.flatMap(({ terms }) => terms))],
    startOffset: slice.start,
    endOffset: slice.end,
    startLine: lineAt(lines, slice.start),
    endLine: lineAt(lines, slice.end - 1),
  });
  const passages = cut(words, hits, windows, fragmentSize, content).map((slice): Passage => ({
    shown: shownOf(slice),
    isTagged: hits === open,
    hits: slice.hits.length,
  }));
  return { passages, lines: lines.starts.length, markdown: marked };
}

/** A passage of a part as one of the whole text. */
function moved({ shown, ...rest }: Passage, offset: number, line: number): Passage {
  return {
    ...rest,
    shown: {
      ...shown,
      startOffset: shown.startOffset + offset,
      endOffset: shown.endOffset + offset,
      startLine: shown.startLine + line,
      endLine: shown.endLine + line,
    },
  };
}

/** The best of passages in document order, in that order. One that has no tag does not count while another has one. */
function bestOf(passages: readonly Passage[], count: number): Passage[] {
  const tagged = passages.filter(({ isTagged }) => isTagged);
  const all = tagged.length > 0 ? tagged : passages;
  if (all.length <= count) return [...all];
  const ranked = all.toSorted((a, b) => b.shown.matchedTerms.length - a.shown.matchedTerms.length || b.hits - a.hits);
  const best = new Set(ranked.slice(0, count));
  return all.filter((passage) => best.has(passage));
}

/** The slices of the windows. Each grows up to the previous slice and to the first hit of the next window. */
function cut(words: Words, hits: readonly Hit[], windows: readonly Window[], size: number,
  content: ByteRange): Slice[]
{
  const inner = windows.map(({ first, last }) => wordsWithin(words, hits[first]!.start, hits[last - 1]!.end));
  const slices: Slice[] = [];
  let from = 0;
  for (const [i, { first, last }] of windows.entries()) {
    const to = inner[i + 1]?.first ?? words.starts.length;
    const range = growRange(words, inner[i]!, size, { first: from, last: to });
    from = range.last;
    const edge = edges(words, range, size, content);
    // A code span begins and ends outside of its words.
    const slice = { start: Math.min(edge.start, hits[first]!.start), end: Math.max(edge.end, hits[last - 1]!.end) };
    slices.push({ ...slice, hits: hitsWithin(hits, first, last, slice) });
  }
  return slices;
}

/** The hits of a window, and further hits into which the slice has grown. */
function hitsWithin(hits: readonly Hit[], first: number, last: number, { start, end }: ByteRange): Hit[] {
  let from = first;
  let to = last;
  while (from > 0 && hits[from - 1]!.start >= start) from--;
  while (to < hits.length && hits[to]!.end <= end) to++;
  return hits.slice(from, to);
}

/**
 * Byte offsets of a range of words; at the start and end of the text, including the characters outside of the words if
 * they fit.
 */
function edges({ starts, ends }: Words, { first, last }: WordRange, size: number, content: ByteRange): ByteRange {
  let start = starts[first]!;
  let end = ends[last - 1]!;
  if (first === 0 && end - content.start <= size) start = content.start;
  if (last === ends.length && content.end - start <= size) end = content.end;
  return { start, end };
}

/** The byte range of a text without white space at its start and end. */
function contentOf(bytes: Buffer): ByteRange {
  let start = 0;
  let end = bytes.length;
  while (start < end && bytes[start]! <= 0x20) start++;
  while (end > start && bytes[end - 1]! <= 0x20) end--;
  return { start, end };
}

/** How fragments are written. */
interface Style {
  readonly open: string;
  readonly close: string;
  readonly escape: (text: string) => string;
}

function tagged(bytes: Buffer, { start, end, hits }: Slice, { open, close, escape }: Style,
  isCut: { readonly before: boolean; readonly behind: boolean }): string
{
  const text = reader(bytes, start, end, escape);
  const parts = [isCut.before ? ELLIPSIS : ''];
  let at = start;
  for (const hit of hits) {
    parts.push(text(at, hit.start), open, text(hit.start, hit.end), close);
    at = hit.end;
  }
  parts.push(text(at, end), isCut.behind ? ELLIPSIS : '');
  return parts.join('');
}

/** Returns a function that reads parts of a range; ASCII text is decoded only once. */
function reader(bytes: Buffer, start: number, end: number,
  escape: (text: string) => string): (from: number, to: number) => string
{
  const whole = bytes.toString('utf8', start, end);
  if (whole.length === end - start) return (from, to) => escape(whole.slice(from - start, to - start));
  return (from, to) => escape(bytes.toString('utf8', from, to));
}
