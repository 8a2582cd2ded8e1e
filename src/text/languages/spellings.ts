import { foldDiacritics } from '../folding.ts';
import { type Language, languageOf } from './catalogue.ts';

/** How else the words of a language may be written. Words are forms (see `tokenize.ts`). */
interface Spellings {
  /** By the custom of keyboards without its letters: `müller` of `mueller`, and the reverse. */
  customary(form: string): string[];
  /**
   * With one accent or two in the ending, by which stemmers know it: `información` and `configuração` lose a suffix,
   * `informacion` and `configuracao` do not.
   */
  accented(form: string): string[];
}

/** Digraphs of a word that are read both ways; the spellings are twice as many for each. */
const MOST_DIGRAPHS = 4;
/** Letters at the end of a word that may lack accents, and accents that they may lack. */
const ENDING = 6;
const MOST_ACCENTS = 2;
/** Minimum number of letters of a word behind a particle: shorter ones would often be other words. */
const LEAST_BEHIND_PARTICLE = 4;

/**
 * The spellings of a language by its code; undefined for one without a stemmer, and for one whose stemmer takes words
 * without their accents, so that all spellings have one stem.
 */
export function spellingsOf(lang: string): Spellings | undefined {
  const language = languageOf(lang);
  const { stem, foldFirst, digraphs, particles } = language ?? {};
  if (particles !== undefined) return { customary: withParticles(particles), accented: () => [] };
  if (language === undefined || stem === undefined || foldFirst === true) return undefined;
  const accents = accentsByLetter(language);
  return {
    customary: digraphs === undefined ? () => [] : customarySpellings(digraphs),
    accented: (form) => accentedSpellings(form, accents),
  };
}

/**
 * Stemmers cannot tell a particle from the first letter of a word: `بجريمة` is `ب` and `جريمة`, but `بطالة` is one
 * word.
 */
function withParticles({ letters, article }: NonNullable<Language['particles']>): (form: string) => string[] {
  const isLong = (word: string): boolean => word.length >= LEAST_BEHIND_PARTICLE;
  return (form) => {
    const word = form.startsWith(article) ? form.slice(article.length) : form;
    const rest = letters.includes(form[0]!) && isLong(form.slice(1)) ? [form.slice(1)] : [];
    return isLong(word) ? [...rest, ...Array.from(letters, (letter) => letter + foldDiacritics(word))] : rest;
  };
}

function accentsByLetter({ accents = '' }: Language): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(accents, foldDiacritics);
}

function accentedSpellings(form: string, accents: ReadonlyMap<string, readonly string[]>): string[] {
  const letters = [...form];
  const words = [letters];
  for (let at = Math.max(0, letters.length - ENDING); at < letters.length; at++) {
    for (const word of words.filter((other) => accentsOf(other, letters) < MOST_ACCENTS))
      for (const accented of accents.get(letters[at]!) ?? []) words.push(word.with(at, accented));
  }
  return words.slice(1).map((word) => word.join(''));
}

function accentsOf(word: readonly string[], letters: readonly string[]): number {
  return word.filter((letter, at) => letter !== letters[at]).length;
}

/** Some digraphs of a word may be letters, and others not: `goetheplaetze` is `goetheplätze`. */
function customarySpellings(digraphs: Readonly<Record<string, string>>): (form: string) => string[] {
  const letters = new Map(Object.entries(digraphs).map(([digraph, letter]) => [letter, digraph]));
  const written = new RegExp(Object.keys(digraphs).join('|'), 'g');
  const replaced = new RegExp(`[${[...letters.keys()].join('')}]`, 'gu');
  return (form) => {
    let spellings = [''];
    let end = 0;
    for (const { 0: digraph, index } of [...form.matchAll(written)].slice(0, MOST_DIGRAPHS)) {
      const before = form.slice(end, index);
      spellings = spellings.flatMap((start) => [digraph, digraphs[digraph]!].map((part) => `${start}${before}${part}`));
      end = index + digraph.length;
    }
    const spelled = spellings.map((start) => start + form.slice(end));
    return [...spelled, form.replace(replaced, (letter) => letters.get(letter)!)].filter((other) => other !== form);
  };
}
