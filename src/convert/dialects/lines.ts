const FENCE = /^(?:[ \t]|>|[-*+] |\d{1,9}[.)] )*(`{3,}|~{3,})/;

/** For each line of a markdown text, whether it is outside fenced code; the lines of a fence itself are not. */
export function outsideFences(lines: readonly string[]): boolean[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const match = FENCE.exec(line);
    const rest = line.slice(match?.[0].length ?? 0);
    if (fence === undefined) {
      if (match === null || rest.includes('`')) return true;
      fence = match[1]!;
    } else if (match !== null && match[1]!.startsWith(fence) && rest.trim() === '') fence = undefined;
    return false;
  });
}

/**
 * A markdown text with its lines outside fenced code replaced; line ends stay as they are. `change` returns the line
 * itself if nothing is to change.
 */
export function changeLines(markdown: string, change: (line: string) => string): string {
  const lines = markdown.split('\n');
  const isText = outsideFences(lines);
  return lines.map((line, i) => (isText[i] ? change(line) : line)).join('\n');
}

/** A line with its parts outside code spans replaced. */
export function outsideCode(line: string, change: (text: string) => string): string {
  if (!line.includes('`')) return change(line);
  const runs = [...line.matchAll(/`+/g)];
  let [out, from] = ['', 0];
  for (let open = 0; open < runs.length;) {
    const among = runs.slice(open + 1, open + MAX_RUNS);
    const close = open + 1 + among.findIndex((run) => run[0] === runs[open]![0]);
    if (close === open) {
      open += 1;
      continue;
    }
    const end = runs[close]!.index + runs[close]![0].length;
    out += change(line.slice(from, runs[open]!.index)) + line.slice(runs[open]!.index, end);
    from = end;
    open = close + 1;
  }
  return out + change(line.slice(from));
}

/** Runs of backticks among which the end of a code span is looked for. */
const MAX_RUNS = 100;
