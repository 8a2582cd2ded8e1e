import type { Segment } from './lines.ts';

const MAX_DEPTH = 6;
/** Only titles, wide figures and little else cross a gutter. */
const CROSSED = 0.3;
/** Narrower gutters are gaps between words. */
const LEAST_GUTTER = 5;
/** Fewer adjacent lines are rows of a table, or a date beside a name. */
const LEAST_LINES = 4;
/** Minimum length of the lines in columns of prose, in characters; cells of a table are shorter. */
const PROSE = 18;
/** Lines of prose fill their column. */
const FILLED = 0.6;

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
    if (candidate.width >= LEAST_GUTTER && better && areColumns(segments, candidate.middle, left, right))
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

function areColumns(segments: readonly Segment[], gutter: number, left: number, right: number): boolean {
  const on = (test: (segment: Segment) => boolean, width: number) => {
    const side = segments.filter(test);
    return side.length >= LEAST_LINES && median(side.map(({ text }) => text.length)) >= PROSE &&
      median(side.map((segment) => segment.right - segment.left)) >= FILLED * width;
  };
  return on((segment) => segment.right <= gutter, gutter - left) &&
    on((segment) => segment.left >= gutter, right - gutter);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
