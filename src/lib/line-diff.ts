/** A line of two texts laid over each other: kept, only in the first, or only in the second. */
export interface DiffLine {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * Above this number of edits, the texts count as entirely different, because the work grows with the square of the
 * edits.
 */
const MOST_EDITS = 2000;

/**
 * The shortest way from one text to another, line by line (E. Myers, "An O(ND) difference algorithm and its
 * variations", 1986). Lines that differ are listed with those of the first text before those of the second. Texts with
 * more than 2,000 edits between them are returned as one replacement of everything between their common beginning and
 * end.
 */
export function diffLines(first: string, second: string): DiffLine[] {
  const [a, b] = [linesOf(first), linesOf(second)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = shortestEdits(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const kept = (text: string): DiffLine => ({ kind: ' ', text });
  return [...a.slice(0, start).map(kept), ...middle, ...a.slice(a.length - end).map(kept)];
}

/** A line break at the end of the text does not begin another line. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * `furthest[k]` is how far into `a` a path of `d` edits reaches on the diagonal `k`. The table of each `d` is kept, to
 * walk back.
 */
function shortestEdits(a: readonly string[], b: readonly string[]): DiffLine[] {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const furthest = new Int32Array(2 * most + 3);
  const origin = most + 1;
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(furthest.slice(origin - d - 1, origin + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[origin + k - 1]! < furthest[origin + k + 1]!);
      let x = down ? furthest[origin + k + 1]! : furthest[origin + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[origin + k] = x;
      if (x >= a.length && x - k >= b.length) return inOrder(walkBack(a, b, trace));
    }
  }
  return [...a.map((text): DiffLine => ({ kind: '-', text })), ...b.map((text): DiffLine => ({ kind: '+', text }))];
}

function walkBack(a: readonly string[], b: readonly string[], trace: readonly Int32Array[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d--) {
    const before = trace[d]!;
    const at = (k: number): number => before[k + d + 1]!;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const from = d === 0 ? 0 : down ? at(k + 1) : at(k - 1);
    const fromY = d === 0 ? 0 : from - (down ? k + 1 : k - 1);
    // After its edit, the path followed lines that both texts have.
    for (const after = d === 0 || down ? from : from + 1; x > after; x--, y--)
      lines.push({ kind: ' ', text: a[x - 1]! });
    if (d === 0) break;
    lines.push(down ? { kind: '+', text: b[y - 1]! } : { kind: '-', text: a[x - 1]! });
    [x, y] = [from, fromY];
  }
  return lines.reverse();
}

/** Within a sequence of changes, removed lines stand before added lines. */
function inOrder(lines: readonly DiffLine[]): DiffLine[] {
  const result: DiffLine[] = [];
  const come: DiffLine[] = [];
  for (const line of lines) {
    if (line.kind === '+') come.push(line);
    else {
      if (line.kind === ' ') result.push(...come.splice(0));
      result.push(line);
    }
  }
  return [...result, ...come];
}

/** The changes with `context` lines around them, in the format of `diff -u`; empty if nothing differs. */
export function unifiedDiff(lines: readonly DiffLine[], [from, to]: readonly [string, string], context = 3): string[] {
  const changed = lines.flatMap(({ kind }, i) => (kind === ' ' ? [] : [i]));
  if (changed.length === 0) return [];
  const hunks: [start: number, end: number][] = [];
  for (const i of changed) {
    const last = hunks.at(-1);
    const [start, end] = [Math.max(0, i - context), Math.min(lines.length, i + context + 1)];
    if (last !== undefined && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return [`--- ${from}`, `+++ ${to}`,
    ...hunks.flatMap((
      [start, end],
    ) => [headOf(lines, start, end), ...lines.slice(start, end).map(({ kind, text }) => `${kind}${text}`)])];
}

/** `@@ -FIRST,COUNT +FIRST,COUNT @@`. Lines are counted from 1; if COUNT is 0, FIRST is the line before. */
function headOf(lines: readonly DiffLine[], start: number, end: number): string {
  const range = (other: '-' | '+'): string => {
    const mine = (some: readonly DiffLine[]): number => some.filter(({ kind }) => kind !== other).length;
    const [before, count] = [mine(lines.slice(0, start)), mine(lines.slice(start, end))];
    return `${count === 0 ? before : before + 1}${count === 1 ? '' : `,${count}`}`;
  };
  return `@@ -${range('+')} +${range('-')} @@`;
}
