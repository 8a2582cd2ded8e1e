import type { Document, ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';

/** Which parts of each document a request wants. */
export interface Projection {
  /** Undefined keeps every field. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly body: boolean;
}

const DOCUMENT_FIELDS = new Set(['id', 'key', 'lang', 'meta', 'contentMd', 'addedAt', 'updatedAt', 'expiresAt']);

/** Without `fields` the body is included unless refused; with `fields` it is included only if requested (decision D-40). */
export function projectionOf(fields: readonly string[] | undefined, includeContent: boolean | undefined): Projection {
  if (fields === undefined) return { fields: undefined, body: includeContent ?? true };
  return { fields: new Set(fields), body: includeContent === true || (includeContent === undefined && fields.includes('contentMd')) };
}

/** Whether any of the metadata are kept. */
export function keepsMeta({ fields }: Projection): boolean {
  return fields === undefined || fields.has('meta') || [...fields].some((name) => !DOCUMENT_FIELDS.has(name));
}

/**
 * The parts of a document that are kept (decision D-40): `id`, `key` and `lang` always, and of the rest what `fields` names. A name that is
 * no field of a document is a metadata key; a document without that key then has metadata without it.
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

/** Number of bytes of a text that count as one token (contract section 2, `retrieval`). */
const BYTES_PER_TOKEN = 4;

/**
 * How many results of a list fit a budget of tokens: trailing results are dropped whole, and the first is always kept. `bytes` are the
 * lengths of the texts that the results contain; a budget of 0 means no limit.
 */
export function countWithinBudget(bytes: readonly number[], budget: number): number {
  if (budget === 0) return bytes.length;
  let tokens = 0;
  for (const [i, length] of bytes.entries()) {
    tokens += Math.ceil(length / BYTES_PER_TOKEN);
    if (tokens > budget && i > 0) return i;
  }
  return bytes.length;
}

/** The texts that a result contains; it may have any of them. */
export interface CarriedText {
  /** Bytes of the body. */
  readonly body?: number | undefined;
  /** Bytes of a passage of the body. */
  readonly passage?: number | undefined;
  readonly fragments?: readonly { readonly fragment: string }[] | undefined;
  readonly meta?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * Bytes of a result that count against a token budget (decisions section 4.3, "Context budget cost"): those of its body, else of its passage,
 * else of its fragments. A result without any of these still costs the bytes of its metadata.
 */
export function contextCost({ body, passage, fragments, meta = {} }: CarriedText): number {
  if (body !== undefined) return body;
  if (passage !== undefined) return passage;
  if (fragments !== undefined && fragments.length > 0) return fragments.reduce((bytes, { fragment }) => bytes + Buffer.byteLength(fragment), 0);
  return Object.entries(meta).reduce((bytes, [key, values]) => values.reduce((sum, value) => sum + Buffer.byteLength(value), bytes + Buffer.byteLength(key)), 0);
}

const VARIABLE = /\{\{\s*([\w.]+)\s*\}\}/g;

/** A collection's `responsePrompt` with its `{{name}}` variables replaced; unknown names are left unchanged (decisions section 2.3). */
export function fillPrompt(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replace(VARIABLE, (variable, name: string) => (Object.hasOwn(values, name) ? values[name]! : variable));
}
