import { shortened } from './fitting.ts';

const LENGTH = 240;
/** Share of a snippet before the first match in it. */
const LEAD = 80;

/**
 * The part of a passage that shows why it was found, on one line: around the matched words, otherwise its beginning.
 * `terms` have the form that searches return: `written~found` for a word that was found in another spelling.
 */
export function snippetOf(passage: string, terms: readonly string[]): string {
  const text = passage.replaceAll(/\s+/g, ' ').trim();
  if (text.length <= LENGTH) return text;
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term.slice(term.indexOf('~') + 1))).filter((place) => place >= 0);
  const start = bestStart(places, text.length);
  if (start === 0) return shortened(text, LENGTH);
  const word = text.indexOf(' ', start) + 1;
  const from = word > 0 && word - start < LEAD ? word : start;
  return `…${shortened(text.slice(from).toWellFormed(), LENGTH - 1)}`;
}

/** Returns the start at which most of the matches are visible; the first one if several are equal. */
function bestStart(places: readonly number[], length: number): number {
  let [best, most] = [0, 0];
  for (const place of places) {
    const start = Math.max(0, Math.min(place - LEAD, length - LENGTH));
    const shown = places.filter((other) => other >= start && other < start + LENGTH).length;
    if (shown > most) [best, most] = [start, shown];
  }
  return best;
}
