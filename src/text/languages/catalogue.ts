import { stemmer as armenian } from '@orama/stemmers/armenian';
import { stemmer as bulgarian } from '@orama/stemmers/bulgarian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { stemmer as irish } from '@orama/stemmers/irish';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as nepali } from '@orama/stemmers/nepali';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as serbian } from '@orama/stemmers/serbian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as tamil } from '@orama/stemmers/tamil';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';
import { stemArabic } from './arabic-stemmer.ts';
import { stemCzech } from './czech-stemmer.ts';
import * as endings from './endings.ts';
import { usualSpelling } from './english-spellings.ts';
import { stemEnglish } from './english-stemmer.ts';
import { stemFinnish } from './finnish-stemmer.ts';
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
  /** Removes inflections from a word: the Snowball stemmer, or our own. */
  readonly stem?: (word: string) => string;
  readonly apostrophes: ApostropheRule;
  /** The words that the stemmer can process; others (names, code, digits) are not stemmed. */
  readonly letters: RegExp;
  /** Whether accents are removed before stemming, because the stemmer does not know them, instead of after it. */
  readonly foldFirst?: boolean;
  /** Whether its stop words have no accents, which are left out of words that are compared with them. */
  readonly bareStopWords?: boolean;
  /** Its letters with accents, which writers leave out. */
  readonly accents?: string;
  /** What writers without a letter write instead, and the letter. */
  readonly digraphs?: Readonly<Record<string, string>>;
  /** How words are joined, for a language that writes those of a compound together. */
  readonly joints?: Joints;
  /** Words of one letter that are written together with the next one, and the article between them, which it loses. */
  readonly particles?: { readonly letters: string; readonly article: string };
}

/** What happens to a word before the next one of a compound. */
interface Joints {
  /** What may be added to it. */
  readonly links: readonly string[];
  /** What it may lose at its end. */
  readonly lost: readonly string[];
}

const GERMAN_DIGRAPHS = { ae: 'ä', oe: 'ö', ue: 'ü' };
const SWEDISH_DIGRAPHS = { aa: 'å', ae: 'ä', oe: 'ö' };
const DANISH_DIGRAPHS = { aa: 'å', ae: 'æ', oe: 'ø' };

const LATIN = /^\p{sc=Latin}+$/u;
const CYRILLIC = /^\p{sc=Cyrillic}+$/u;
const ARABIC = /^[\p{sc=Arabic}\p{M}ـ]+$/u;
const TAMIL = /^\p{sc=Tamil}+$/u;
const ARMENIAN = /^\p{sc=Armenian}+$/u;
const GREEK = /^\p{sc=Greek}+$/u;
const DEVANAGARI = /^[\p{sc=Devanagari}\p{M}]+$/u;
const LATIN_OR_CYRILLIC = /^[\p{sc=Latin}\p{sc=Cyrillic}]+$/u;

