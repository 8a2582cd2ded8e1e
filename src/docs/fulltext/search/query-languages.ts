import { resolveLanguage } from '../../../text/languages/index.ts';
import { CODE_CLASS, languageOfClass, PROSE_CLASSES } from '../view/document-classes.ts';
import type { ReadableText } from '../view/text-index.ts';
import type { RequestContext } from './request.ts';

/** A language that a query is read in, for prose of some classes. */
export interface QueryLanguage {
  /** Code of a language (see `resolveLanguage`). */
  readonly lang: string;
  readonly stopWords: ReadonlySet<string>;
  /** Bits of the classes (see `document-classes.ts`); no two languages share one. */
  readonly classes: number;
}

/**
 * The languages that a query is read in: the one that it names, for all documents; otherwise those of the collection's
 * documents, each for its own documents, ordered by number of documents, descending. Collections without prose use the
 * server's language. Throws `index_loading`.
 */
export function languagesOfQuery(
  { settings: { defaultLang }, dictionaries, view }: Pick<RequestContext, 'settings' | 'dictionaries' | 'view'>,
  collection: string,
  asked?: string,
): readonly [QueryLanguage, ...QueryLanguage[]] {
  const toLanguage = (lang: string, classes: number): QueryLanguage => ({
    lang,
    classes,
    stopWords: dictionaries.stopWordsOf(collection, lang),
  });
  if (asked !== undefined) return [toLanguage(resolveLanguage(asked, defaultLang), PROSE_CLASSES)];
  const index = view.indexOf(collection);
  const found = index === undefined ? [] : contentsOf(index).prose;
  const [main, ...others] = found.map(([lang, { classes }]) => toLanguage(lang, classes));
  // Documents of a language that is added during the query are searched as in the most frequent language.
  const rest = others.reduce((classes, other) => classes & ~other.classes, PROSE_CLASSES);
  return [main === undefined ? toLanguage(defaultLang, PROSE_CLASSES) : { ...main, classes: rest }, ...others];
}

type Prose = readonly (readonly [lang: string, { readonly documents: number; readonly classes: number }])[];

/** What the documents of an index are. */
interface Contents {
  readonly revision: number;
  /** The languages of the prose, that of most documents first. */
  readonly prose: Prose;
  readonly hasCode: boolean;
}

/** By index, because each search needs them. */
const known = new WeakMap<ReadableText, Contents>();

function contentsOf(index: ReadableText): Contents {
  const former = known.get(index);
  if (former?.revision === index.revision) return former;
  const documents = index.documentsByClass();
  const prose = [...proseOf(documents)].sort(([, a], [, b]) => b.documents - a.documents);
  const contents = { revision: index.revision, prose, hasCode: documents[CODE_CLASS] !== 0 };
  known.set(index, contents);
  return contents;
}

/** Whether a collection has documents of source code. Throws `index_loading`. */
export function hasCode({ view }: Pick<RequestContext, 'view'>, collection: string): boolean {
  const index = view.indexOf(collection);
  return index !== undefined && contentsOf(index).hasCode;
}

function proseOf(documentsByClass: readonly number[]): Map<string, { documents: number; classes: number }> {
  const prose = new Map<string, { documents: number; classes: number }>();
  for (const [number, documents] of documentsByClass.entries()) {
    if (documents === 0 || number === CODE_CLASS) continue;
    const lang = languageOfClass(number);
    const known = prose.get(lang) ?? { documents: 0, classes: 0 };
    prose.set(lang, { documents: known.documents + documents, classes: known.classes | (1 << number) });
  }
  return prose;
}
