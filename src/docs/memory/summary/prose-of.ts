/** The run is looked at as a whole: one that was given up by a character would look through the rest of the line again. */
const FENCE = /^ {0,3}(`{3,}(?!`|.*`)|~{3,})/;
const QUOTE = /^ {0,3}>/;
/** What begins a heading or an item of a list, which a sentence does without. */
const MARKER = /^\s*(?:#{1,6}(?=\s)|[-*+•](?=\s)|\d{1,9}[.)](?=\s))\s*/;
const RULE = /^\s*(?:[-*_=]\s*){3,}$/;

/**
 * What a message says in its own words: without blocks of code (CommonMark section 4.5; one that is not
 * closed goes on to the end) and without quoted lines (section 5.1). Each line stands for itself; code
 * within a sentence stays, because the sentence would be broken without it.
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