/** The languages that have a stemmer and stop words, 29 of them, in the order of answers. */
export const CATALOGUE: readonly Language[] = [{
  code: 'en',
  name: 'English',
  stem: (word) => stemEnglish(usualSpelling(word)),
  apostrophes: possessive,
  letters: LATIN,
  foldFirst: true,
}, {
  code: 'pl',
  name: 'Polish',
  stem: stemPolish,
  apostrophes: withoutApostrophes,
  letters: LATIN,
  accents: 'ąćęńóśźżł',
}, {
  code: 'cs',
  name: 'Czech',
  stem: stemCzech,
  apostrophes: withoutApostrophes,
  letters: LATIN,
  accents: 'áčďéěíňóřšťúůýž',
}, {
  code: 'de',
  name: 'German',
  stem: endings.german(german),
  apostrophes: possessive,
  letters: LATIN,
  accents: 'äöü',
  digraphs: GERMAN_DIGRAPHS,
  joints: { links: ['s', 'es', 'n', 'en', 'ens', 'er', 'e'], lost: ['e'] },
}, { code: 'fr', name: 'French', stem: french, apostrophes: elision, letters: LATIN, accents: 'àâçéèêëîïôùûü' }, {
  code: 'es',
  name: 'Spanish',
  stem: endings.spanish(spanish),
  apostrophes: withoutApostrophes,
  letters: LATIN,
  accents: 'áéíóúüñ',
}, {
  code: 'it',
  name: 'Italian',
  stem: endings.italian(italian),
  apostrophes: elision,
  letters: LATIN,
  accents: 'àèéìòù',
}, {
  code: 'pt',
  name: 'Portuguese',
  stem: endings.portuguese(portuguese),
  apostrophes: withoutApostrophes,
  letters: LATIN,
  accents: 'áâãàçéêíóôõú',
}, {
  code: 'nl',
  name: 'Dutch',
  stem: endings.dutch(dutch),
  apostrophes: possessive,
  letters: LATIN,
  accents: 'áéëïóöü',
  joints: { links: ['s', 'n', 'en', 'er', 'e'], lost: ['e'] },
}, {
  code: 'ru',
  name: 'Russian',
  stem: russian,
  apostrophes: withoutApostrophes,
  letters: CYRILLIC,
}, {
  code: 'sv',
  name: 'Swedish',
  stem: endings.swedish(swedish),
  apostrophes: possessive,
  letters: LATIN,
  accents: 'åäö',
  digraphs: SWEDISH_DIGRAPHS,
  joints: { links: ['s', 'e'], lost: ['a', 'e'] },
}, {
  code: 'no',
  name: 'Norwegian',
  stem: endings.norwegian(norwegian),
  apostrophes: possessive,
  letters: LATIN,
  accents: 'åø',
  digraphs: DANISH_DIGRAPHS,
  joints: { links: ['s', 'e'], lost: ['e'] },
}, {
  code: 'da',
  name: 'Danish',
  stem: danish,
  apostrophes: possessive,
  letters: LATIN,
  accents: 'åø',
  digraphs: DANISH_DIGRAPHS,
  joints: { links: ['s', 'e', 'er'], lost: ['e'] },
}, {
  code: 'fi',
  name: 'Finnish',
  stem: stemFinnish,
  apostrophes: withoutApostrophes,
  letters: LATIN,
  foldFirst: true,
  joints: { links: ['n'], lost: [] },
}, {
  code: 'hu',
  name: 'Hungarian',
  stem: hungarian,
  apostrophes: withoutApostrophes,
  letters: LATIN,
  accents: 'áéíóöőúüű',
  joints: { links: [], lost: [] },
}, {
  code: 'ro',
  name: 'Romanian',
  stem: romanian,
  apostrophes: withoutApostrophes,
  letters: LATIN,
  accents: 'ăâîșț',
}, {
  code: 'tr',
  name: 'Turkish',
  stem: endings.turkish(turkish),
  apostrophes: suffix,
  letters: LATIN,
  accents: 'çğıöşü',
}, {
  code: 'ar',
  name: 'Arabic',
  stem: stemArabic,
  apostrophes: withoutApostrophes,
  letters: ARABIC,
  foldFirst: true,
  particles: { letters: 'بلفكو', article: 'ال' },
}, { code: 'ta', name: 'Tamil', stem: tamil, apostrophes: withoutApostrophes, letters: TAMIL }, {
  code: 'bg',
  name: 'Bulgarian',
  stem: bulgarian,
  apostrophes: withoutApostrophes,
  letters: CYRILLIC,
}, { code: 'uk', name: 'Ukrainian', stem: ukrainian, apostrophes: withoutApostrophes, letters: CYRILLIC }, {
  code: 'sr',
  name: 'Serbian',
  stem: serbian,
  apostrophes: withoutApostrophes,
  letters: LATIN_OR_CYRILLIC,
  accents: 'čćđšž',
}, {
  code: 'el',
  name: 'Greek',
  stem: endings.greek(greek),
  apostrophes: withoutApostrophes,
  letters: GREEK,
  foldFirst: true,
  bareStopWords: true,
}, {
  code: 'lt',
  name: 'Lithuanian',
  stem: lithuanian,
  apostrophes: withoutApostrophes,
  letters: LATIN,
  accents: 'ąčęėįšųūž',
}, { code: 'ga', name: 'Irish', stem: irish, apostrophes: withoutApostrophes, letters: LATIN, accents: 'áéíóú' }, {
  code: 'hy',
  name: 'Armenian',
  stem: armenian,
  apostrophes: withoutApostrophes,
  letters: ARMENIAN,
}, {
  code: 'hi',
  name: 'Hindi',
  stem: hindi,
  apostrophes: withoutApostrophes,
  letters: DEVANAGARI,
  foldFirst: true,
}, {
  code: 'ne',
  name: 'Nepali',
  stem: nepali,
  apostrophes: withoutApostrophes,
  letters: DEVANAGARI,
}, { code: 'id', name: 'Indonesian', stem: indonesian, apostrophes: withoutApostrophes, letters: LATIN }];

const BY_CODE: ReadonlyMap<string, Language> = new Map(CATALOGUE.map((language) => [language.code, language]));

/** The language with a code of the catalogue, in lower case; undefined for any other code. */
export function languageOf(code: string): Language | undefined {
  return BY_CODE.get(code);
}
