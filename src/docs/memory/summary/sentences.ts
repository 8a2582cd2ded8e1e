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
