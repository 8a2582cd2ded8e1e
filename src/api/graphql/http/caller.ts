import type { ParameterizedContext } from 'koa';
import { presentedCredential } from '../../../lib/credential.ts';
import type { Caller } from '../../../operations/index.ts';

/** Who sent a request, with the credential as it was presented. */
export function callerOf(ctx: ParameterizedContext): Caller {
  const userAgent = ctx.headers['user-agent'];
  const credential = presentedCredential(ctx.headers['x-api-key'], ctx.headers.authorization);
  return {
    protocol: 'graphql',
    requestId: (ctx.state as { requestId: string }).requestId,
    ip: ctx.ip,
    ...(userAgent ? { userAgent } : {}),
    ...(credential ? { credential } : {}),
  };
}

/** Aborts when the connection closes before the answer is sent. */
export function goneSignal({ res }: ParameterizedContext): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new Error('the client has gone'));
  });
  return controller.signal;
}
