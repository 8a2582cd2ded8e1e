import type { Block } from '../tree/blocks.ts';
import { type Inline, text } from '../tree/inlines.ts';
import { isCutWord } from './hangul.ts';
import type { Line, Segment } from './lines.ts';
import { boldDepth, headingDepth, isBold, outlineDepth, type PdfStyle } from './style.ts';

const BULLET = /^[•◦▪▸‣●○■□➢\uf0b7]\s?/;
const DASH = /^[-–—]\s/;
const NUMBER = /^(\d{1,3})[.)]\s/;
const SENTENCE_END = /[.!?:;。！？]["'”’)\]]*$/;
/** Lines whose distance exceeds this multiple of the usual distance belong to two paragraphs. */
const WIDE = 1.35;
/** Lines of headings are closer than this multiple of their size; those of two headings are not. */
const HEADING_LEADING = 1.55;
/** Lines further apart than this multiple of their size are not of one paragraph, not even of double spacing. */
const MOST_LEADING = 2.45;
/** The number of a heading, which is not within one. */
const HEADING_NUMBER = /^(?:\d{1,3}(?:\.\d{1,3}){0,5}[.)]?|[IVX]{1,5}\.|[A-Z]\.)\s/;

/** Paragraphs, headings and list items of the lines of a region. */
export function paragraphBlocks(lines: readonly Line[], style: PdfStyle): Block[] {
  const region = {
    left: Math.min(...lines.map((line) => line.left)),
    right: Math.max(...lines.map((line) => line.right)),
    distance: usualDistance(lines),
  };
  const groups: Line[][] = [];
  lines.forEach((line, index) => {
    const before = lines[index - 1];
    if (before === undefined || begins(line, before, groups.at(-1)!, region, style)) groups.push([line]);
    else groups.at(-1)!.push(line);
  });
  const edges: number[] = [];
  return groups.map((group) => blockOf(group, edges, style));
}

interface Region {
  readonly left: number;
  readonly right: number;
  readonly distance: number;
}

function usualDistance(lines: readonly Line[]): number {
  const distances = lines.slice(1).map((line, index) => lines[index]!.y - line.y).filter((distance) => distance > 0)
    .sort((a, b) => a - b);
  // The lower quartile, because a region of headings and short paragraphs has more gaps than lines.
  return distances[Math.floor(distances.length / 4)] ?? 0;
}

/** Whether a line begins a paragraph. */
function begins(line: Line, before: Line, paragraph: readonly Line[], region: Region, style: PdfStyle): boolean {
  const distance = before.y - line.y;
  if (Math.abs(line.size - before.size) > 0.1 * before.size || distance < 0) return true;
  const depths = [before, line].map(({ text: value, size }) => headingDepth(value, size, style)) as [number, number];
  if (depths[0] !== depths[1]) return true;
  if (depths[0] > 0) return !continuesHeading(line, before, style);
  const least = Math.max(WIDE * region.distance, 1.05 * line.size);
  if (distance > Math.min(least, MOST_LEADING * line.size)) return true;
  if (isMarked(line.text) || isLabelled(line)) return true;
  if (isLabelled(before) && line.left < before.segments[1]!.left - line.size) return true;
  const width = region.right - region.left;
  const room = region.right - before.right;
  if (isBold(line, style) !== isBold(before, style)) {
    if (SENTENCE_END.test(before.text) || distance > 1.1 * region.distance) return true;
    if (room > 0.12 * width && paragraph.every((other) => isBold(other, style))) return true;
  }
  const first = paragraph[0]!;
  const indented = line.left - before.left > 0.8 * line.size && line.left - region.left < 4 * line.size;
  if (isMarked(first.text))
    return line.left < first.left + 0.5 * line.size && !(room < 0.25 * width && /^\p{Ll}/u.test(line.text));
  if (indented && (paragraph.length > 1 || before.left - region.left < line.size))
    return SENTENCE_END.test(before.text) || before.right < region.right - 2 * line.size;
  if (room > 0.25 * width && SENTENCE_END.test(before.text)) return true;
  // If the next word would have fitted, the line was ended on purpose.
  const word = (line.right - line.left) *
    (Math.max(1, line.text.search(/\s|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|$/u)) /
      Math.max(1, line.text.length));
  return room > word + 0.12 * width && !/\p{L}[-\u00ad\u2010]$/u.test(before.text);
}

/** Whether a line is a further line of the heading before it; both are of one size. */
function continuesHeading(line: Line, before: Line, style: PdfStyle): boolean {
  return before.y - line.y < HEADING_LEADING * line.size && !HEADING_NUMBER.test(line.text) &&
    outlineDepth(line.text, style) === 0 && outlineDepth(before.text, style) === 0;
}

