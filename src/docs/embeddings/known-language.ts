import { primaryLanguage } from '../../text/languages/index.ts';

/** Codes that name no language: undetermined, several, none, and one without a code. */
const NO_LANGUAGE: ReadonlySet<string> = new Set(['und', 'mul', 'zxx', 'mis']);

/** Whether a document is in English, by the tag of its language; undefined if that names no language. */
export function isEnglish(lang: string | undefined): boolean | undefined {
  const code = primaryLanguage(lang);
  if (code === 'en') return true;
  return /^[a-z]{2,3}$/.test(code) && !NO_LANGUAGE.has(code) ? false : undefined;
}
