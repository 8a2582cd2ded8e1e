import type { Document, ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { Pace } from '../../lib/pace.ts';
import { type AnswerBounds, type AnswerBudget, type Truncation, truncationOf } from '../../operations/index.ts';
import type { Mark } from '../../search/order/index.ts';
import type { BodyCodec, Queries } from '../../storage/index.ts';
import type { VectorFields } from '../collections/index.ts';
import { shownBytes, shownVectors } from '../stored-vectors.ts';
import { cursorBehind, type ResultOrder } from './order.ts';
import { readContent, type ResultRow } from './read-rows.ts';

/** Which parts of each document a request wants. */
export interface Projection {
  /** Undefined keeps every field. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly body: boolean;
  /** The declared fields whose supplied vectors are shown; undefined for none. */
  readonly vectors?: VectorFields | undefined;
}

const DOCUMENT_FIELDS = new Set(['id', 'key', 'lang', 'meta', 'contentMd', 'addedAt', 'updatedAt', 'expiresAt']);

/** Without `fields` the body is included unless refused; with `fields` it is included only if requested. */
export function projectionOf(fields: readonly string[] | undefined, includeContent: boolean | undefined,
  vectors?: VectorFields): Projection
{
  if (fields === undefined) return { fields: undefined, body: includeContent ?? true, vectors };
  return {
    fields: new Set(fields),
    body: includeContent === true || (includeContent === undefined && fields.includes('contentMd')),
    vectors,
  };
}

/** Whose supplied vectors a request wants to see: those of the declared fields, or none. */
export function wantedVectors({ includeVectors = false }: { readonly includeVectors?: boolean | undefined },
  declared: VectorFields = {}): VectorFields | undefined
{
  return includeVectors ? declared : undefined;
}

/** Adds the supplied vectors that a projection keeps to a document, and returns their bytes in the answer. */
export async function addVectors(queries: Queries, document: ProjectedDocument, ord: number,
  { vectors: declared }: Projection): Promise<number>
{
  if (declared === undefined) return 0;
  const row = await queries.get<{ vectors: Uint8Array | null }>('SELECT vectors FROM documents WHERE ord = ?', [ord]);
  const vectors = shownVectors(row?.vectors ?? null, declared);
  if (vectors === undefined) return 0;
  document.vectors = vectors;
  return shownBytes(row!.vectors);
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

/** A result as it is returned. */
export interface Shown<R> {
  readonly result: R;
  /** Bytes that count against the budget of tokens. */
  readonly cost: number;
  /** Bytes of its texts in the answer. */
  readonly size: number;
}

/** The texts that a result contains, in bytes except the metadata; it may have any of them. */
export interface ShownTexts {
  readonly body?: number | undefined;
  readonly passage?: number | undefined;
  readonly highlights?: readonly { readonly fragment: string }[] | undefined;
  readonly vectors?: number | undefined;
  readonly meta?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Maximum bytes of the names and numbers around the text of a passage. */
const PASSAGE_FIELDS = 200;

/**
 * A result with its bytes. Those of its body count against a budget of tokens, else those of its passage, else of its
 * fragments; a result without any of these still costs the bytes of its metadata (decisions section 4.3, "Context
 * budget cost").
 */
export function shown<R>(result: R, { body, passage, highlights = [], vectors = 0, meta }: ShownTexts): Shown<R> {
  const fragments = highlights.reduce((sum, { fragment }) => sum + Buffer.byteLength(fragment), 0);
  const metaBytes = bytesOfMeta(meta);
  const passageBytes = passage === undefined ? 0 : PASSAGE_FIELDS + passage;
  return {
    result,
    cost: body ?? passage ?? (fragments || metaBytes),
    size: (body ?? 0) + passageBytes + fragments + vectors + metaBytes,
  };
}

/** What a projection keeps of a document whose body has so many bytes. */
export function shownDocument(document: Document, projection: Projection, bytes: number): Shown<ProjectedDocument> {
  const kept = projectDocument(document, projection);
  return shown(kept, { body: projection.body ? bytes : undefined, meta: kept.meta });
}

export function bytesOfMeta(meta: ShownTexts['meta']): number {
  let bytes = 0;
  for (const key in meta) {
    bytes += Buffer.byteLength(key);
    for (const value of meta[key]!) bytes += Buffer.byteLength(value);
  }
  return bytes;
}

/** How the results of a search are shown. */
export interface Presentation<F, R> {
  /** Undefined for a document that was deleted. */
  readonly rowOf: (found: F) => ResultRow | undefined;
  /** Whether results need their bodies, even if only for passages. */
  readonly withBodies: boolean;
  /** The result in its place, from 0; undefined if it is left out. Its row has its content. */
  readonly show: (found: F, row: ResultRow, place: number) => Promise<Shown<R> | undefined> | Shown<R> | undefined;
}

/** The results that fit an answer. */
export interface Presented<R> {
  readonly shown: readonly Shown<R>[];
  /** The position of each among those that were found. */
  readonly at: readonly number[];
  /** Position of the first one that did not fit. */
  readonly next: number;
}

/** Results as they are returned, as many as the answer may hold. */
export async function presentEach<F, R>({ sql, codec }: { readonly sql: Queries; readonly codec: BodyCodec },
  found: readonly F[], { rowOf, withBodies, show }: Presentation<F, R>,
  { signal, budget }: AnswerBounds): Promise<Presented<R>>
{
  const pace = new Pace();
  const all: Shown<R>[] = [];
  const at: number[] = [];
  // Several results may be passages of one document.
  await codec.fetchAhead([...new Set(found.map((one) => rowOf(one)?.body ?? null))]);
  for (const [i, one] of found.entries()) {
    signal.throwIfAborted();
    const row = rowOf(one);
    if (row === undefined) continue;
    // Its content exceeds what the answer may read. Only the first result is read whatever its size.
    if (row.meta === null && all.length > 0) budget.end();
    if (budget.isSpent) return { shown: all, at, next: i };
    if (row.meta === null && !(await readContent(sql, row, withBodies))) continue;
    const result = await show(one, row, all.length);
    if (result === undefined) continue;
    if (!budget.take(result.size)) return { shown: all, at, next: i };
    all.push(result);
    at.push(i);
    if (pace.isDue) await pace.rest();
  }
  return { shown: all, at, next: found.length };
}

/** Where a page starts, and how long it may be. */
export interface PageRequest {
  /** Number of results that were skipped. */
  readonly offset: number;
  /** Tokens; 0 for no budget. */
  readonly tokens: number;
  /** Its cursor, if the page is one of those by cursor. */
  readonly order: Pick<ResultOrder, 'cursor'> | undefined;
}

export interface PageEnd<R> {
  readonly results: R[];
  /** The fields that say why and where the page ends. */
  readonly end: Truncation & { readonly contextTruncated?: true; readonly nextCursor?: string };
}

/** The page within its budget of tokens. `markOf` returns where the page behind a result starts. */
export function endPage<R>({ shown: all, at, next }: Presented<R>, { offset, tokens, order }: PageRequest,
  budget: AnswerBudget, markOf: (at: number) => Mark | undefined): PageEnd<R>
{
  const fitting = countWithinBudget(all, tokens);
  const contextTruncated = fitting < all.length;
  // A document that was deleted meanwhile is no result, but the page includes its place.
  const last = contextTruncated ? at[fitting - 1]! : next - 1;
  const nextCursor = order?.cursor && cursorBehind(order, markOf(last));
  return {
    results: all.slice(0, fitting).map(({ result }) => result),
    end: {
      ...(contextTruncated && { contextTruncated }),
      ...(order?.cursor === undefined && truncationOf(budget.isSpent && !contextTruncated, offset + next)),
      ...(nextCursor !== undefined && { nextCursor }),
    },
  };
}

/** Number of bytes of a text that count as one token (contract section 2, `retrieval`). */
const BYTES_PER_TOKEN = 4;

/**
 * How many results of a list fit a budget of tokens: trailing results are dropped whole, and the first is always kept.
 * A budget of 0 means no limit.
 */
export function countWithinBudget(results: readonly { readonly cost: number }[], budget: number): number {
  if (budget === 0) return results.length;
  let tokens = 0;
  for (const [i, { cost }] of results.entries()) {
    tokens += Math.ceil(cost / BYTES_PER_TOKEN);
    if (tokens > budget && i > 0) return i;
  }
  return results.length;
}

const VARIABLE = /\{\{\s*([\w.]+)\s*\}\}/g;

/**
 * A collection's `responsePrompt` with its `{{name}}` variables replaced; unknown names are left unchanged (decisions
 * section 2.3).
 */
export function promptOf(prompt: string | undefined,
  values: Readonly<Record<string, string>>): { readonly responsePrompt?: string }
{
  if (!prompt) return {};
  return {
    responsePrompt: prompt.replace(VARIABLE,
      (variable, name: string) => (Object.hasOwn(values, name) ? values[name]! : variable)),
  };
}
