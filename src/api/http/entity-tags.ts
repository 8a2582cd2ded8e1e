import { readEntityTags } from '../../lib/entity-tags.ts';
import type { HttpContext } from './operation-endpoint.ts';

/** Whether `If-None-Match` has the tag of an answer, by the weak comparison (RFC 9110, section 13.1.2). */
export function isKnown(header: string | undefined, tag: string | undefined): boolean {
  if (header === undefined || tag === undefined) return false;
  const known = readEntityTags(header);
  return known === '*' || known.some(({ value }) => `"${value}"` === tag);
}

/** Reads that are sent by POST, since their input is long, are answered as a GET would be. */
export function notModified(ctx: HttpContext): undefined {
  ctx.vary('Accept-Encoding');
  ctx.status = 304;
  ctx.body = null;
  return undefined;
}
