import type { Line } from './lines.ts';
import { bodySize, LARGER } from './style.ts';

/** Number of lines at the top and at the bottom of a page that are examined for running headers and footers. */
const EDGE_LINES = 3;
/** A header of left-hand pages stands on half of all pages, except on the first pages of chapters. */
const SHARE = 0.35;
const LEAST_PAGES = 2;
/**
 * A line with more numbers than this is compared with its numbers: rows of numbers are not identical just because they
 * are numbers.
 */
const MAX_NUMBERS = 5;
/** A repeated line must stand at the same height, within this tolerance in points. */
const SAME_HEIGHT = 4;
/** If repeated lines are more of a page's text than this, they are its text: of a certificate, a slide, a form. */
const MOST_OF_PAGE = 0.4;
// "12", "- 12 -", "Page 12", "page 12 of 30", "12/30", "xii".
const PAGE_NUMBER =
  /^(?:[-–—|]\s?)?(?:(?:page|seite|p\.|pág\.?|página|pagina)\s?)?(?:\d{1,4}|[ivxl]{1,7})(?:\s?(?:\/|of|von|de|di)\s?\d{1,4})?(?:\s?[-–—|])?$/i;

/**
 * The lines of all pages that are running headers, running footers or page numbers. Of pages that are little else, one
 * copy of each repeated line is kept.
 */
export function runningLines(pages: readonly (readonly Line[])[]): Set<Line> {
  const found = new Set<Line>();
  if (pages.length < LEAST_PAGES) return found;
  const groups = new Map<string, Line[]>();
  for (const lines of pages) {
    const sorted = [...lines].sort((a, b) => b.y - a.y);
    const edges = new Set([...sorted.slice(0, EDGE_LINES), ...sorted.slice(-EDGE_LINES)]);
    for (const line of edges) {
      const key = keyOf(line.text);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [line]);
      else group.push(line);
    }
    for (const line of [sorted[0], sorted.at(-1)])
      if (line !== undefined && PAGE_NUMBER.test(line.text)) found.add(line);
  }
  const least = Math.max(LEAST_PAGES, SHARE * pages.length);
  for (const group of groups.values()) {
    const heights = new Map<number, number>();
    const height = (line: Line) => Math.round(line.y / SAME_HEIGHT);
    for (const line of group) heights.set(height(line), (heights.get(height(line)) ?? 0) + 1);
    const near = (line: Line) => [-1, 0, 1].reduce((sum, step) => sum + (heights.get(height(line) + step) ?? 0), 0);
    const repeated = group.filter((line) => near(line) >= least);
    // Two pages are weak evidence, so one copy of what they share is kept.
    for (const line of pages.length === LEAST_PAGES ? repeated.slice(1) : repeated) found.add(line);
  }
  return withoutText(pages, pages.map((lines) => outermost(lines, found)));
}

/**
 * The running lines of all pages without those that are the text of their page or larger than the text, as titles of
 * slides; each of these is kept once.
 */
function withoutText(pages: readonly (readonly Line[])[], running: readonly (readonly Line[])[]): Set<Line> {
  const kept = new Set<string>();
  const large = LARGER * bodySize(pages.flat());
  const out = new Set<Line>();
  pages.forEach((lines, index) => {
    const edges = running[index]!;
    const isText = length(edges) > MOST_OF_PAGE * length(lines);
    for (const line of edges) {
      if ((!isText && line.size <= large) || kept.has(line.text) || PAGE_NUMBER.test(line.text)) out.add(line);
      else kept.add(line.text);
    }
  });
  return out;
}

function length(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

/**
 * The part that is the same on each page: the text without its numbers, unless it has more than a page number, a date
 * and a section.
 */
function keyOf(text: string): string {
  const plain = text.replace(/\d+|\b[ivxl]{1,7}\b/gi, '#').toLowerCase();
  return plain.split('#').length - 1 > MAX_NUMBERS ? text : plain;
}

/** Running lines must have no other text beyond them towards the edge; repeated lines within the text stay. */
function outermost(lines: readonly Line[], found: ReadonlySet<Line>): Line[] {
  const sorted = [...lines].sort((a, b) => b.y - a.y);
  const top = sorted.findIndex((line) => !found.has(line));
  if (top < 0) return sorted;
  const bottom = sorted.findLastIndex((line) => !found.has(line));
  return [...sorted.slice(0, top), ...sorted.slice(bottom + 1)];
}
