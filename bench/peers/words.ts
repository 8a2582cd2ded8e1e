import { stemmer } from '@orama/stemmers/english';
import { defaultStopWords } from '../../src/text/languages/index.ts';
import type { Job } from './job.ts';

/**
 * The words of a text for the peers in JavaScript, which all get the same: runs of letters and digits, in lower case.
 * What they bring along splits at spaces and punctuation only, so that Markdown's backticks stay with the words.
 */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The term of a word, or an empty string for a stop word. Remembers terms, since stemmers take longer than a look-up. */
export function termsFor({ stemming, stopWords }: Pick<Job, 'stemming' | 'stopWords'>): (word: string) => string {
  const known = new Map<string, string>();
  const stops = stopWords ? defaultStopWords('en') : new Set<string>();
  return (word) => {
    let term = known.get(word);
    if (term === undefined) known.set(word, term = stops.has(word) ? '' : stemming ? stemmer(word) || word : word);
    return term;
  };
}
