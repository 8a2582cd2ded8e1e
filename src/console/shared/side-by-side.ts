import { diffLines, diffWordsWithSpace } from 'diff';

/** A piece of a line, and whether it has changed. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface Side {
  /** Starts at 1. */
  readonly line: number;
  readonly pieces: readonly Piece[];
  readonly isChanged: boolean;
}

/**
 * One row of a comparison: a line of each side, or of one side; `gap` is the number of equal lines that are not shown.
 */
export type DiffRow = { readonly left?: Side; readonly right?: Side } | { readonly gap: number };

/** Equal lines shown around a change. */
const AROUND = 3;

/** Lines of two texts side by side. For changed lines at the same position, the changed words are marked. */
export function sideBySide(before: string, after: string): DiffRow[] {
  const rows: DiffRow[] = [];
  const changes = diffLines(before, after);
  let [left, right] = [1, 1];
  for (let at = 0; at < changes.length; at++) {
    const change = changes[at]!;
    const lines = linesOf(change.value);
    if (!change.added && !change.removed) {
      const ends = { atStart: at === 0, atEnd: at === changes.length - 1 };
      rows.push(...equalRows(lines, left, right, ends));
      left += lines.length;
      right += lines.length;
      continue;
    }
    const next = changes[at + 1];
    const isPair = change.removed && next?.added === true;
    const removed = change.removed ? lines : [];
    const added = isPair ? linesOf(next.value) : change.added ? lines : [];
    rows.push(...changedRows(removed, added, left, right));
    left += removed.length;
    right += added.length;
    if (isPair) at++;
  }
  return rows;
}

function equalRows(lines: readonly string[], left: number, right: number,
  { atStart, atEnd }: { atStart: boolean; atEnd: boolean }): DiffRow[]
{
  const rows = lines.map((text, index): DiffRow => ({
    left: plain(text, left + index),
    right: plain(text, right + index),
  }));
  const head = atStart ? 0 : AROUND;
  const tail = atEnd ? 0 : AROUND;
  const gap = rows.length - head - tail;
  if (gap < 2) return rows;
  return [...rows.slice(0, head), { gap }, ...rows.slice(rows.length - tail)];
}

function changedRows(removed: readonly string[], added: readonly string[], left: number, right: number): DiffRow[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, index): DiffRow => {
    const [old, fresh] = [removed[index], added[index]];
    const words = old !== undefined && fresh !== undefined ? diffWordsWithSpace(old, fresh) : undefined;
    const side = (text: string | undefined, line: number, kind: 'removed' | 'added'): Side | undefined => {
      if (text === undefined) return undefined;
      const other = kind === 'removed' ? 'added' : 'removed';
      const pieces =
        words?.filter((part) => !part[other]).map((part) => ({ text: part.value, isChanged: part[kind] })) ??
          [{ text, isChanged: false }];
      return { line, pieces, isChanged: true };
    };
    const [a, b] = [side(old, left + index, 'removed'), side(fresh, right + index, 'added')];
    return { left: a, right: b };
  });
}

const plain = (text: string, line: number): Side => ({ line, pieces: [{ text, isChanged: false }], isChanged: false });

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
