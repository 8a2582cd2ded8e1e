/**
 * Kana that stand at the same place of a word in its other inflections, in groups: the rows of the godan verbs with the
 * sounds before `-た` and `-て`, the endings of adjectives, and those of ichidan verbs behind a single kanji (`見る`).
 */
const INFLECTIONS = ['かきくけこいっ', 'がぎぐげごい', 'さしすせそ', 'たちつてとっ', 'なにぬねのん', 'ばびぶべぼん',
  'まみむめもん', 'らりるれろっ', 'わいうえおっ', 'いくかけさ', 'るたてなまられろよさ'];

/** The kanji of a verb or adjective, and the kana behind them. */
const INFLECTED = /^(.*[\p{sc=Han}々])(\p{sc=Hiragana})\p{sc=Hiragana}*$/u;
/** A kanji with one of these is not inflected. */
const PARTICLES = 'はがをにでとのもへや';
/** A loan word of three sounds or more may be written without the mark of its long last vowel: `サーバー`, `サーバ`. */
const LONG_AT_THE_END = /^([\p{sc=Katakana}ー]{3,})ー$/u;

/** A beginning that other spellings and inflections of a Japanese word have, or the whole of one. */
export interface Variant {
  readonly text: string;
  /** Whether the word ends with it. */
  readonly whole: boolean;
}

/**
 * Other spellings of a Japanese word: `呼び出す` also begins `呼び出さ`, `呼び出し`; `サーバー` is also `サーバ`. A spelling that
 * begins with the word itself is not among them (`サーバ` is a part of `サーバー`).
 */
export function japaneseVariants(word: string): readonly Variant[] {
  const [, short] = LONG_AT_THE_END.exec(word) ?? [];
  if (short !== undefined) return [{ text: short, whole: true }];
  const [, kanji = '', kana = ''] = INFLECTED.exec(word) ?? [];
  if (kana === '' || (PARTICLES.includes(kana) && word.endsWith(kanji + kana))) return [];
  const others = new Set(INFLECTIONS.filter((group) => group.includes(kana)).join(''));
  return [...others].map((other) => ({ text: kanji + other, whole: false })).filter(({ text }) => text !== word);
}

/**
 * Whether a letter among letters that are not known to be a word is a particle: `型の安全`, `見に行く`. In the middle of a
 * word, other hiragana follow (`落とし`). Undefined is what is no single letter.
 */
export function isParticleAt(letters: readonly (string | undefined)[], place: number): boolean {
  const [letter, next] = [letters[place], letters[place + 1]];
  if (letter === undefined || !PARTICLES.includes(letter)) return false;
  return next === undefined || !HIRAGANA.test(next) || isParticleAt(letters, place + 1);
}

const HIRAGANA = /^\p{sc=Hiragana}/u;

/** Whether a form is a single sign that repeats, lengthens or changes the letter before it. */
export function beginsNoWord(form: string): boolean {
  return /^[ーゝゞヽヾ々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]$/u.test(form);
}
