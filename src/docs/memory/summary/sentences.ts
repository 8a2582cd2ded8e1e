let segmenter: Intl.Segmenter | undefined;

/** Marks that tell bold, italic and code from other text; an asterisk or underscore within a word is none. */
const EMPHASIS = /(?<![\p{L}\p{N}])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\p{L}\p{N}])|`+/gu;
/** Text without a full stop can be one sentence from end to end; no more of it is looked at. */
const MAX_LENGTH = 2000;
const HAS_WORD = /[\p{L}\p{N}]/u;

/**
 * The sentences of a text in any language (Unicode Standard Annex 29, section 5), one after the other, as a
 * line of plain text each. What has neither letter nor digit is none. A line that ends ends a sentence.
 */
export function* sentencesOf(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  for (const { segment } of segmenter.segment(text)) {
    const sentence = segment.slice(0, MAX_LENGTH).toWellFormed().replace(EMPHASIS, '').replace(/\s+/g, ' ').trim();
    if (HAS_WORD.test(sentence)) yield sentence;
  }
}

/** Closing quotes and brackets may follow the mark. Greek asks with `;` of its own, Arabic, Armenian and Ethiopic with theirs. */
const QUESTION = /[?？؟՞፧\u037e⁇⁈][\p{Pe}\p{Pf}"'*_]*$/u;

export function isQuestion(sentence: string): boolean {
  return QUESTION.test(sentence);
}
