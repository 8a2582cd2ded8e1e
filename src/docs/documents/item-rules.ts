import type { Meta } from './meta.ts';

/** The fields of an item of a batch; any may be absent or break a rule, and then the item fails alone. */
export interface RawItem {
  readonly key?: string | undefined;
  readonly lang?: string | undefined;
  readonly contentMd?: string | undefined;
  readonly meta?: Meta | undefined;
  readonly ttl?: number | undefined;
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
