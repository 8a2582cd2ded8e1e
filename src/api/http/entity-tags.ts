import type { HttpContext } from './operation-endpoint.ts';

/** Encodings that a tag may name at its end, as that of a compressed answer does. */
const ENCODED = /-(?:gzip|br|zstd)"$/;

/** Whether `If-None-Match` has the tag of an answer, by the weak comparison (RFC 9110, section 13.1.2). */
export function isKnown(header: string | undefined, tag: string | undefined): boolean {
  if (header === undefined || tag === undefined) return false;
  return header.trim() === '*' || header.split(',').some((each) => plain(each) === tag);
}

/** Reads that are sent by POST, since their input is long, are answered as a GET would be. */
export function notModified(ctx: HttpContext): undefined {
  ctx.vary('Accept-Encoding');
  ctx.status = 304;
  ctx.body = null;
  return undefined;
}

function plain(tag: string): string {
  return tag.trim().replace(/^W\//, '').replace(ENCODED, '"');
}
