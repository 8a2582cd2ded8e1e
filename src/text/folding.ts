import { simplified } from './simplified.ts';

/** Accents of Latin, Greek and Cyrillic, harakat and niqqud; never the vowel signs of Indic scripts or kana voicing. */
const ACCENT = /[[[\p{sc=Inherited}\p{sc=Hebrew}]&&\p{Mn}]--[\u3099\u309a]]/gv;

// й, ї and ў are separate letters, so their marks are kept; ё is commonly written е, so it folds.
const OWN_LETTER = /([иу]\u0306|і\u0308)|(?:[[[\p{sc=Inherited}\p{sc=Hebrew}]&&\p{Mn}]--[\u3099\u309a]])/gv;

/**
 * Letters whose stroke, dot or shape Unicode does not decompose, and Arabic letters that writers use interchangeably.
 */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([['ł', 'l'], ['ø', 'o'], ['đ', 'd'], ['ð', 'd'], ['ħ', 'h'], [
  'ŧ',
  't',
], ['ı', 'i'], ['æ', 'ae'], ['œ', 'oe'], ['þ', 'th'], ['ٱ', 'ا'], ['ى', 'ي'], ['ی', 'ي'], ['ک', 'ك'], ['ة', 'ه'], ['ـ',
  '']]);
const REPLACED = new RegExp(`[${[...REPLACEMENTS.keys()].join('')}]`, 'gu');
const ASCII = /^[\0-\x7f]*$/;
const DEVANAGARI = /\p{sc=Devanagari}/u;
/** A nasal consonant without a vowel before a consonant of its class. */
const NASAL = /ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])/g;
const HAN = /\p{sc=Han}/u;

/**
 * A form or stem without its diacritics, in NFC, and with simplified Chinese characters: `naïve` and `naive`, `łódź`
 * and `lodz`, `ёлка` and `елка`, `數據庫` and `数据库` are one term. It is applied after stemming, because stemmers need
 * the accents of their language. The result is empty only if the input is empty or consists only of accents.
 */
export function foldDiacritics(form: string): string {
  if (ASCII.test(form)) return form;
  const decomposed = withAnusvara(form.normalize('NFD'));
  const bare = /[\u0400-\u04ff]/.test(decomposed)
    ? decomposed.replace(OWN_LETTER, (_, letter: string | undefined) => letter ?? '')
    : decomposed.replace(ACCENT, '');
  const folded = bare.normalize('NFC').replace(REPLACED, (letter) => REPLACEMENTS.get(letter)!);
  return HAN.test(folded) ? simplified(folded) : folded;
}

/**
 * Nasals of Hindi and its neighbours are written as letters or as a dot, and the nukta of foreign sounds is often left
 * out: `हिन्दी` is `हिंदी`, `क़ानून` is `कानून`.
 */
function withAnusvara(decomposed: string): string {
  if (!DEVANAGARI.test(decomposed)) return decomposed;
  return decomposed.replaceAll('\u093c', '').replaceAll('\u0901', '\u0902').replace(NASAL, '\u0902');
}
