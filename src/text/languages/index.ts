import { CATALOGUE, languageOf } from './catalogue.ts';

export { analyzerFor, stemmingAvailable } from './analyzer.ts';
export { beginsNoWord, isParticleAt, japaneseVariants } from './japanese.ts';
export { defaultStopWords } from './stop-words.ts';

/** The languages of `/v1/fts-languages`. */
export const LANGUAGES: readonly { readonly code: string; readonly name: string }[] = CATALOGUE.map((
  { code, name },
) => ({ code, name }));

/** The two written standards of Norwegian, which are more common in tags than the language itself. */
const ALIASES: ReadonlyMap<string, string> = new Map([['nb', 'no'], ['nn', 'no']]);

/**
 * The language code of a tag: `en_US`, `en-gb` and `EN` mean `en`; for a missing or unknown tag, the fallback is
 * returned unchanged.
 */
export function resolveLanguage(lang: string | undefined, fallback: string): string {
  const primary = lang?.trim().toLowerCase().split(/[-_]/, 1)[0] ?? '';
  const code = ALIASES.get(primary) ?? primary;
  return languageOf(code) === undefined ? fallback : code;
}
