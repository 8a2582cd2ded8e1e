import type { Fragment } from './fragments.ts';

/** Adjacent fragments of one base line, without a gap that could separate columns. */
export interface Segment {
  readonly fragments: readonly Fragment[];
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
}

/** A gap as wide as this many letters separates segments; gaps of justified text are narrower. */
const WIDE_GAP = 1.3;
/** A gap that is narrower than this fraction of the font size is within a word. */
const SPACE = 0.15;
/** Base lines that differ by less than this fraction of the size are one; this covers superscripts and subscripts. */
const SAME_LINE = 0.5;

/** The segments of a page, from the top down. */
export function segmentsOf(fragments: readonly Fragment[]): Segment[] {
  const rows: Fragment[][] = [];
  for (const fragment of [...fragments].sort((a, b) => b.y - a.y)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (first !== undefined && Math.abs(first.y - fragment.y) <= SAME_LINE * Math.max(first.size, fragment.size))
      row!.push(fragment);
    else rows.push([fragment]);
  }
  return rows.flatMap(cutRow);
}

function cutRow(row: readonly Fragment[]): Segment[] {
  const segments: Fragment[][] = [];
  for (const fragment of [...row].sort((a, b) => a.left - b.left)) {
    const segment = segments.at(-1);
    const last = segment?.at(-1);
    if (last !== undefined && fragment.left - last.right <= WIDE_GAP * Math.max(last.size, fragment.size))
      segment!.push(fragment);
    else segments.push([fragment]);
  }
  return segments.map(segmentOf).filter((segment) => segment.text !== '');
}

function segmentOf(fragments: readonly Fragment[]): Segment {
  const rtl = isRtl(fragments);
  const ordered = rtl ? [...fragments].reverse() : fragments;
  return { fragments: ordered, text: joinFragments(ordered, rtl), ...bounds(fragments) };
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

function joinFragments(ordered: readonly Fragment[], rtl: boolean): string {
  let text = '';
  let before: Fragment | undefined;
  for (const fragment of ordered) {
    if (before !== undefined && needsSpace(before, fragment, rtl)) text += ' ';
    text += fragment.text;
    before = fragment;
  }
  return text.replace(/(?:[.·_…]\s?){6,}/g, ' ').replace(/\s+/g, ' ').trim();
}

/** Whether a space is visible between two fragments in reading order. */
export function needsSpace(before: Fragment, after: Fragment, rtl: boolean): boolean {
  const gap = rtl ? before.left - after.right : after.left - before.right;
  const raised = after.size < 0.8 * before.size && after.y - before.y > 0.25 * before.size;
  return gap > SPACE * Math.max(before.size, after.size) && !(raised && gap < 0.18 * before.size) &&
    !/\s$/.test(before.text) && !/^\s/.test(after.text);
}

/** Segments of one region as lines, from the top down. */
export function linesOf(segments: readonly Segment[]): Line[] {
  const lines: Segment[][] = [];
  for (const segment of [...segments].sort((a, b) => b.y - a.y)) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (first !== undefined && Math.abs(first.y - segment.y) <= SAME_LINE * Math.max(first.size, segment.size))
      line!.push(segment);
    else lines.push([segment]);
  }
  return lines.map((line) => {
    const rtl = isRtl(line.flatMap((segment) => segment.fragments));
    const ordered = line.sort((a, b) => (rtl ? b.left - a.left : a.left - b.left));
    return { segments: ordered, text: ordered.map((segment) => segment.text).join(' '), ...bounds(ordered) };
  });
}
