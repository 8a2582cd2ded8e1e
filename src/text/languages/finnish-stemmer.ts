/**
 * A light stemmer for Finnish: it removes the endings of cases, of the plural and of possession, and makes one of the
 * stems of a word that differ in grade (`tiede`, `tieteen`; `palkka`, `palkan`; `vanhempi`, `vanhemman`). It follows J.
 * Savoy, Light Stemming Approaches for the French, Portuguese, German and Hungarian Languages (SAC 2006), and his
 * stemmer for Finnish; nouns in `-us`, `-uus`, `-nen` and `-in`, possession and grades are additions.
 *
 * Expects a word of lower-case letters without accents (`ä` is `a`); returns a non-empty stem.
 */
export function stemFinnish(word: string): string {
  if (word.length < 4) return word;
  const singular = withoutParticle(word).replace(/(?<=....)t$/, '');
  const noun = withoutCase(singular).replace(ESSIVE, '').replace(NOUN, '');
  const bare = shortened(noun);
  return withoutGrade(bare);
}

/** The last consonants in one grade: those of two that are equal, or that differ between the cases, are one. */
function withoutGrade(stem: string): string {
  const [vowel] = /[aeiouy]?$/.exec(stem)!;
  const weak = stem.slice(0, stem.length - vowel.length).replace(/d$/, 't').replace(/ng$/, 'nk').replace(/mp$/, 'm')
    .replace(/(?<=[nlr])t$/, '');
  const isDouble = weak.length > 1 && weak.at(-1) === weak.at(-2) && !/[aeiouy]$/.test(weak);
  return (isDouble ? weak.slice(0, -1) : weak) + vowel;
}

/** What nouns in `-us` (`opetu|ksen`), `-uus` (`vapau|det`), `-nen` (`ihmi|set`) and `-in` have behind their stem. */
const NOUN = /(?<=..[aouy])(?:ks?[ei]?|s(?:te?)?|d[ei]?)$|(?<=..)is[ei]?$|(?<=....)im[ei]?$/;

/** `orjana`, and words that only look like it: their other cases lose as much. */
const ESSIVE = /(?<=..[aeiouy])na?$/;

/** Without `-kin`, and without the possessive: `maassaan`, `oikeuksiensa`. */
function withoutParticle(word: string): string {
  if (word.length < 8) return word;
  return word.replace(/kin$/, '').replace(/(?<=(?:t|ss|st|ll|lt)a)an$/, '').replace(/nsa$/, 'n');
}

/** The endings, those that are longer than others first, with what remains of them. */
const CASES: readonly (readonly [least: number, ending: RegExp, rest: string])[] = [[9, /nnen$/, 's'], [9, /ntena$/,
  's'], [9, /tten$/, ''], [9, /eiden$/, ''], [6, /inen$/, ''], [7, /(?<=[uy])teen$|seen$/, ''], [6, /h[aeiouy]n$/, ''],
  [7, /den$/, 's'], [7, /ksen$/, 's'], [6, /(?:ssa|sta|lla|lta|tta|ksi|lle)$/, ''], [5,
  /(?:ta|(?<=a)an|(?<=e)en|(?<=i)in|(?<=o)on|(?<=u)un|(?<=y)yn|[an])$/, '']];

function withoutCase(word: string): string {
  for (const [least, ending, rest] of CASES)
    if (word.length >= least && ending.test(word)) return word.replace(ending, rest);
  return word;
}

/** Without the vowels that change before the plural. */
function shortened(stem: string): string {
  const bare = stem.length > 3 ? stem.replace(/[aei]{1,2}$/, '') : stem;
  return (bare.length > 8 ? bare.replace(/[ou]$/, '') : bare).replace(/(?<=..[aeiouy])j$/, '');
}
