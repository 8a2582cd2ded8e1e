import type { ParameterizedContext } from 'koa';
import { ServiceError } from '../../errors/index.ts';
import { presentedCredential } from '../../lib/headers.ts';
import { whenClosed } from '../../lib/responses.ts';
import { type Caller, LSN_HEADER, MIN_LSN_HEADER, type OperationSpec, parseMinLsn,
  type Sender } from '../../operations/index.ts';

/** What other middleware know of a request. */
export interface RequestState {
  requestId: string;
  /** The operation, once it is known. */
  operation?: OperationSpec;
  /** Template of the path, if another handler serves it. */
  path?: string;
  /** Whether responses are compressed for clients that accept it. */
  compresses?: boolean;
  /** Why the sender may only read; absent if it may write, too. */
  readsOnly?: string;
  /** Whether a browser wants the response as a part of a page, such as an image. */
  isPart?: boolean;
}

export type HttpContext = ParameterizedContext<RequestState>;

/** The sender of a request, before it is known what is asked. `apiKeys`: whether `X-API-Key` counts. */
export function senderOf(ctx: HttpContext, protocol: Sender['protocol'], apiKeys = true): Sender {
  return {
    protocol,
    ip: ctx.ip,
    userAgent: ctx.headers['user-agent'] || undefined,
    credential: presentedCredential(apiKeys ? ctx.headers['x-api-key'] : undefined, ctx.headers.authorization),
  };
}

const MIN_LSN = MIN_LSN_HEADER.toLowerCase();

/**
 * The caller of a request. The LSN of what it wrote becomes a header of the response, unless the head was sent already,
 * as it is of a stream. Throws `invalid_argument` for an invalid `X-Quire-Min-LSN`.
 */
export function callerOf(ctx: HttpContext, protocol: Sender['protocol'], apiKeys?: boolean): Caller {
  const { requestId, readsOnly, isPart } = ctx.state;
  return {
    ...senderOf(ctx, protocol, apiKeys),
    requestId,
    minLsn: parseMinLsn(ctx.headers[MIN_LSN]),
    onLsn: (lsn) => ctx.set(LSN_HEADER, String(lsn)),
    readsOnly,
    isPart,
  };
}

/** The error (405) for a method that a path does not have. */
export function notAllowed(method: string, allowed: readonly string[]): ServiceError {
  return new ServiceError('method_not_allowed', `method ${method} is not allowed`, {
    headers: { Allow: allowed.join(', ') },
  });
}

/** The reason for which work is aborted: no client waits for the response. */
export class ClientGone extends Error {
  constructor() {
    super('the client has gone');
    this.name = 'ClientGone';
  }
}

/** Aborts when the connection closes, or has closed, before the response was sent. */
export function goneSignal({ res }: Pick<HttpContext, 'res'>): AbortSignal {
  const controller = new AbortController();
  // A response that was sent completely also closes; there is nothing to abort then.
  whenClosed(res, () => {
    if (!res.writableFinished) controller.abort(new ClientGone());
  });
  return controller.signal;
}
