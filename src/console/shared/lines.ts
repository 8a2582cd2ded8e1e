/** Lines of a text, from 1; the last one belongs to them. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** In an address: `12-14`. */
export const writeLines = ({ start, end }: Lines): string => `${start}-${end}`;

/** Undefined for what is no lines. */
export function readLines(text: string | undefined): Lines | undefined {
  const [start = NaN, end = NaN] = (text ?? '').split('-', 2).map(Number);
  return start >= 1 && end >= start ? { start, end } : undefined;
}

/** Brings what a page shows of a passage into sight and sets it off; returns how to take that back. */
export function showPassage(shown: readonly Element[]): () => void {
  for (const each of shown) each.classList.add('at');
  shown[0]?.scrollIntoView({ block: 'center' });
  return () => {
    for (const each of shown) each.classList.remove('at');
  };
}
