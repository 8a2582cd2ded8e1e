import { stemmer } from '@orama/stemmers/english';
import { defaultStopWords } from '../../src/text/languages/index.ts';
import type { Job } from './job.ts';

/**
 * The words of a text, the same for all JavaScript peers: sequences of letters and digits, in lower case. Their own
 * tokenizers split only at spaces and punctuation, so that Markdown's backticks stay with the words.
 */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The term of a word, or an empty string for a stop word. Caches terms, because stemmers are slower than a lookup. */
export function termsFor({ stemming, stopWords }: Pick<Job, 'stemming' | 'stopWords'>): (word: string) => string {
  const known = new Map<string, string>();
  const stops = stopWords ? defaultStopWords('en') : new Set<string>();
  return (word) => {
    let term = known.get(word);
    if (term === undefined) known.set(word, term = stops.has(word) ? '' : stemming ? stemmer(word) || word : word);
    return term;
  };
}
