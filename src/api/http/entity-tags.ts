import { readEntityTags } from '../../lib/entity-tags.ts';
import type { HttpContext } from './operation-endpoint.ts';

/** Whether `If-None-Match` contains the tag of a response, by the weak comparison (RFC 9110, section 13.1.2). */
export function isKnown(header: string | undefined, tag: string | undefined): boolean {
  if (header === undefined || tag === undefined) return false;
  const known = readEntityTags(header);
  return known === '*' || known.some(({ value }) => `"${value}"` === tag);
}

/** Sends 304. Reads that are sent by POST, because their input is long, receive it just as a GET does. */
export function notModified(ctx: HttpContext): undefined {
  ctx.vary('Accept-Encoding');
  ctx.status = 304;
  ctx.body = null;
  return undefined;
}
