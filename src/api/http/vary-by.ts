import type { HttpContext } from './operation-endpoint.ts';

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
