import type { Document, ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';

/** Which parts of each document a request wants. */
export interface Projection {
  /** Undefined keeps every field. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly body: boolean;
}

const DOCUMENT_FIELDS = new Set(['id', 'key', 'lang', 'meta', 'contentMd', 'addedAt', 'updatedAt', 'expiresAt']);

/**
 * Without `fields` the body is included unless refused; with `fields` it is included only if requested (decision D-40).
 */
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
 * The parts of a document that are kept (decision D-40): `id`, `key` and `lang` always, and of the rest what `fields`
 * names. A name that is no field of a document is a metadata key; a document without that key then has metadata without
 * it.
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
