/**
 * The lookahead also excludes a backtick, so that backtracking by one character does not scan the rest of the line
 * again.
 */
const FENCE = /^ {0,3}(`{3,}(?!`|.*`)|~{3,})/;
const QUOTE = /^ {0,3}>/;
/** The marker of a heading or an item of a list, which is not part of the sentence. */
const MARKER = /^\s*(?:#{1,6}(?=\s)|[-*+•](?=\s)|\d{1,9}[.)](?=\s))\s*/;
const RULE = /^\s*(?:[-*_=]\s*){3,}$/;

/**
 * The prose of a message: without blocks of code (CommonMark section 4.5; one that is not closed continues to the end)
 * and without quoted lines (section 5.1). Each line is separate; code within a sentence is kept, because the sentence
 * would be incomplete without it.
 */
export function proseOf(markdown: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split(/\r\n?|\n/)) {
    const run = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (run !== undefined && closes(line, run, fence)) fence = undefined;
    } else if (run !== undefined) {
      fence = run;
      kept.push('');
    } else {
      kept.push(QUOTE.test(line) || RULE.test(line) ? '' : line.replace(MARKER, ''));
    }
  }
  return kept.join('\n');
}

function closes(line: string, run: string, fence: string): boolean {
  return run[0] === fence[0] && run.length >= fence.length && line.trim() === run;
}
