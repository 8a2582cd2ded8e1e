import { stopwords as arabic } from '@orama/stopwords/arabic';
import { stopwords as armenian } from '@orama/stopwords/armenian';
import { stopwords as bulgarian } from '@orama/stopwords/bulgarian';
import { stopwords as danish } from '@orama/stopwords/danish';
import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as english } from '@orama/stopwords/english';
import { stopwords as finnish } from '@orama/stopwords/finnish';
import { stopwords as french } from '@orama/stopwords/french';
import { stopwords as german } from '@orama/stopwords/german';
import { stopwords as greek } from '@orama/stopwords/greek';
import { stopwords as hungarian } from '@orama/stopwords/hungarian';
import { stopwords as hindi } from '@orama/stopwords/indian';
import { stopwords as indonesian } from '@orama/stopwords/indonesian';
import { stopwords as irish } from '@orama/stopwords/irish';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as lithuanian } from '@orama/stopwords/lithuanian';
import { stopwords as nepali } from '@orama/stopwords/nepali';
import { stopwords as norwegian } from '@orama/stopwords/norwegian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as romanian } from '@orama/stopwords/romanian';
import { stopwords as russian } from '@orama/stopwords/russian';
import { stopwords as serbian } from '@orama/stopwords/serbian';
import { stopwords as spanish } from '@orama/stopwords/spanish';
import { stopwords as swedish } from '@orama/stopwords/swedish';
import { stopwords as tamil } from '@orama/stopwords/tamil';
import { stopwords as turkish } from '@orama/stopwords/turkish';
import { stopwords as ukrainian } from '@orama/stopwords/ukrainian';
import { formsOf } from '../tokenize.ts';

/**
 * Function words of Polish, for which the stop-word package has no list: pronouns, prepositions, conjunctions,
 * particles and forms of "być".
 */
const POLISH_STOP_WORDS: readonly string[] = `
  a aby ach acz aczkolwiek albo ale ależ ani aż bardziej bardzo bez bo bowiem by być był była było były będzie będą będę
  będąc byli bym byś chce choć chociaż ci cię ciebie co cokolwiek coś czasami czasem czego czemu czy czyli daleko dla dlaczego
  dlatego do dobrze dokąd dość dziś gdy gdyby gdyż gdzie gdziekolwiek gdzieś go i ich ile im inna inne innego innej innych
  inny iż ja jak jaka jakaś jaki jakie jakiś jakkolwiek jako jakoś je jeden jedna jednak jednakże jedno jego jej jemu jest
  jestem jeszcze jeśli jeżeli już każda każde każdy kiedy kilka kto ktokolwiek ktoś która które którego której który których
  którym którzy ku lecz lub ma mają mam mi mimo między mnie mną mogą moi moim moja moje może możliwe można mój mu musi my na
  nad nam nami nas nasi nasz nasza nasze naszego naszych natomiast nic nich nie niech niego niej niemu nigdy nim nimi niż no
  o obok od około on ona one oni ono oraz po pod podczas pomimo ponad ponieważ poza przed przede przedtem przez przy
  również sam sama są się skąd sobie sobą swoje swój ta tak taka taki takie także tam te tego tej temu ten teraz też to tobą
  tobie toteż trzeba tu tutaj twoi twoim twoja twoje twój twym ty tych tylko tym u w wam wami was wasz wasza wasze we
  według wiele wielu więc właśnie wszyscy wszystkich wszystkie wszystkim wszystko wtedy wy z za zapewne zawsze ze znowu znów
  żaden żadna żadne żadnych że żeby
`.trim().split(/\s+/);

/** The same for Czech. */
const CZECH_STOP_WORDS: readonly string[] = `
  a aby aj ale ani ano asi až bez bude budem budeme budete budeš budou budu by byl byla byli bylo byly bych bychom být co což
  či dál do ho i já jak jako jaký jaká jaké je jeho její jejich jej jemu jen jenom ještě jestli ji jich jím jimi jinak jiné
  již jsem jsi jsme jsou jste k kam kde kdo kdy když ke která které kterého kterém kterou který kteří ku má mají máme mám máš
  máte mě mezi mi mít mne mně mnou moje můj může my na nad nám námi naše náš ne nebo nebyl nebyla nebylo neboť něco nějak
  někdo není než ní nic nich ním nimi o od ode on ona oni ono ony pak po pod podle pokud pouze pro proč proto protože před
  přes přesto při s se si sice svá své svého svém svou svůj svých svým svými ta tady tak také takže tam tato tě tedy ten
  tento této ti tím tímto to tobě toho tohle tom tomto tomu toto tu tuto tvůj ty tyto u už v váš vaše ve více však vše
  všechno všichni vy z za zda zde ze že
`.trim().split(/\s+/);

const LISTS: Readonly<Record<string, readonly string[]>> = {
  // The package lacks `a`, the first word of every English list.
  en: ['a', ...english],
  pl: POLISH_STOP_WORDS,
  cs: CZECH_STOP_WORDS,
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
  bg: bulgarian,
  // The lists of the package for these have words in a wrong encoding, too.
  uk: ukrainian.filter((word) => /^[а-яґєії]+$/i.test(word)),
  sr: serbian.filter((word) => /^[a-zčćđšž]+$/.test(word)),
  lt: lithuanian.filter((word) => /^[a-ząčęėįšųūž]+$/.test(word)),
  el: greek,
  ga: irish,
  hy: armenian,
  hi: hindi,
  ne: nepali,
  id: indonesian,
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
