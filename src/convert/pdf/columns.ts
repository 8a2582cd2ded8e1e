import { CELL_GAP, type Segment, segmentsOf } from './lines.ts';

const MAX_DEPTH = 6;
/** Only titles, wide figures and little else cross a gutter. */
const CROSSED = 0.3;
/** Narrower gutters are gaps between words. */
const LEAST_GUTTER = 5;
/** Fewer adjacent lines are rows of a table, or a date beside a name. */
const LEAST_LINES = 4;
/** Minimum length of the lines in columns of prose, in characters; cells of a table are shorter. */
const PROSE = 18;
/** Lines of prose are almost as wide as its widest lines, by this factor. */
const FILLED = 0.6;
/** Share of the text of columns that is in such lines. */
const FULL = 0.6;
/** Lines of prose follow one another; a column of a table has holes beside cells of several lines. */
const HOLE = 1.8;
const MOST_HOLES = 0.3;

/**
 * Regions of a page in the order in which they are read: columns are found by the gutter, which few lines cross. Those
 * lines divide the page into bands. In each band the left column comes before the right one, or after it in scripts
 * from right to left. Cells of a table stay in rows.
 */
export function regionsOf(segments: readonly Segment[], depth = 0): Segment[][] {
  const gutter = depth < MAX_DEPTH ? findGutter(segments) : undefined;
  if (gutter === undefined) return segments.length === 0 ? [] : [[...segments]];
  const sides = { left: [] as Segment[], right: [] as Segment[] };
  const regions: Segment[][] = [];
  const rightFirst = isRtl(segments);
  const endBand = () => {
    const { left, right } = sides;
    sides.left = [];
    sides.right = [];
    for (const side of rightFirst ? [right, left] : [left, right]) regions.push(...regionsOf(side, depth + 1));
  };
  let across: Segment[] = [];
  const endAcross = () => {
    if (across.length > 0) regions.push(across);
    across = [];
  };
  for (const segment of [...segments].sort((a, b) => b.y - a.y)) {
    if (segment.left < gutter && segment.right > gutter) {
      endBand();
      across.push(segment);
    } else {
      endAcross();
      sides[segment.right <= gutter ? 'left' : 'right'].push(segment);
    }
  }
  endBand();
  endAcross();
  return regions;
}

function isRtl(segments: readonly Segment[]): boolean {
  let balance = 0;
  for (const { fragments } of segments)
    for (const fragment of fragments)
      balance += fragment.rtl ? fragment.text.length : -fragment.text.length;
  return balance > 0;
}

/** The middle of the gutter between two columns of prose. */
function findGutter(segments: readonly Segment[]): number | undefined {
  if (segments.length < 2 * LEAST_LINES) return undefined;
  const left = Math.min(...segments.map((segment) => segment.left));
  const right = Math.max(...segments.map((segment) => segment.right));
  const width = Math.ceil(right - left);
  if (!(width > 0 && width < 100_000)) return undefined;
  const crossing = coverage(segments, left, width);
  const most = CROSSED * segments.length;
  let best: { middle: number; crossed: number; width: number } | undefined;
  for (let from = Math.floor(width * 0.1); from < width * 0.9; from += 1) {
    if (crossing[from]! > most) continue;
    const level = crossing[from]!;
    let to = from;
    while (to < width * 0.9 && crossing[to]! <= level) to += 1;
    const candidate = { middle: left + (from + to) / 2, crossed: level, width: to - from };
    const better = best === undefined || candidate.crossed < best.crossed ||
      (candidate.crossed === best.crossed && candidate.width > best.width);
    if (candidate.width >= LEAST_GUTTER && better && areColumns(segments, candidate.middle))
      best = candidate;
    from = to;
  }
  return best?.middle;
}

/** Number of segments that cover each point of the width. */
function coverage(segments: readonly Segment[], left: number, width: number): Int32Array {
  const changes = new Int32Array(width + 2);
  for (const segment of segments) {
    changes[Math.max(0, Math.floor(segment.left - left))]! += 1;
    changes[Math.min(width + 1, Math.ceil(segment.right - left))]! -= 1;
  }
  for (let at = 1; at < changes.length; at += 1) changes[at]! += changes[at - 1]!;
  return changes;
}

function areColumns(segments: readonly Segment[], gutter: number): boolean {
  return isProse(segments.filter((segment) => segment.right <= gutter)) &&
    isProse(segments.filter((segment) => segment.left >= gutter));
}

/**
 * Whether the segments of a side, joined across wide gaps between words, are lines of columns of prose. Labels of a
 * figure in one of them have few characters.
 */
function isProse(side: readonly Segment[]): boolean {
  if (side.length < LEAST_LINES) return false;
  const segments = segmentsOf(side.flatMap((segment) => segment.fragments), CELL_GAP);
  const width = usualWidth(segments);
  const full = segments.filter((segment) =>
    segment.text.length >= PROSE && segment.right - segment.left >= FILLED * width
  );
  if (full.length < LEAST_LINES || characters(full) < FULL * characters(segments)) return false;
  const rows = [...new Set(full.map(({ y }) => Math.round(y)))].sort((a, b) => b - a);
  const distances = rows.slice(1).map((y, index) => rows[index]! - y).filter((distance) => distance > 2);
  const usual = [...distances].sort((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
  return distances.filter((distance) => distance > HOLE * usual).length <= MOST_HOLES * distances.length;
}

function characters(segments: readonly Segment[]): number {
  return segments.reduce((sum, { text }) => sum + text.length, 0);
}

/** The width that three quarters of the text do not exceed. */
function usualWidth(segments: readonly Segment[]): number {
  const sorted = [...segments].sort((a, b) => a.right - a.left - (b.right - b.left));
  let left = 0.75 * characters(segments);
  const at = sorted.findIndex(({ text }) => (left -= text.length) <= 0);
  return at < 0 ? 0 : sorted[at]!.right - sorted[at]!.left;
}
