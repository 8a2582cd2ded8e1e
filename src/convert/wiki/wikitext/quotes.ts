/** Apostrophes that format text, and their position in a line. */
export interface QuoteRun {
  readonly at: number;
  /** Number of leading signs that are only apostrophes. */
  literal: number;
  /** 2 for italic, 3 for bold, 5 for both. */
  style: 2 | 3 | 5;
}

/**
 * Reads the runs of apostrophes of a line as MediaWiki does (`Parser::doQuotes`): if bold and italic both have an odd
 * number of signs, one bold sign is read as an apostrophe and an italic sign, preferably one after a word of a single
 * letter.
 */
export function quoteRuns(line: string): QuoteRun[] {
  const runs: QuoteRun[] = [];
  for (let at = line.indexOf("''"); at >= 0;) {
    let end = at;
    while (line.charCodeAt(end) === 0x27) end++;
    const length = end - at;
    const style = length >= 5 ? 5 : length === 4 ? 3 : (length as 2 | 3);
    runs.push({ at, literal: length - style, style });
    at = line.indexOf("''", end);
  }
  const count = (style: 2 | 3): number => runs.filter((run) => run.style === style || run.style === 5).length;
  if (count(2) % 2 === 1 && count(3) % 2 === 1) balance(line, runs);
  return runs;
}

function balance(line: string, runs: readonly QuoteRun[]): void {
  const bold = runs.filter(({ style }) => style === 3);
  const before = ({ at, literal }: QuoteRun, back: number): string => line[at + literal - back] ?? '';
  const chosen = bold.find((run) => before(run, 1) !== ' ' && before(run, 2) === ' ') ?? bold.find((run) =>
    before(run, 1) !== ' ' && before(run, 2) !== ' '
  ) ?? bold.find((run) => before(run, 1) === ' ');
  if (chosen === undefined) return;
  chosen.literal++;
  chosen.style = 2;
}
