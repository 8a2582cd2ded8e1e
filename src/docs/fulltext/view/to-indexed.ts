import { headingsOf } from '../../../text/headings.ts';
import type { Meta } from '../../documents/index.ts';
import { classOfDocument, CODE_CLASS } from './document-classes.ts';
import { CONTENT, type Field, FIELDS, type IndexedDocument, type TermAnalyzer } from './text-index.ts';

/** The columns of a row of `documents` that the index needs. */
export interface DocumentText {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
  readonly meta: Meta;
  readonly contentMd: string;
}

/** The field of metadata keys for which no number is left. */
export const OTHER = FIELDS.length - 1;
/** The fields of a document's title, and of its name in its key. */
export const TITLE = FIELDS.indexOf('meta.title');
export const KEY = FIELDS.indexOf('key');
const HEADINGS = FIELDS.indexOf('headings');
const META = 'meta.';
const FIELD_OF_KEY: ReadonlyMap<string, number> = new Map(
  FIELDS.flatMap((name, field) => (name.startsWith(META) ? [[name.slice(META.length), field] as const] : [])),
);

/**
 * A document in the fields of the index: its body and what is derived from it, the four keys that have a number, and
 * all others by name.
 */
export function toIndexed(document: DocumentText, analyzer: TermAnalyzer): IndexedDocument {
  const documentClass = classOfDocument(document);
  const fields: (readonly string[])[] = FIELDS.map(() => []);
  fields[CONTENT] = [document.contentMd];
  // Source code is found only by its own tokens.
  const headings = documentClass === CODE_CLASS ? [] : headingsOf(document.contentMd);
  if (documentClass !== CODE_CLASS) {
    // A single text, because no phrase is searched for in it: gaps between values would need as much memory as the
    // words.
    fields[HEADINGS] = headings.length > 0 ? [headings.join('\n')] : [];
    fields[KEY] = [lastSegment(document.key)];
  }
  const named = new Map<string, readonly string[]>();
  for (const [key, values] of Object.entries(document.meta)) {
    const field = FIELD_OF_KEY.get(key);
    if (field === undefined) named.set(key, values);
    else fields[field] = values;
  }
  if (isUntitled(fields[TITLE]!)) fields[TITLE] = headings.slice(0, 1);
  return { ord: document.ord, documentClass, analyzer, fields, named };
}

/** Whether the title of a document is its first heading. */
export function isUntitled(titles: readonly string[]): boolean {
  return titles.every((title) => title.trim() === '');
}

/** Names of index pages of folders, which do not describe them. */
const INDEX = /^(?:index|readme|_index)(?:\.\w+)?$/i;
const PROSE_FILE = /\.(?:md|mdx|markdown|html?|txt|rst)$/i;

/**
 * The name of a document in its key: the last segment without the extension of a text file, or the segment before an
 * `index`.
 */
function lastSegment(key: string): string {
  const segments = key.split('/').filter((segment) => segment !== '');
  const last = segments.at(-1) ?? '';
  return INDEX.test(last) && segments.length > 1 ? segments.at(-2)! : last.replace(PROSE_FILE, '');
}

/**
 * A field by the name that requests use; `title` and `meta.title` are the same. `key` and `headings` are not the
 * metadata keys of these names.
 */
export function fieldByName(name: string): Field {
  if (name === FIELDS[CONTENT] || name === FIELDS[HEADINGS] || name === FIELDS[KEY]) return FIELDS.indexOf(name);
  const key = name.startsWith(META) ? name.slice(META.length) : name;
  return FIELD_OF_KEY.get(key) ?? key;
}

/** The name of a metadata key's field. */
export function nameOfKey(key: string): string {
  return `meta.${key}`;
}

/** The name of a field; all metadata without a field of their own are `meta`. */
export function nameOfField(field: Field): string {
  if (typeof field === 'string') return nameOfKey(field);
  return field === OTHER ? 'meta' : FIELDS[field]!;
}
