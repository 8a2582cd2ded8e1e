import { isCodeDocument } from '../../../text/code/index.ts';
import type { Meta } from '../../documents/index.ts';
import { FIELD_COUNT, FIELDS, type IndexedDocument, type TermAnalyzer } from './text-index.ts';

/** What the index must know of a row of `documents`. */
export interface DocumentText {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
  readonly meta: Meta;
  readonly contentMd: string;
}

const CONTENT = 0;
const OTHER = FIELD_COUNT - 1;
const FIELD_OF: ReadonlyMap<string, number> = new Map(FIELDS.map((name, field) => [name.replace(/^meta\./, ''), field] as const).slice(CONTENT + 1, OTHER));

/** A document in the fields of the index: its body, the four keys that have a field of their own, and all other values. */
export function toIndexed(document: DocumentText, analyzer: TermAnalyzer): IndexedDocument {
  const fields: string[][] = FIELDS.map(() => []);
  fields[CONTENT]!.push(document.contentMd);
  for (const [key, values] of Object.entries(document.meta)) fields[FIELD_OF.get(key) ?? OTHER]!.push(...values);
  return { ord: document.ord, code: isCodeDocument(document), analyzer, fields };
}

/** The number of a field by the name that requests use (`title` and `meta.title` are one); undefined without a field of its own. */
export function fieldByName(name: string): number | undefined {
  return name === FIELDS[CONTENT] ? CONTENT : FIELD_OF.get(name.replace(/^meta\./, ''));
}
