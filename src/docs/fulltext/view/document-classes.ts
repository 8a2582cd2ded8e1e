import { isCodeDocument } from '../../../text/code/index.ts';
import { NEUTRAL, resolveLanguage } from '../../../text/languages/index.ts';
import type { Meta } from '../../documents/index.ts';

// The classes of documents in the index. A query is read for each of them: as words of a language, or as source code.

/** The languages by the numbers of their classes. Checkpoints contain these, so add further ones only at the end. */
const LANGUAGES: readonly string[] = ['en', 'pl', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'sv', 'no', 'da', 'fi',
  'hu', 'ro', 'tr', 'ar', 'ta', 'bg', 'uk', 'sr', 'el', 'lt', 'ga', 'hy', 'hi', 'ne', 'id', 'cs'];

/** Prose of a language that is not among them. */
const OTHER_CLASS = 30;
/** Source code (contract section 2, "Code documents"), whatever the language of its comments. */
export const CODE_CLASS = 31;

/** Bit of source code. */
export const CODE_CLASSES = 1 << CODE_CLASS;
/** Bits of all prose. */
export const PROSE_CLASSES = ~CODE_CLASSES;

/** The class of a document. */
export function classOfDocument(
  document: { readonly key: string; readonly lang: string; readonly meta: Meta },
): number {
  if (isCodeDocument(document)) return CODE_CLASS;
  const number = LANGUAGES.indexOf(resolveLanguage(document.lang, ''));
  return number < 0 ? OTHER_CLASS : number;
}

/** The language of a class of prose. */
export function languageOfClass(documentClass: number): string {
  return LANGUAGES[documentClass] ?? NEUTRAL;
}

/** Whether a class is among those of some bits; `undefined` is the class of a document that does not exist. */
export function isAmong(documentClass: number | undefined, classes: number): boolean {
  return documentClass !== undefined && ((classes >>> documentClass) & 1) !== 0;
}
