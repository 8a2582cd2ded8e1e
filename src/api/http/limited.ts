import type { Middleware } from 'koa';
import { presentedCredential } from '../../lib/credential.ts';
import { type OperationSpec, type RateLimit, type Sender } from '../../operations/index.ts';
import type { HttpContext, RequestState } from './operation-endpoint.ts';

/** Counts each request of the port, whatever handles it, and sends the client its quota. */
export function limited(limit: RateLimit, operations: readonly OperationSpec[]): Middleware<RequestState> {
  const exempt = new Set(operations.filter(({ probe }) => probe !== undefined).map(({ path }) => path));
  return async (ctx, next) => {
    if (!exempt.has(ctx.path)) ctx.set(await limit.admit(senderOf(ctx)));
    return next();
  };
}

function senderOf(ctx: HttpContext): Sender {
  const userAgent = ctx.headers['user-agent'];
  const credential = presentedCredential(ctx.headers['x-api-key'], ctx.headers.authorization);
  return { protocol: 'http', ip: ctx.ip, ...(userAgent && { userAgent }), ...(credential && { credential }) };
}
