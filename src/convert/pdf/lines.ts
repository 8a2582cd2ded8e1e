import { scriptText } from '../tree/scripts.ts';
import type { Fragment } from './fragments.ts';

/** A text of a segment, with the address to which it links. */
export interface Piece {
  readonly text: string;
  readonly href: string | undefined;
}

/** Adjacent fragments of one base line, without a wide gap. */
export interface Segment {
  readonly fragments: readonly Fragment[];
  readonly pieces: readonly Piece[];
  /** The text of the pieces. */
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
}

/** Segments on one base line, which belong together unless columns separate them. */
export interface Line {
  readonly segments: readonly Segment[];
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  /** The font of the whole line; undefined if it has several. */
  readonly font: string | undefined;
  /** Whether white space was drawn after it. */
  readonly spaced: boolean;
}

type Place = Pick<Fragment, 'left' | 'right' | 'y' | 'size'>;

/** A gap as wide as this many letters separates the cells of a table; gaps of justified text are narrower. */
export const CELL_GAP = 1.3;
/** A gap as wide as this many letters can be a gutter between columns. */
export const GUTTER_GAP = 0.6;
/** A gap that is narrower than this fraction of the font size is within a word. */
const SPACE = 0.15;
/** Base lines that differ by less than this fraction of the size are one; this covers superscripts and subscripts. */
const SAME_LINE = 0.5;

