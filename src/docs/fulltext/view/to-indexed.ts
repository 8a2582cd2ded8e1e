import type { Meta } from '../../documents/index.ts';
import { classOfDocument } from './document-classes.ts';
import { CONTENT, type Field, FIELDS, type IndexedDocument, type TermAnalyzer } from './text-index.ts';

/** What the index must know of a row of `documents`. */
export interface DocumentText {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
  readonly meta: Meta;
  readonly contentMd: string;
}

const OTHER = FIELDS.length - 1;
const FIELD_OF: ReadonlyMap<string, number> = new Map(FIELDS.map((name, field) => [name.replace(/^meta\./, ''), field] as const).slice(CONTENT + 1, OTHER));

/** A document in the fields of the index: its body, the four keys that have a number, and all others by name. */
export function toIndexed(document: DocumentText, analyzer: TermAnalyzer): IndexedDocument {
  const fields: (readonly string[])[] = FIELDS.map(() => []);
  fields[CONTENT] = [document.contentMd];
  const named = new Map<string, readonly string[]>();
  for (const [key, values] of Object.entries(document.meta)) {
    const field = FIELD_OF.get(key);
    if (field === undefined) named.set(key, values);
    else fields[field] = values;
  }
  return { ord: document.ord, documentClass: classOfDocument(document), analyzer, fields, named };
}

/** A field by the name that requests use; `title` and `meta.title` are one. */
export function fieldByName(name: string): Field {
  const key = name.replace(/^meta\./, '');
  return name === FIELDS[CONTENT] ? CONTENT : FIELD_OF.get(key) ?? key;
}

/** The name of a metadata key's field. */
export function nameOfKey(key: string): string {
  return `meta.${key}`;
}

/** The name of a field; all metadata without a field of its own is `meta`. */
export function nameOfField(field: Field): string {
  if (typeof field === 'string') return nameOfKey(field);
  return field === OTHER ? 'meta' : FIELDS[field]!;
}
