import { readEntityTags } from '../../lib/headers.ts';
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

const ORIGIN = 'Origin';

/**
 * Says that the response depends on a header of the request. `ctx.vary` parses what is there, which most responses need
 * not do.
 */
export function varyBy(ctx: Pick<HttpContext, 'res' | 'vary'>, header: typeof ORIGIN | 'Accept-Encoding'): void {
  const given = ctx.res.getHeader('Vary');
  if (given === undefined) ctx.res.setHeader('Vary', header);
  else if (given === ORIGIN && header !== ORIGIN) ctx.res.setHeader('Vary', `${ORIGIN}, ${header}`);
  else ctx.vary(header);
}
