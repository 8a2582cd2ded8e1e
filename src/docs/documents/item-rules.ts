import { ServiceError } from '../../errors/index.ts';
import { repairText } from '../../lib/bytes.ts';
import type { Deps } from './deps.ts';
import type { Meta } from './document-rows.ts';
import type { GivenVectors } from './given-vectors.ts';

/** The fields of an item of a batch; any may be absent or break a rule, and then the item fails alone. */
export interface RawItem {
  readonly key?: string | undefined;
  readonly lang?: string | undefined;
  readonly contentMd?: string | undefined;
  readonly meta?: Meta | undefined;
  readonly ttl?: number | undefined;
  /** Vectors by field; null is none. */
  readonly vectors?: GivenVectors | null | undefined;
}

/** An item that obeys the rules. */
export interface ValidItem extends RawItem {
  readonly key: string;
  readonly lang: string;
  readonly contentMd: string;
}

const FORBIDDEN_IN_KEY = /[\u0000-\u001f\u007f-\u009f|]/;
const LANG = /^[A-Za-z0-9_-]{1,35}$/;
const MAX_KEY_BYTES = 1024;
const MAX_TTL = 315_360_000_000;
const MAX_META_KEYS = 256;
const MAX_META_VALUES = 1000;
const MAX_META_VALUE_BYTES = 8192;

/**
 * Why an item of a batch cannot be stored, as the message of a single write; undefined when it can. The rules are those
 * of the schemas `DocumentKey`, `Lang`, `Meta` and `TtlSeconds` (limits of decisions section 8), which would refuse a
 * whole request.
 */
export function itemProblem(item: RawItem): string | undefined {
  return identityProblem(item, ['key', 'lang', 'contentMd']) ?? ttlProblem(item.ttl) ?? metaProblem(item.meta ?? {});
}

/** The part of `itemProblem` for the fields that name a document. */
export function identityProblem(item: RawItem, required: readonly ('key' | 'lang' | 'contentMd')[] = ['key', 'lang']):
  | string
  | undefined
{
  const missing = required.filter((field) =>
    item[field] === undefined || (item[field] === '' && field !== 'contentMd')
  );
  if (missing.length > 0) return `missing fields: ${missing.join(', ')}`;
  if (exceeds(item.key!, MAX_KEY_BYTES)) return `key must be at most ${MAX_KEY_BYTES} bytes`;
  if (FORBIDDEN_IN_KEY.test(item.key!)) return 'key must not contain control characters or "|"';
  if (!LANG.test(item.lang!)) return 'lang must be 1 to 35 letters, digits, "_" or "-"';
  return undefined;
}

function ttlProblem(ttl: number | undefined): string | undefined {
  if (ttl === undefined) return undefined;
  if (ttl < 0) return `ttl must be at least 0, got ${ttl}`;
  return ttl > MAX_TTL ? `ttl must be at most ${MAX_TTL}, got ${ttl}` : undefined;
}

function metaProblem(meta: Meta): string | undefined {
  const keys = Object.keys(meta);
  if (keys.length > MAX_META_KEYS) return `meta must have at most ${MAX_META_KEYS} keys`;
  for (const key of keys) {
    const problem = metaKeyProblem(key, meta[key]!);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function metaKeyProblem(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'meta must not have an empty key';
  const name = `meta.${key.length > 80 ? `${key.slice(0, 80)}…` : key}`;
  if (exceeds(key, MAX_KEY_BYTES)) return `${name} must be at most ${MAX_KEY_BYTES} bytes`;
  if (values.length > MAX_META_VALUES) return `${name} must have at most ${MAX_META_VALUES} items`;
  const long = values.findIndex((value) => exceeds(value, MAX_META_VALUE_BYTES));
  return long < 0 ? undefined : `${name}[${long}] must be at most ${MAX_META_VALUE_BYTES} bytes`;
}

/** A UTF-16 unit is at most three bytes of UTF-8, so short texts need no counting. */
function exceeds(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

/**
 * An item with every text made valid Unicode, and whether that changed anything. Valid items, nearly all, are returned
 * unchanged.
 */
export function repairItem<T extends RawItem>(item: T): { item: T; repaired: boolean } {
  if (isWellFormed(item)) return { item, repaired: false };
  const texts = Object.entries(item).map(([field, value]) =>
    [field, typeof value === 'string' ? repairText(value) : value] as const
  );
  const repaired = Object.fromEntries(texts) as unknown as T;
  return { item: item.meta === undefined ? repaired : { ...repaired, meta: repairMeta(item.meta) }, repaired: true };
}

/** Without lists of entries, because every document of a batch passes here. */
function isWellFormed(item: RawItem): boolean {
  for (const field of Object.keys(item) as (keyof RawItem)[]) {
    const value = item[field];
    if (typeof value === 'string' && !value.isWellFormed()) return false;
  }
  const meta = item.meta ?? {};
  return Object.keys(meta).every((key) => key.isWellFormed() && meta[key]!.every(isTextWellFormed));
}

const isTextWellFormed = (text: string): boolean => text.isWellFormed();

/** Keys that become equal keep the values of both. */
function repairMeta(meta: Meta): Meta {
  const repaired = new Map<string, string[]>();
  for (const [key, values] of Object.entries(meta)) {
    const name = repairText(key);
    repaired.set(name, [...(repaired.get(name) ?? []), ...values.map(repairText)]);
  }
  return Object.fromEntries(repaired);
}

/**
 * Throws or rejects with `validation_failed`, with one message for each violation, when the collection's schema forbids
 * the metadata. Undefined if there is nothing to wait for, as without a schema.
 */
export function requireValid({ schemas }: Pick<Deps, 'schemas'>, collection: string, meta: Meta): Promise<void>
  | undefined
{
  const errors = schemas.violations(collection, meta);
  return errors instanceof Promise ? errors.then(requireNone) : requireNone(errors);
}

function requireNone(errors: readonly string[]): undefined {
  if (errors.length > 0) throw new ServiceError('validation_failed', 'validation failed', { errors });
}

/** The error for a document that is absent, has expired, or was never written with this spelling. */
export function notFound(): ServiceError {
  return new ServiceError('not_found', 'not found');
}

/**
 * Batches repair their items but not the name of their collection, because a repaired name would be another collection.
 */
export function requireText(collection: string): void {
  if (!collection.isWellFormed()) throw new ServiceError('invalid_argument', 'collection must be valid Unicode text');
}
