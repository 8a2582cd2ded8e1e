export type BadgeState = 'passing' | 'failing' | 'no runs';

const COLOURS: Readonly<Record<BadgeState, string>> = {
  'passing': '#2f7d32',
  'failing': '#b3261e',
  'no runs': '#6b6b6b',
};

/** Characters of a name that are shown. */
const MAX_NAME = 40;

/** Approximate pixels of a character at this text size, and of the margin on each side of a text. */
const CHARACTER = 6.6;
const MARGIN = 12;

/** A badge: plain shapes and text, so it can neither run code nor load anything. */
export function badgePicture(name: string, state: BadgeState): string {
  const shown = [...name].length > MAX_NAME ? `${[...name].slice(0, MAX_NAME - 1).join('')}…` : name;
  const left = widthOf(shown);
  const right = widthOf(state);
  const width = left + right;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${
      escaped(`${shown}: ${state}`)
    }">`,
    `<rect width="${left}" height="20" fill="#444"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${COLOURS[state]}"/>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">',
    `<text x="${left / 2}" y="14">${escaped(shown)}</text>`,
    `<text x="${left + right / 2}" y="14">${state}</text>`,
    '</g></svg>',
  ].join('');
}

const widthOf = (text: string): number => Math.ceil([...text].length * CHARACTER) + MARGIN;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
