import type { Segment } from './lines.ts';

/** Minimum length of the lines in columns of prose, in characters; cells of a table are shorter. */
const PROSE = 18;
/** Lines of prose are almost as wide as its widest lines, by this factor. */
const FILLED = 0.6;
/** Share of the text of columns that is in such lines. */
const FULL = 0.6;
const LEAST_LINES = 4;
/** Lines of prose follow one another; a column of a table has holes beside cells of several lines. */
const HOLE = 1.8;
const MOST_HOLES = 0.3;
/** Rows of a table are further apart than the lines within them by this factor, in all columns at once. */
const ROW_GAP = 1.2;
/** Rows of a table have fewer lines than this, on average. */
const ROW_LINES = 6;

/**
 * Whether lines are those of columns of prose. Labels of a figure in one of them have few characters.
 */
export function isProse(lines: readonly Segment[]): boolean {
  const width = usualWidth(lines);
  const full = lines.filter((line) => line.text.length >= PROSE && line.right - line.left >= FILLED * width);
  if (full.length < LEAST_LINES || characters(full) < FULL * characters(lines)) return false;
  const distances = distancesOf(full);
  const usual = quantile(distances, 0.5);
  return distances.filter((distance) => distance > HOLE * usual).length <= MOST_HOLES * distances.length;
}

/**
 * Whether texts on two sides are rows of a table whose cells may have several lines: gaps go across both sides, and
 * after most of them both sides begin on one line. Paragraphs of two columns begin alike only by chance. Each side is
 * given as its columns.
 */
export function isTableLike(left: readonly Segment[][], right: readonly Segment[][]): boolean {
  const leading = [...left, ...right].map((column) => quantile(distancesOf(column), 0.25)).filter((value) => value > 0);
  const usual = Math.min(...leading);
  const [ofLeft, ofRight] = [left, right].map((side) => new Set(side.flat().map(({ y }) => Math.round(y)))) as [
    Set<number>,
    Set<number>,
  ];
  const rows = [...new Set([...ofLeft, ...ofRight])].sort((a, b) => b - a);
  const starts = rows.filter((y, index) => index === 0 || rows[index - 1]! - y > ROW_GAP * usual);
  const aligned = starts.filter((y) => [ofLeft, ofRight].every((side) => [y - 1, y, y + 1].some((at) => side.has(at))));
  return starts.length >= 3 && rows.length < ROW_LINES * starts.length && aligned.length > 0.6 * starts.length;
}

/** Distances between base lines, from the top down. */
function distancesOf(lines: readonly Segment[]): number[] {
  const rows = [...new Set(lines.map(({ y }) => Math.round(y)))].sort((a, b) => b - a);
  return rows.slice(1).map((y, index) => rows[index]! - y).filter((distance) => distance > 2);
}

function characters(lines: readonly Segment[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

/** The width that three quarters of the text do not exceed. */
function usualWidth(lines: readonly Segment[]): number {
  const sorted = [...lines].sort((a, b) => a.right - a.left - (b.right - b.left));
  let left = 0.75 * characters(lines);
  const at = sorted.findIndex(({ text }) => (left -= text.length) <= 0);
  return at < 0 ? 0 : sorted[at]!.right - sorted[at]!.left;
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
