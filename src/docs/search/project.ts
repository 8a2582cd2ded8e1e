import type { Document, ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';

/** Which parts of each document a request wants. */
export interface Projection {
  /** Undefined keeps every field. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly body: boolean;
}

const DOCUMENT_FIELDS = new Set(['id', 'key', 'lang', 'meta', 'contentMd', 'addedAt', 'updatedAt', 'expiresAt']);

/** Without `fields` the body is included unless refused; with `fields` it is included only if requested. */
export function projectionOf(fields: readonly string[] | undefined, includeContent: boolean | undefined): Projection {
  if (fields === undefined) return { fields: undefined, body: includeContent ?? true };
  return {
    fields: new Set(fields),
    body: includeContent === true || (includeContent === undefined && fields.includes('contentMd')),
  };
}

/** Whether any of the metadata are kept. */
export function keepsMeta({ fields }: Projection): boolean {
  return fields === undefined || fields.has('meta') || [...fields].some((name) => !DOCUMENT_FIELDS.has(name));
}

/**
 * The parts of a document that are kept: `id`, `key` and `lang` always, and of the rest what `fields` names. A name
 * that is no field of a document is a metadata key; a document without that key then has metadata without it.
 */
export function projectDocument(document: Document, { fields, body }: Projection): ProjectedDocument {
  const { id, key, lang, contentMd, meta, addedAt, updatedAt, expiresAt } = document;
  const kept: ProjectedDocument = { id, key, lang };
  const shownMeta = fields === undefined || fields.has('meta') ? meta : someMeta(meta, fields);
  if (shownMeta !== undefined) kept.meta = shownMeta;
  if (body) kept.contentMd = contentMd;
  if (fields === undefined || fields.has('addedAt')) kept.addedAt = addedAt;
  if (fields === undefined || fields.has('updatedAt')) kept.updatedAt = updatedAt;
  if (expiresAt !== undefined && (fields === undefined || fields.has('expiresAt'))) kept.expiresAt = expiresAt;
  return kept;
}

/** Undefined when `fields` names no metadata key. */
function someMeta(meta: Document['meta'], fields: ReadonlySet<string>): Document['meta'] | undefined {
  const names = [...fields].filter((name) => !DOCUMENT_FIELDS.has(name));
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.filter((name) => Object.hasOwn(meta, name)).map((name) => [name, meta[name]!]));
}

/** The columns of a row that a document shows. */
export interface DocumentColumns {
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  readonly added_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
}

export function documentOf(row: DocumentColumns, meta: Document['meta'], contentMd: string): Document {
  const document: Document = {
    id: row.id,
    key: row.key,
    lang: row.lang,
    meta,
    contentMd,
    addedAt: row.added_at,
    updatedAt: row.updated_at,
  };
  if (row.expires_at !== null) document.expiresAt = row.expires_at;
  return document;
}

/** The metadata of a row that has them. */
export function metaOf({ meta }: { readonly meta: string | null }): Record<string, string[]> {
  return meta === '{}' ? {} : JSON.parse(meta!) as Record<string, string[]>;
}
