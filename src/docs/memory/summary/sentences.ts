let segmenter: Intl.Segmenter | undefined;

/** Markers of bold, italic and code; an asterisk or underscore within a word is not one. */
const EMPHASIS = /(?<![\p{L}\p{N}])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\p{L}\p{N}])|`+/gu;
/** Maximum length of text that is split, because text without a full stop can be a single sentence. */
const MAX_LENGTH = 2000;
const HAS_WORD = /[\p{L}\p{N}]/u;

/**
 * The sentences of a text in any language (Unicode Standard Annex 29, section 5), one after the other, each as a line
 * of plain text. Text without a letter or digit is not a sentence. The end of a line ends a sentence.
 */
export function* sentencesOf(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  for (const { segment } of segmenter.segment(text)) {
    const sentence = segment.slice(0, MAX_LENGTH).toWellFormed().replace(EMPHASIS, '').replace(/\s+/g, ' ').trim();
    if (HAS_WORD.test(sentence)) yield sentence;
  }
}

/**
 * Closing quotes and brackets may follow the mark. Greek has a question mark like `;`, and Arabic, Armenian and
 * Ethiopic have their own.
 */
const QUESTION = /[?？؟՞፧\u037e⁇⁈][\p{Pe}\p{Pf}"'*_]*$/u;

export function isQuestion(sentence: string): boolean {
  return QUESTION.test(sentence);
}

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