/** Signs that refer to notes, as `*` and `[4]`, are understood on the line as well. */
const IN_FORMULAS = /^[^[]*[\p{L}\p{N}]/u;
/** Number of fragments of a line that are compared with the next. */
const NEIGHBOURS = 40;
/** Raised or lowered text is smaller than the text beside it, by this factor. */
const SCRIPT_SIZE = 0.85;
/** Distance of the base line of raised or lowered text, as a fraction of the size of the text beside it. */
const SCRIPT_SHIFT = 0.12;

/** The segments of fragments from the top down, cut at gaps that are wider than `gap` letters. */
export function segmentsOf(fragments: readonly Fragment[], gap: number): Segment[] {
  const rows: { fragments: Fragment[]; largest: Fragment }[] = [];
  for (const fragment of [...fragments].sort((a, b) => b.y - a.y)) {
    const row = rows.at(-1);
    if (row === undefined || !isSameLine(row.largest, fragment) || isBelow(fragment, row.fragments))
      rows.push({ fragments: [fragment], largest: fragment });
    else {
      row.fragments.push(fragment);
      if (fragment.size > row.largest.size) row.largest = fragment;
    }
  }
  return rows.flatMap((row) => cutRow(row.fragments, gap));
}

function isSameLine(one: Place, other: Place): boolean {
  return Math.abs(one.y - other.y) <= SAME_LINE * Math.max(one.size, other.size);
}

/** Whether a text stands under one of the latest texts of a line, rather than beside them. */
function isBelow(text: Place, line: readonly Place[]): boolean {
  const width = text.right - text.left;
  return line.slice(-NEIGHBOURS).some((other) =>
    other.y - text.y > 0.2 * text.size &&
    Math.min(other.right, text.right) - Math.max(other.left, text.left) >
      0.75 * Math.min(width, other.right - other.left)
  );
}

function cutRow(row: readonly Fragment[], gap: number): Segment[] {
  const segments: Fragment[][] = [];
  for (const fragment of [...row].sort((a, b) => a.left - b.left)) {
    const segment = segments.at(-1);
    const last = segment?.at(-1);
    if (last !== undefined && fragment.left - last.right <= gap * Math.max(last.size, fragment.size))
      segment!.push(fragment);
    else segments.push([fragment]);
  }
  return segments.map(segmentOf).filter((segment) => segment.text !== '');
}

function segmentOf(fragments: readonly Fragment[]): Segment {
  const rtl = isRtl(fragments);
  const ordered = rtl ? [...fragments].reverse() : fragments;
  const place = bounds(fragments);
  const pieces = piecesOf(ordered, rtl, place);
  return { fragments: ordered, pieces, text: pieces.map((piece) => piece.text).join(''), ...place };
}

function isRtl(fragments: readonly Fragment[]): boolean {
  const characters = (rtl: boolean) =>
    fragments.reduce((sum, fragment) => sum + (fragment.rtl === rtl ? fragment.text.length : 0), 0);
  return characters(true) > characters(false);
}

function bounds(
  parts: readonly { left: number; right: number; y: number; size: number; text: string }[],
): { left: number; right: number; y: number; size: number } {
  let widest = parts[0]!;
  let [left, right] = [widest.left, widest.right];
  for (const part of parts) {
    left = Math.min(left, part.left);
    right = Math.max(right, part.right);
    // The base line and size are those of most of the text, not those of a note's number.
    if (part.text.length > widest.text.length) widest = part;
  }
  return { left, right, y: widest.y, size: widest.size };
}

/** The texts of fragments in reading order, with the spaces between them; `line` has the usual base line and size. */
function piecesOf(ordered: readonly Fragment[], rtl: boolean, line: { y: number; size: number }): Piece[] {
  const pieces: { text: string; href: string | undefined }[] = [];
  let before: Fragment | undefined;
  for (const fragment of ordered) {
    const place = scriptPlace(fragment, line);
    const space = before !== undefined && needsSpace(before, fragment, rtl, place !== undefined);
    const last = pieces.at(-1);
    if (space && last !== undefined) last.text += ' ';
    const isScript = place !== undefined && last !== undefined && !space && !rtl && IN_FORMULAS.test(fragment.text);
    const value = isScript ? scriptText(fragment.text, place, last.text) : fragment.text;
    if (last !== undefined && last.href === fragment.href) last.text += value;
    else pieces.push({ text: value, href: fragment.href });
    before = fragment;
  }
  for (const piece of pieces) piece.text = piece.text.replace(/(?:[.·_…]\s?){6,}/g, ' ').replace(/\s+/g, ' ');
  pieces[0]!.text = pieces[0]!.text.trimStart();
  pieces.at(-1)!.text = pieces.at(-1)!.text.trimEnd();
  return pieces;
}

function scriptPlace({ y, size }: Fragment, line: { y: number; size: number }): 'super' | 'sub' | undefined {
  if (size > SCRIPT_SIZE * line.size || Math.abs(y - line.y) < SCRIPT_SHIFT * line.size) return undefined;
  return y > line.y ? 'super' : 'sub';
}

/** Whether a space is visible between two fragments in reading order. */
function needsSpace(before: Fragment, after: Fragment, rtl: boolean, script: boolean): boolean {
  if (/\s$/.test(before.text) || /^\s/.test(after.text)) return false;
  const gap = rtl ? before.left - after.right : after.left - before.right;
  // pdf.js also reports gaps that are somewhat wider than usual, as after an apostrophe.
  return gap > (script ? 0.2 : SPACE) * Math.max(before.size, after.size) ||
    (before.spaced && !/['’]$/.test(before.text));
}

/** Segments of one region as lines, from the top down. */
export function linesOf(segments: readonly Segment[]): Line[] {
  const lines: Segment[][] = [];
  for (const segment of [...segments].sort((a, b) => b.y - a.y)) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (first !== undefined && isSameLine(first, segment) && !isBelow(segment, line!)) line!.push(segment);
    else lines.push([segment]);
  }
  return lines.map((line) => {
    const rtl = isRtl(line.flatMap((segment) => segment.fragments));
    const ordered = line.sort((a, b) => (rtl ? b.left - a.left : a.left - b.left));
    const fragments = ordered.flatMap((segment) => segment.fragments);
    const last = fragments.at(-1)!;
    return {
      segments: ordered,
      text: ordered.map((segment) => segment.text).join(' '),
      ...bounds(ordered),
      font: fragments.every(({ font }) => font === last.font) ? last.font : undefined,
      spaced: last.spaced || /\s$/.test(last.text),
    };
  });
}
