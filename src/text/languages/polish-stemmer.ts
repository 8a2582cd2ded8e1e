/**
 * A light stemmer for Polish: it removes inflections and keeps derivations. It follows Snowball's Polish stemmer (D.
 * Shachnev, snowballstem.org/algorithms/polish): conditional, then the longest ending of a verb, adjective or noun in
 * R1, then the final consonant. The tables are our own, and there are three additions: superlatives lose their `naj-`,
 * fleeting vowels (`książek`, `książka`) are removed, and letters that look like an ending are removed from all forms
 * of a word (`system`, `systemu`).
 *
 * Expects a word of lower-case letters in NFC; returns a non-empty stem. `polish-stemmer.test.ts` measures it on
 * paradigms.
 */
export function stemPolish(word: string): string {
  const base = withoutConditional(withoutSuperlative(word));
  const first = withoutEnding(base, ANY_ENDING);
  return finalConsonant(fleetingVowel(withoutEnding(first, CLOSED_ENDING)));
}

const VOWEL = 'aąeęioóuy';

/**
 * Minimum number of letters in the stem of a word that ends in a consonant; other stems may be shorter: `ewa` may
 * become `ew`.
 */
const LEAST_BEFORE_CLOSED = 3;

/** Endings with an optional `i` before them, which is a sign of softness: `-ami`, `-iami`. */
const NOUN = 'i?(?:ami|ach|om|ów|em|ą|ę|a|e|u|o)|owie|owi|ii|i|y';
const ADJECTIVE = 'i?(?:ego|emu|ej)|[iy]ch|[iy]mi?';
/** The part before the ending of an adjective in participles and comparatives. */
const PARTICIPLE = `(?:[aeu]j|i)?ąc(?:${ADJECTIVE}|[yaąei])?|(?:i?ej)?sz(?:${ADJECTIVE}|[yaąei])`;
/** `ie`, `ia`, `iu` ... of nouns derived from verbs: `czytanie`, `czytania`; their genitive plural is `czytań`. */
const GERUND_CASE = 'i(?:ami|ach|om|em|e|a|u)';
const GERUND = `(?:owa|i?a|i?e)(?:n${GERUND_CASE}|ń)|[iy]c${GERUND_CASE}`;
const INFINITIVE = '(?:owa|[iy]wa|i?a|i?e|i|y|ną)ć';
const PRESENT = '(?:uj|aj|ej)(?:ę|esz|e|emy|ecie|ą|cie|my)?|i?(?:am|asz|amy|acie|esz|emy|ecie)|[iy](?:sz|my|cie)';
const PAST = '(?:owa|[iy]wa|i?a|i?e|i|y|ną|nę)(?:ł(?:e[mś]|a[mś]|yśmy|yście|a|o|y)?|li(?:śmy|ście)?)';
/** After these letters `-um` is the ending of a Latin noun: `muzeum`, `muzea`. */
const LATIN_NOUN = '(?<=[eijr])um';

/** Regular expressions find the leftmost match, so the longest ending. */
const ANY_ENDING = new RegExp(
  `(?:${[NOUN, ADJECTIVE, PARTICIPLE, GERUND, INFINITIVE, PRESENT, PAST, LATIN_NOUN].join('|')})$`,
);
/** Endings in a consonant. Many stems end like this, too, and so do nouns without an ending. */
const CLOSED_ENDING = /(?:i?(?:ach|am|ej|em|om|ów|ow|aj|asz|esz)|[iy](?:ch|m|sz)|i?[aeiy]ł|ań|eń|uj)$/;

function withoutSuperlative(word: string): string {
  return /^naj.{3,}sz(?:y|a|ą|e|i|ego|emu|ej|ych|ym|ymi)$|^naj.{3,}iej$/.test(word) ? word.slice(3) : word;
}

/** `czytałbym` becomes `czytał`. */
function withoutConditional(word: string): string {
  return word.replace(/(?<=[aeiyąę](?:ł[aoy]?|li))by(?:m|ś|śmy|ście)?$/, '');
}

function withoutEnding(word: string, endings: RegExp): string {
  const from = firstRegion(word);
  const region = word.slice(from);
  const at = from + (endings.exec(region)?.index ?? region.length);
  const isClosed = at < word.length && !VOWEL.includes(word.at(-1)!);
  if (!isClosed || at >= LEAST_BEFORE_CLOSED) return word.slice(0, at);
  return word;
}

/** Offset of R1, the region after the first consonant that follows a vowel. */
function firstRegion(word: string): number {
  const match = FIRST_SYLLABLE.exec(word);
  return match === null ? word.length : match.index + match[0].length;
}

const FIRST_SYLLABLE = new RegExp(`[${VOWEL}][^${VOWEL}]`);

/** An `e` that occurs only in forms without an ending: `książek`, `chłopiec`. */
function fleetingVowel(stem: string): string {
  return stem.replace(/(?<=..[^aąeęioóuy])ek$/, 'k').replace(/(?<=...)iec$/, 'c');
}

/** Consonants that alternate: `ręka`, `ręce`; `noga`, `nodze`; `aktor`, `aktorzy`; `miłość`, `miłości`. */
function finalConsonant(stem: string): string {
  const hard = stem.replace(/ć$/, 'c').replace(/ń$/, 'n').replace(/ś$/, 's').replace(/ź$/, 'z');
  return hard.replace(/(?<=...)dz$/, 'g').replace(/(?<=...)rz$/, 'r').replace(/(?<=[lnńrw]s|.[^sś])c$/, 'k');
}
