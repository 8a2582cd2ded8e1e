import type { ParameterizedContext } from 'koa';
import { ServiceError } from '../../../errors/index.ts';
import { presentedCredential } from '../../../lib/credential.ts';
import type { Caller } from '../../../operations/index.ts';

/** Who sent a request, with the credential as it was presented. */
export function callerOf(ctx: ParameterizedContext): Caller {
  const userAgent = ctx.headers['user-agent'];
  const credential = presentedCredential(ctx.headers['x-api-key'], ctx.headers.authorization);
  const { requestId, readsOnly } = ctx.state as { requestId: string; readsOnly?: string };
  return {
    protocol: 'graphql',
    requestId,
    ip: ctx.ip,
    ...(userAgent ? { userAgent } : {}),
    ...(credential ? { credential } : {}),
    ...(readsOnly === undefined ? {} : { readsOnly }),
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

/** Aborts with `busy` when the request has taken so many milliseconds; 0 for never. */
export function lateSignal({ res }: ParameterizedContext, milliseconds: number): AbortSignal {
  const controller = new AbortController();
  if (milliseconds === 0) return controller.signal;
  const timer = setTimeout(() => {
    controller.abort(new ServiceError('busy', `the request took longer than ${milliseconds} ms`, { headers: { 'Retry-After': '1' } }));
  }, milliseconds);
  res.once('close', () => clearTimeout(timer));
  return controller.signal;
}
