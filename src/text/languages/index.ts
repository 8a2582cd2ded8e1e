import { CATALOGUE, languageOf } from './catalogue.ts';

export { analyzerFor, stemmingAvailable } from './analyzer.ts';
export { compoundsOf } from './compounds.ts';
export { beginsNoWord, isParticleAt, japaneseVariants } from './japanese.ts';
export { spellingsOf } from './spellings.ts';
export { defaultStopWords } from './stop-words.ts';

/** The languages of `/v1/fts-languages`. */
export const LANGUAGES: readonly { readonly code: string; readonly name: string }[] = CATALOGUE.map((
  { code, name },
) => ({ code, name }));

/** The two written standards of Norwegian, which are more common in tags than the language itself. */
const ALIASES: ReadonlyMap<string, string> = new Map([['nb', 'no'], ['nn', 'no']]);

/** The code of languages that have no stemmer: words are as they are written, and none is a stop word. */
export const NEUTRAL = 'und';

/**
 * The language code of a tag: `en_US`, `en-gb`, `eng` and `EN` mean `en`; `NEUTRAL` for a language outside the
 * catalogue; for a missing tag, the fallback is returned unchanged.
 */
export function resolveLanguage(lang: string | undefined, fallback: string): string {
  const primary = primaryLanguage(lang);
  if (primary === '') return fallback;
  const code = ALIASES.get(primary) ?? primary;
  return languageOf(code) === undefined ? NEUTRAL : code;
}

/** The first subtag of a tag, in its shortest form: `en` for `en_US` and `eng`; empty for a missing tag. */
export function primaryLanguage(lang: string | undefined): string {
  const primary = lang?.trim().toLowerCase().split(/[-_]/, 1)[0] ?? '';
  return primary === '' || languageOf(primary) !== undefined ? primary : canonical(primary);
}

/** The code that replaces a longer or older one of the same language: `de` for `deu`, `id` for `in`. */
function canonical(code: string): string {
  try {
    // It is undefined for `und`, whatever its type says.
    return (new Intl.Locale(code).language as string | undefined) ?? code;
  } catch {
    return code;
  }
}

/**
 * What the tags of a language with subtags begin with, such as those of its regions: `en-` and `en_` for `en`; none for
 * a tag that has subtags itself.
 */
export function subtagsOf(lang: string): readonly string[] {
  return /[-_]/.test(lang) ? [] : [`${lang}-`, `${lang}_`];
}
