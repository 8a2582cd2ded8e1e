/**
 * The Snowball stemmer for English ("Porter2", M. F. Porter, snowballstem.org/algorithms/english). It is implemented
 * here because the package that provides the other stemmers has Porter's first algorithm for English, with a defect:
 * `connection` became `connec`, and differed from `connect`.
 *
 * Expects a word of lower-case letters without apostrophes and diacritics; returns a non-empty stem.
 */
export function stemEnglish(word: string): string {
  if (word.length <= 2) return word;
  const exception = IRREGULAR.get(word);
  if (exception !== undefined) return exception;
  // A y that acts as a consonant is written as Y until the end.
  const marked = word.replace(/^y|([aeiouy])y/g, '$1Y');
  const r1 = firstRegion(marked);
  const r2 = regionAfter(marked, r1);
  let stem = plural(marked);
  if (UNTOUCHED.has(stem)) return stem;
  stem = finalY(pastAndGerund(stem, r1));
  stem = replaceLongest(stem, DERIVATIONAL, r1, r1);
  stem = replaceLongest(stem, FURTHER, r1, r2);
  stem = residualSuffix(stem, r2);
  return finalLetter(stem, r1, r2).replaceAll('Y', 'y');
}

const IRREGULAR: ReadonlyMap<string, string> = new Map([['skis', 'ski'], ['skies', 'sky'], ['dying', 'die'], ['lying',
  'lie'], ['tying', 'tie'], ['idly', 'idl'], ['gently', 'gentl'], ['ugly', 'ugli'], ['early', 'earli'], ['only',
  'onli'], ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word] as const)]);
/** Words that only look like a participle. */
const UNTOUCHED = new Set(['inning', 'outing', 'canning', 'herring', 'earring', 'proceed', 'exceed', 'succeed']);

const VOWEL = /[aeiouy]/;
/** Whether a word ends in a short syllable: as in "rap", "trap", "entrap"; or "ow", "on" at the start of the word. */
const SHORT_SYLLABLE = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/;

/**
 * Offset of R1: after the first consonant that follows a vowel, or after a prefix that would otherwise be divided too
 * early.
 */
function firstRegion(word: string): number {
  return /^(?:gener|commun|arsen)/.exec(word)?.[0].length ?? regionAfter(word, 0);
}

function regionAfter(word: string, from: number): number {
  const match = /[aeiouy][^aeiouy]/.exec(word.slice(from));
  return match === null ? word.length : from + match.index + 2;
}

/** Step 1a. */
function plural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[sd]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word) || !word.endsWith('s')) return word;
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

/** Step 1b. */
function pastAndGerund(word: string, r1: number): string {
  const agreed = /eed(?:ly)?$/.exec(word);
  if (agreed !== null) return agreed.index >= r1 ? word.slice(0, agreed.index + 2) : word;
  const suffix = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (suffix === null || !VOWEL.test(word.slice(0, suffix.index))) return word;
  const stem = word.slice(0, suffix.index);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(stem)) return stem.slice(0, -1);
  return r1 >= stem.length && SHORT_SYLLABLE.test(stem) ? `${stem}e` : stem;
}

/** Step 1c. */
function finalY(word: string): string {
  return /.[^aeiouy][yY]$/.test(word) ? `${word.slice(0, -1)}i` : word;
}

/** A suffix, its replacement, and a condition on the preceding text (or the region that must contain the suffix). */
type Rule = readonly [suffix: string, replacement: string, before?: RegExp | 'r2'];

/** Step 2, the longest suffixes first. */
const DERIVATIONAL: readonly Rule[] = [['ational', 'ate'], ['fulness', 'ful'], ['iveness', 'ive'], ['ization', 'ize'], [
  'ousness',
  'ous',
], ['biliti', 'ble'], ['lessli', 'less'], ['tional', 'tion'], ['alism', 'al'], ['aliti', 'al'], ['ation', 'ate'], [
  'entli',
  'ent',
], ['fulli', 'ful'], ['iviti', 'ive'], ['ousli', 'ous'], ['abli', 'able'], ['alli', 'al'], ['anci', 'ance'], ['ator',
  'ate'], ['enci', 'ence'], ['izer', 'ize'], ['bli', 'ble'], ['ogi', 'og', /l$/], ['li', '', /[cdeghkmnrt]$/]];

/** Step 3, the longest suffixes first. */
const FURTHER: readonly Rule[] = [['ational', 'ate'], ['tional', 'tion'], ['alize', 'al'], ['icate', 'ic'], ['iciti',
  'ic'], ['ative', '', 'r2'], ['ical', 'ic'], ['ness', ''], ['ful', '']];

/** Applies the rule of the longest matching suffix, if the suffix is in R1 and its condition holds. */
function replaceLongest(word: string, rules: readonly Rule[], r1: number, r2: number): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const [suffix, replacement, before] = rule;
  const at = word.length - suffix.length;
  const stem = word.slice(0, at);
  const holds = before === undefined || (before === 'r2' ? at >= r2 : before.test(stem));
  return at >= r1 && holds ? stem + replacement : word;
}

const RESIDUAL = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|ion|al|er|ic)$/;

/** Step 4. */
function residualSuffix(word: string, r2: number): string {
  const at = RESIDUAL.exec(word)?.index ?? -1;
  if (at < r2 || at < 0) return word;
  if (word.endsWith('ion') && !/[st]$/.test(word.slice(0, at))) return word;
  return word.slice(0, at);
}

/** Step 5. */
function finalLetter(word: string, r1: number, r2: number): string {
  const at = word.length - 1;
  const stem = word.slice(0, at);
  if (word.endsWith('e') && (at >= r2 || (at >= r1 && !SHORT_SYLLABLE.test(stem)))) return stem;
  if (word.endsWith('ll') && at >= r2) return stem;
  return word;
}
