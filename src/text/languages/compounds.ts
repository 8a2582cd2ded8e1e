import { languageOf } from './catalogue.ts';
import { defaultStopWords } from './stop-words.ts';

/** How a language writes words together. */
interface Compounds {
  /** Whether a form may be a part of a compound. */
  isPart(form: string): boolean;
  /** What may stand behind a part, before the next one: the s of `verbindungsfehler`. */
  readonly links: readonly string[];
  /** What a part may lose before the next one: the e of `sprache` in `sprachfehler`. */
  readonly lost: readonly string[];
}

/** Four letters or more: shorter ones stand in too many words by chance. */
const PART = /^\p{L}{4,}$/u;

/**
 * The compounds of a language by its code; undefined for one that writes words apart. A stop word is no part, because
 * it makes another word of the one behind it: `nachrichten`, `hintergrund`.
 */
export function compoundsOf(lang: string): Compounds | undefined {
  const joints = languageOf(lang)?.joints;
  if (joints === undefined) return undefined;
  const stopWords = defaultStopWords(lang);
  return { isPart: (form) => PART.test(form) && !stopWords.has(form), ...joints };
}
