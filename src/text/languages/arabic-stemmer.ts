import { brokenPlurals } from './arabic-plurals.ts';

const PREFIX = /^(?:و?ال|[بكف]ال|و?لل)(?=..)|^و(?=...)/u;
/**
 * Possession, of which `ت` is what an ending `ة` becomes before it; then plurals, feminine endings, and the indefinite
 * accusative.
 */
const SUFFIXES = [/(?<=...)(?:(?<!ا)ت)?(?:هما|هم|ها|نا|كم)$/u, /(?<=...)(?:(?<!ا)ته|(?<=ات)ه)$/u, /(?<=..)ها$/u,
  /(?<=..)(?:ان|ات|ون|ين)$/u, /(?<=..)(?:يه|ه|ي)$/u, /(?<=...)ا$/u];

/**
 * The light stemmer `light10` for Arabic (L. Larkey, L. Ballesteros and M. Connell, Light Stemming for Arabic
 * Information Retrieval, 2007): it removes the article with the particles before it, and endings; those of possession
 * are an addition. Other particles may be the first letter of the word itself, so they are spellings of a query
 * (`spellings.ts`).
 *
 * Broken plurals have the stem of their singular. Expects a word without vowel signs and with one form of each letter
 * (`foldDiacritics`); returns a non-empty stem.
 */
export function stemArabic(word: string): string {
  const stem = withoutAffixes(word);
  return SINGULARS.get(stem) ?? stem;
}

const SINGULARS = brokenPlurals(withoutAffixes);

function withoutAffixes(word: string): string {
  return SUFFIXES.reduce((stem, suffix) => stem.replace(suffix, ''), word.replace(PREFIX, ''));
}
