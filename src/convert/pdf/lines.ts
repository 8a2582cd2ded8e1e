/**
 * A piece of text on a page. The coordinates are rotated so that text runs from left to right and lines follow
 * downwards as `y` falls.
 */
interface Fragment {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** The base line; the axis points upwards. */
  readonly y: number;
  /** Height of the font. */
  readonly size: number;
  readonly rtl: boolean;
  readonly href: string | undefined;
}

/** A piece of text as pdf.js reports it. */
export interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
}

/** An area of a page that is a link, in the page's own coordinates. */
export interface LinkArea {
  readonly url: string;
  readonly rect: readonly number[];
}

/** Longer strings at one position are not text of a page. */
const MAX_ITEM = 10_000;

/**
 * Groups the fragments of a page by writing direction (0, 90, 180 or 270 degrees), the direction with the most text
 * first. A rotated page is thus read as it is displayed, and text along its edge comes last.
 */
export function fragmentsByDirection(items: readonly TextItem[], links: readonly LinkArea[]): Fragment[][] {
  const groups = new Map<number, { fragments: Fragment[]; characters: number }>();
  for (const item of items) {
    if (item.str.trim() === '' || item.str.length > MAX_ITEM || !item.transform.every(Number.isFinite)) continue;
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform;
    const direction = (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
    const size = item.height || Math.hypot(c, d) || Math.hypot(a, b);
    if (!(size > 0)) continue;
    const group = groups.get(direction) ?? { fragments: [], characters: 0 };
    groups.set(direction, group);
    group.fragments.push({
      ...turned(x, y, direction, item.width),
      text: normalised(item.str),
      size,
      rtl: item.dir === 'rtl',
      href: linkAt(x, y, size, links),
    });
    group.characters += item.str.length;
  }
  return [...groups.values()].sort((one, other) => other.characters - one.characters).map((group) => group.fragments);
}

function turned(x: number, y: number, direction: number, width: number): { left: number; right: number; y: number } {
  const [along, up] = direction === 0 ? [x, y] : direction === 1 ? [y, -x] : direction === 2 ? [-x, -y] : [-y, x];
  return { left: along!, right: along! + Math.max(0, width), y: up! };
}

function linkAt(x: number, y: number, size: number, links: readonly LinkArea[]): string | undefined {
  return links.find(({ rect: [x1 = 0, y1 = 0, x2 = 0, y2 = 0] }) =>
    x >= Math.min(x1, x2) - 1 && x <= Math.max(x1, x2) && y >= Math.min(y1, y2) - size / 2 && y <= Math.max(y1, y2)
  )?.url;
}

/**
 * Splits ligatures into letters, and replaces control characters, which come from fonts without a character map, with
 * spaces.
 */
function normalised(text: string): string {
  return text.replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize('NFKC')).replace(/[\u0000-\u001f\u007f]/g,
    ' ').toWellFormed();
}

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