/** Whether a line is a label with something beside it, as in a form. */
function isLabelled(line: Line): boolean {
  return line.segments.length === 2 && line.segments[0]!.text.endsWith(':');
}

function isMarked(value: string): boolean {
  return BULLET.test(value) || DASH.test(value) || NUMBER.test(value);
}

/**
 * `edges` are the left edges of the preceding list items, from the outermost inwards; a line that is not an item resets
 * them.
 */
function blockOf(lines: readonly Line[], edges: number[], style: PdfStyle): Block {
  const inlines = joinLines(lines, style);
  const whole = lines.map((line) => line.text).join(' ');
  const depth = headingDepth(whole, lines[0]!.size, style) || boldDepth(lines, whole, style);
  if (depth > 0) {
    edges.length = 0;
    return { kind: 'heading', depth, inlines };
  }
  const bullet = BULLET.exec(whole) ?? DASH.exec(whole);
  const number = NUMBER.exec(whole);
  if (bullet === null && number === null) {
    edges.length = 0;
    return { kind: 'paragraph', inlines };
  }
  const { left, size } = lines[0]!;
  while (edges.length > 0 && edges.at(-1)! > left + 0.5 * size) edges.pop();
  if (edges.length === 0 || edges.at(-1)! < left - 0.5 * size) edges.push(left);
  const level = edges.length - 1;
  return {
    kind: 'paragraph',
    inlines: withoutStart(inlines, (bullet ?? number)![0].length),
    place: {
      list: number === null ? 'bullets' : 'numbers',
      level,
      ordered: number !== null,
      number: Number(number?.[1] ?? 1),
    },
  };
}

function withoutStart(inlines: readonly Inline[], length: number): Inline[] {
  const rest = [...inlines];
  let left = length;
  while (left > 0 && rest[0]?.kind === 'text') {
    const first = rest.shift() as Inline & { kind: 'text' };
    const cut = Math.min(left, first.value.length);
    left -= cut;
    if (cut < first.value.length) rest.unshift(text(first.value.slice(cut), first.look));
  }
  return rest;
}

/** Joins lines to running text, including words that were hyphenated at the end of a line. */
function joinLines(lines: readonly Line[], style: PdfStyle): Inline[] {
  const out: Inline[] = [];
  let previous: Line | undefined;
  for (const line of lines) {
    const last = out.at(-1);
    if (last?.kind === 'text') {
      const [before, hyphen] = cutWord(last.value, line.text, style);
      out[out.length - 1] = text(before, last.look);
      // A link goes on across the line end.
      const look = last.look.href === line.segments[0]!.pieces[0]!.href ? last.look : {};
      if (!hyphen) out.push(text(isJoined(before, line.text, previous!.spaced, style) ? '' : ' ', look));
    }
    line.segments.forEach((segment, index) => out.push(...(index > 0 ? [text(' ')] : []), ...segmentInlines(segment)));
    previous = line;
  }
  return out.filter((inline) => inline.kind !== 'text' || inline.value !== '');
}

/** The text before a line end, without a hyphen that only the line end caused; also whether the word continues. */
function cutWord(before: string, after: string, style: PdfStyle): [string, boolean] {
  const match = /([\p{L}\p{N}]+)([-\u00ad\u2010])$/u.exec(before.slice(-60));
  if (match === null) return [before, false];
  const next = /^[\p{L}\p{N}]+/u.exec(after.slice(0, 60))?.[0];
  if (next === undefined) return [before, false];
  const soft = match[2] === '\u00ad';
  const lower = /^\p{Ll}/u.test(next) && /\p{L}$/u.test(match[1]!);
  const whole = `${match[1]}-${next}`.toLowerCase();
  return [soft || (lower && !style.hyphenated.has(whole)) ? before.slice(0, -1) : before, true];
}

/** Whether no space belongs between two lines. */
function isJoined(before: string, after: string, spaced: boolean, style: PdfStyle): boolean {
  const [end, start] = [before.slice(-1), after.charAt(0)];
  return [UNSPACED, PHRASES].some((script) => script.test(end) && script.test(start)) ||
    (style.cutsHangul && !spaced && isCutWord(before, after));
}

/** Characters of scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
const PHRASES = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export function segmentInlines(segment: Segment): Inline[] {
  return segment.pieces.map(({ text: value, href }) => text(value, href === undefined ? {} : { href }));
}
