import { createHash } from 'node:crypto';

/**
 * JSON text that is equal exactly for equal JSON values: keys of objects are sorted, so formatting and the order of
 * fields make no difference. Undefined fields are left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

/** The request of a key (decisions, section 2.4): endpoint, run of a retry, and the body with its defaults. */
export function requestHash(endpoint: string, request: object): Buffer {
  return createHash('sha256').update(canonicalJson([endpoint, request])).digest();
}

/** Keys are stored as hashes, because only their clients may know them. */
export function keyHash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
