// How texts are prepared for the tokeniser of pieces, and what their characters are to it (models/README.md).

/** Soft hyphens, characters of no width, Arabic vowel signs and tatweel, and variation selectors. */
const LEFT_OUT = /[\u00ad\u200b-\u200f\u2060\ufeff\u0640]|[\u064b-\u0652]|\u0670|[\ufe0e\ufe0f]/g;
/** Scripts without spaces: Han, kana, Thai, Lao, Khmer, Burmese. */
const UNSPACED =
  /[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;

/** A text as the tokeniser of pieces reads it. */
export function normalizePieces(text: string): string {
  return text.normalize('NFKC').replace(LEFT_OUT, '').toLowerCase().replaceAll('i\u0307', 'i');
}

/** The class of a character: 0 space, 1 a word by itself, 2 of a script with spaces, 3 of one without. */
export function pieceClass(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (/\s/.test(character)) return 0;
  if (UNSPACED.test(character)) return 3;
  return LETTER.test(character) ? 2 : 1;
}

const PAGE = 256;

/** The classes of 256 characters, in the kernel's format. */
export function classPage(page: number): Uint8Array {
  return Uint8Array.from({ length: PAGE }, (_, i) => pieceClass(page * PAGE + i));
}
