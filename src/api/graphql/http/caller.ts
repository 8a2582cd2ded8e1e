import type { ParameterizedContext } from 'koa';
import { ServiceError } from '../../../errors/index.ts';
import type { Timer } from '../../../lib/clock.ts';
import { presentedCredential } from '../../../lib/headers.ts';
import { whenClosed } from '../../../lib/responses.ts';
import { type Caller, LSN_HEADER, MIN_LSN_HEADER, parseMinLsn } from '../../../operations/index.ts';

/** The caller of a request, with the credential that it presented. */
export function callerOf(ctx: ParameterizedContext): Caller {
  const userAgent = ctx.headers['user-agent'];
  const credential = presentedCredential(ctx.headers['x-api-key'], ctx.headers.authorization);
  const minLsn = parseMinLsn(ctx.headers[MIN_LSN_HEADER.toLowerCase()]);
  const { requestId, readsOnly, isPart } = ctx.state as { requestId: string; readsOnly?: string; isPart?: boolean };
  return {
    protocol: 'graphql',
    requestId,
    ip: ctx.ip,
    ...(userAgent ? { userAgent } : {}),
    ...(credential ? { credential } : {}),
    ...(minLsn === undefined ? {} : { minLsn }),
    // Mutations run one after the other, so the last one has the greatest LSN.
    onLsn: (lsn) => ctx.set(LSN_HEADER, String(lsn)),
    ...(readsOnly === undefined ? {} : { readsOnly }),
    ...(isPart === true && { isPart }),
  };
}

/** Aborts when the connection closes, or has closed, before the response is sent. */
export function goneSignal({ res }: ParameterizedContext): AbortSignal {
  const controller = new AbortController();
  whenClosed(res, () => {
    if (!res.writableFinished) controller.abort(new Error('the client has gone'));
  });
  return controller.signal;
}

/** Aborts with `busy` when the request has taken this many milliseconds; 0 for no limit. */
export function lateSignal({ res }: ParameterizedContext, milliseconds: number, timer: Timer): AbortSignal {
  const controller = new AbortController();
  if (milliseconds === 0) return controller.signal;
  const closed = new AbortController();
  whenClosed(res, () => closed.abort());
  void timer.sleep(milliseconds, closed.signal).then(() => {
    if (closed.signal.aborted) return;
    controller.abort(
      new ServiceError('busy', `the request took longer than ${milliseconds} ms`, { headers: { 'Retry-After': '1' } }),
    );
  });
  return controller.signal;
}
