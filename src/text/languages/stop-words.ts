import { stopwords as arabic } from '@orama/stopwords/arabic';
import { stopwords as danish } from '@orama/stopwords/danish';
import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as english } from '@orama/stopwords/english';
import { stopwords as finnish } from '@orama/stopwords/finnish';
import { stopwords as french } from '@orama/stopwords/french';
import { stopwords as german } from '@orama/stopwords/german';
import { stopwords as hungarian } from '@orama/stopwords/hungarian';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as norwegian } from '@orama/stopwords/norwegian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as romanian } from '@orama/stopwords/romanian';
import { stopwords as russian } from '@orama/stopwords/russian';
import { stopwords as spanish } from '@orama/stopwords/spanish';
import { stopwords as swedish } from '@orama/stopwords/swedish';
import { stopwords as tamil } from '@orama/stopwords/tamil';
import { stopwords as turkish } from '@orama/stopwords/turkish';
import { formsOf } from '../tokenize.ts';
import { POLISH_STOP_WORDS } from './polish-stop-words.ts';

const LISTS: Readonly<Record<string, readonly string[]>> = {
  // The package lacks `a`, the first word of every English list.
  en: ['a', ...english],
  pl: POLISH_STOP_WORDS,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  ru: russian,
  sv: swedish,
  no: norwegian,
  da: danish,
  fi: finnish,
  hu: hungarian,
  ro: romanian,
  // The Turkish list of the package repeats some words in a wrong encoding.
  tr: turkish.filter((word) => !/[ýþðţ]/.test(word)),
  ar: arabic,
  ta: tamil,
};

const sets = new Map<string, ReadonlySet<string>>();

/**
 * The default stop words of a language as forms (see `tokenize.ts`), so that they can be compared with tokens; entries
 * that are not exactly one token (punctuation, phrases) are omitted. Empty for a code that is not in the catalogue.
 */
export function defaultStopWords(code: string): ReadonlySet<string> {
  let words = sets.get(code);
  if (words === undefined) {
    words = new Set(
      (LISTS[code] ?? []).map(formsOf).filter((forms) => forms.length === 1).map(([form]) => form!).sort(),
    );
    sets.set(code, words);
  }
  return words;
}
