import { languageOf } from './catalogue.ts';
import { defaultStopWords } from './stop-words.ts';

/** How a language writes words together. */
interface Compounds {
  /** Whether some letters may be a part of a compound. */
  isPart(letters: string): boolean;
  /** Words that are none. */
  readonly stopWords: ReadonlySet<string>;
  /** What may stand behind a part, before the next one: the s of `verbindungsfehler`. */
  readonly links: readonly string[];
  /** What a part may lose before the next one: the e of `sprache` in `sprachfehler`. */
  readonly lost: readonly string[];
}

/** Minimum number of letters of a part: shorter ones stand in too many words by chance. */
const LEAST = 4;

/**
 * The compounds of a language by its code; undefined for one that writes words apart. A stop word is no part, because
 * it makes another word of the one behind it: `nachrichten`, `hintergrund`.
 */
export function compoundsOf(lang: string): Compounds | undefined {
  const joints = languageOf(lang)?.joints;
  if (joints === undefined) return undefined;
  const stopWords = defaultStopWords(lang);
  return { isPart: (letters) => letters.length >= LEAST && !stopWords.has(letters), stopWords, ...joints };
}
