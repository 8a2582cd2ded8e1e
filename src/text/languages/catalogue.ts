import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as tamil } from '@orama/stemmers/tamil';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { usualSpelling } from './english-spellings.ts';
import { stemEnglish } from './english-stemmer.ts';
import { stemPolish } from './polish-stemmer.ts';

/**
 * Rules for apostrophes within a word. The tokeniser keeps them so that the stop words `don't` and `it's` are
 * recognised. Each function maps a form to a non-empty form without apostrophes.
 */
type ApostropheRule = (form: string) => string;

/** English, German, Dutch and the Nordic languages: `Lucene's` becomes `lucene`; `o'brien` becomes `obrien`. */
const possessive: ApostropheRule = (form) => withoutApostrophes(form.replace(/'s$/, ''));

/** Turkish separates the suffixes of names: `istanbul'da` becomes `istanbul`. */
const suffix: ApostropheRule = (form) => {
  const at = form.indexOf("'");
  return at > 0 ? form.slice(0, at) : withoutApostrophes(form);
};

const ELIDED = new Set([
  // French
  'l',
  'd',
  'j',
  'c',
  'm',
  't',
  's',
  'n',
  'qu',
  'jusqu',
  'lorsqu',
  'puisqu',
  'quoiqu',
  'quelqu',
  'entr',
  // Italian
  'un',
  'dell',
  'all',
  'nell',
  'sull',
  'dall',
  'coll',
  'quell',
  'quest',
  'bell',
  'sant',
  'tutt',
  'v',
  'gl',
  'dov',
  'com',
  'cos',
]);

/**
 * French and Italian elide articles and pronouns: `l'avion` becomes `avion`, `dell'arte` becomes `arte`; `aujourd'hui`
 * remains one word.
 */
const elision: ApostropheRule = (form) => {
  let rest = form;
  for (let at = rest.indexOf("'"); at > 0 && ELIDED.has(rest.slice(0, at)) && at + 1 < rest.length;
    at = rest.indexOf("'"))
  {
    rest = rest.slice(at + 1);
  }
  return withoutApostrophes(rest);
};

/** The other languages: the letters before and after it are one word. */
export function withoutApostrophes(form: string): string {
  return form.replaceAll("'", '') || form;
}

/** How the words of a language become terms. */
export interface Language {
  readonly code: string;
  readonly name: string;
  /** Removes inflections from a word: the Snowball stemmer, or for Polish our own. */
  readonly stem?: (word: string) => string;
  readonly apostrophes: ApostropheRule;
  /** The words that the stemmer can process; others (names, code, digits) are not stemmed. */
  readonly letters: RegExp;
  /** Whether accents are removed before stemming, because the stemmer does not know them, instead of after it. */
  readonly foldFirst?: boolean;
}

const LATIN = /^\p{sc=Latin}+$/u;
const CYRILLIC = /^\p{sc=Cyrillic}+$/u;
const ARABIC = /^[\p{sc=Arabic}\p{M}ـ]+$/u;
const TAMIL = /^\p{sc=Tamil}+$/u;

/** The languages that have a stemmer and stop words, 18 of them, in the order of answers. */
export const CATALOGUE: readonly Language[] = [{
  code: 'en',
  name: 'English',
  stem: (word) => stemEnglish(usualSpelling(word)),
  apostrophes: possessive,
  letters: LATIN,
  foldFirst: true,
}, { code: 'pl', name: 'Polish', stem: stemPolish, apostrophes: withoutApostrophes, letters: LATIN }, {
  code: 'de',
  name: 'German',
  stem: german,
  apostrophes: possessive,
  letters: LATIN,
}, { code: 'fr', name: 'French', stem: french, apostrophes: elision, letters: LATIN }, {
  code: 'es',
  name: 'Spanish',
  stem: spanish,
  apostrophes: withoutApostrophes,
  letters: LATIN,
}, { code: 'it', name: 'Italian', stem: italian, apostrophes: elision, letters: LATIN }, {
  code: 'pt',
  name: 'Portuguese',
  stem: portuguese,
  apostrophes: withoutApostrophes,
  letters: LATIN,
}, { code: 'nl', name: 'Dutch', stem: dutch, apostrophes: possessive, letters: LATIN }, {
  code: 'ru',
  name: 'Russian',
  stem: russian,
  apostrophes: withoutApostrophes,
  letters: CYRILLIC,
}, { code: 'sv', name: 'Swedish', stem: swedish, apostrophes: possessive, letters: LATIN }, {
  code: 'no',
  name: 'Norwegian',
  stem: norwegian,
  apostrophes: possessive,
  letters: LATIN,
}, { code: 'da', name: 'Danish', stem: danish, apostrophes: possessive, letters: LATIN }, {
  code: 'fi',
  name: 'Finnish',
  stem: finnish,
  apostrophes: withoutApostrophes,
  letters: LATIN,
}, { code: 'hu', name: 'Hungarian', stem: hungarian, apostrophes: withoutApostrophes, letters: LATIN }, {
  code: 'ro',
  name: 'Romanian',
  stem: romanian,
  apostrophes: withoutApostrophes,
  letters: LATIN,
}, { code: 'tr', name: 'Turkish', stem: turkish, apostrophes: suffix, letters: LATIN }, {
  code: 'ar',
  name: 'Arabic',
  stem: arabic,
  apostrophes: withoutApostrophes,
  letters: ARABIC,
}, { code: 'ta', name: 'Tamil', stem: tamil, apostrophes: withoutApostrophes, letters: TAMIL }];

const BY_CODE: ReadonlyMap<string, Language> = new Map(CATALOGUE.map((language) => [language.code, language]));

/** The language with a code of the catalogue, in lower case; undefined for any other code. */
export function languageOf(code: string): Language | undefined {
  return BY_CODE.get(code);
}
