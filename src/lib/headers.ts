import { randomFillSync } from 'node:crypto';

/** A credential as it was presented, not yet checked. */
export interface Credential {
  readonly scheme: 'bearer' | 'api-key';
  readonly value: string;
  /** True for an API key if the request also sent a bearer token, which is ignored. */
  readonly overrides?: boolean;
}

/**
 * The credential of `X-API-Key` or `Authorization: Bearer`; if a request has both, the key counts (decisions, section
 * 5.1).
 */
export function presentedCredential(apiKey: unknown, authorization: unknown): Credential | undefined {
  const bearer = typeof authorization === 'string' ? /^bearer +(.+)$/i.exec(authorization)?.[1] : undefined;
  if (typeof apiKey === 'string')
    return { scheme: 'api-key', value: apiKey, ...(bearer !== undefined && { overrides: true }) };
  return bearer === undefined ? undefined : { scheme: 'bearer', value: bearer };
}

/** One of the tags that a conditional request names. */
interface EntityTag {
  readonly isWeak: boolean;
  /** The text within the quotation marks, without the suffix that names the encoding of a compressed response. */
  readonly value: string;
}

const ENCODED = /-(?:gzip|br|zstd)$/;

/**
 * The tags of an `If-Match` or `If-None-Match` header (RFC 9110, section 8.8.3), or `*` for any. Invalid tags are left
 * out.
 */
export function readEntityTags(header: string): '*' | readonly EntityTag[] {
  if (header.trim() === '*') return '*';
  return header.split(',').flatMap((part) => {
    const [, weak, value] = /^(W\/)?"([^"]*)"$/.exec(part.trim()) ?? [];
    return value === undefined ? [] : [{ isWeak: weak !== undefined, value: value.replace(ENCODED, '') }];
  });
}

const ID_BYTES = 8;
/** Number of ids for which random bytes are drawn at once. */
const drawn = Buffer.alloc(512 * ID_BYTES);
let used = drawn.length;

/**
 * The id of a request: the client's own if it is fit for a log, so that both sides' logs can be joined; otherwise a new
 * one.
 */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : newId();
}

function newId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += ID_BYTES;
  return drawn.toString('hex', used - ID_BYTES, used);
}

/** Longer delays count as this, in milliseconds: no caller waits for more than a day. */
const MAX_MS = 86_400_000;

/** Header values by lower-case name, as Node has them, or as `Headers`. */
type Fields = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The delay of a `Retry-After` header (RFC 9110, 10.2.3), in milliseconds from 0 to a day. A date is compared with the
 * response's own `Date`, so that clocks need not agree, or else with `now`. Undefined if the header is absent or
 * malformed.
 */
export function retryAfter(fields: Fields, now: number = Date.now()): number | undefined {
  const value = valueOf(fields, 'retry-after');
  if (value === '') return undefined;
  const sent = Date.parse(valueOf(fields, 'date'));
  const wait = /^\d+(?:\.\d+)?$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Number.isNaN(sent) ? now : sent);
  return Number.isNaN(wait) ? undefined : Math.min(MAX_MS, Math.max(0, wait));
}

function valueOf(fields: Fields, name: string): string {
  const value = fields instanceof Headers ? fields.get(name) : fields[name];
  return (typeof value === 'object' ? value?.[0] : value)?.trim() ?? '';
}

/** Headers of every response (decisions, section 5.3). */
export const SECURITY_HEADERS = [['X-Content-Type-Options', 'nosniff'], ['X-Frame-Options', 'DENY'], ['Referrer-Policy',
  'no-referrer']] as const;

/** Additional headers of responses over TLS: for a year, browsers use only TLS. */
export const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000'] as const;
