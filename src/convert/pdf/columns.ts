import { CELL_GAP, type Segment, segmentsOf } from './lines.ts';
import { isProse, isTableLike } from './prose.ts';

const MAX_DEPTH = 6;
/** Only titles, wide figures and little else cross a gutter. */
const CROSSED = 0.3;
/** Narrower gutters are gaps between words. */
const LEAST_GUTTER = 5;
/** Fewer lines beside one another are a date beside a name, or the like. */
const LEAST_LINES = 4;
/** Numbers of crossing lines for which gutters are looked for, in this sequence. */
const LEVELS = [0, 1, 2, 3, 5, 8, 13, 21, 34];
/** Gutters that are examined in one region. */
const MAX_CANDIDATES = 24;

/** Lines between two that cross the gutter. */
interface Band {
  readonly left: Segment[];
  readonly right: Segment[];
}

/**
 * Regions of a page in the order in which they are read: columns are found by the gutter, which few lines cross. Those
 * lines divide the page into bands. In each band the left column comes before the right one, or after it in scripts
 * from right to left. Cells of a table stay in rows.
 */
export function regionsOf(segments: readonly Segment[], depth = 0): Segment[][] {
  const found = depth < MAX_DEPTH ? findGutter(segments) : undefined;
  if (found === undefined) return segments.length === 0 ? [] : [[...segments]];
  const rightFirst = isRtl(segments);
  return bandsOf(segments, found.gutter).flatMap((band) => {
    if (!('left' in band)) return [band];
    if (isTable(band, found.gutters)) return [[...band.left, ...band.right]];
    const sides = rightFirst ? [band.right, band.left] : [band.left, band.right];
    return sides.flatMap((side) => regionsOf(side, depth + 1));
  });
}

/** The bands of a region from the top down, and between them the segments that cross the gutter. */
function bandsOf(segments: readonly Segment[], gutter: number): (Band | Segment[])[] {
  const bands: (Band | Segment[])[] = [];
  for (const segment of [...segments].sort((a, b) => b.y - a.y)) {
    const last = bands.at(-1);
    if (segment.left < gutter && segment.right > gutter) {
      if (Array.isArray(last)) last.push(segment);
      else bands.push([segment]);
    } else {
      const side = segment.right <= gutter ? 'left' : 'right';
      if (last === undefined || Array.isArray(last)) bands.push({ left: [], right: [], [side]: [segment] });
      else last[side].push(segment);
    }
  }
  return bands;
}

function isRtl(segments: readonly Segment[]): boolean {
  let balance = 0;
  for (const { fragments } of segments)
    for (const fragment of fragments)
      balance += fragment.rtl ? fragment.text.length : -fragment.text.length;
  return balance > 0;
}

/**
 * The middle of the gutter between two columns of prose, the one that the fewest lines cross, and the middles of all
 * stretches that as few lines cross.
 */
function findGutter(segments: readonly Segment[]): { gutter: number; gutters: readonly number[] } | undefined {
  if (segments.length < 2 * LEAST_LINES) return undefined;
  const left = Math.min(...segments.map((segment) => segment.left));
  const right = Math.max(...segments.map((segment) => segment.right));
  const width = Math.ceil(right - left);
  if (!(width > 0 && width < 100_000)) return undefined;
  const crossing = coverage(segments, left, width);
  const tried = new Set<number>();
  for (const level of LEVELS) {
    if (level > CROSSED * segments.length) break;
    const middles = clearings(crossing, width, level).map(({ from, to }) => left + (from + to) / 2);
    for (const middle of middles) {
      if (tried.has(middle)) continue;
      if (areColumns(segments, middle, middles)) return { gutter: middle, gutters: middles };
      if (tried.add(middle).size >= MAX_CANDIDATES) return undefined;
    }
  }
  return undefined;
}

/** Stretches of the width that at most `level` segments cover, the widest first. */
function clearings(crossing: Int32Array, width: number, level: number): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  const end = Math.floor(width * 0.9);
  for (let from = Math.floor(width * 0.1); from < end; from += 1) {
    let to = from;
    while (to < end && crossing[to]! <= level) to += 1;
    if (to - from >= LEAST_GUTTER) found.push({ from, to });
    from = to;
  }
  return found.sort((a, b) => b.to - b.from - (a.to - a.from));
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

/** Whether bands of a region have columns on both sides of a gutter; `gutters` may divide each side further. */
function areColumns(segments: readonly Segment[], gutter: number, gutters: readonly number[]): boolean {
  const left: Segment[] = [];
  const right: Segment[] = [];
  for (const band of bandsOf(segments, gutter)) {
    if (Array.isArray(band) || band.left.length < 2 || band.right.length < 2 || isTable(band, gutters)) continue;
    left.push(...band.left);
    right.push(...band.right);
  }
  return [left, right].every((side) =>
    side.length >= LEAST_LINES &&
    isProse(columnsOf(side, gutters).flatMap((own) =>
      segmentsOf(own.flatMap(({ fragments }) => fragments), CELL_GAP)
    ))
  );
}

function isTable({ left, right }: Band, gutters: readonly number[]): boolean {
  return isTableLike(columnsOf(left, gutters), columnsOf(right, gutters));
}

/** The segments of a side between all gutters. */
function columnsOf(side: readonly Segment[], gutters: readonly number[]): Segment[][] {
  const columns = new Map<number, Segment[]>();
  for (const segment of side) {
    const column = gutters.filter((gutter) => gutter < (segment.left + segment.right) / 2).length;
    const own = columns.get(column);
    if (own === undefined) columns.set(column, [segment]);
    else own.push(segment);
  }
  return [...columns.values()];
}
