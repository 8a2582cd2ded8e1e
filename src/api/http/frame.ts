import type { Middleware, Next } from 'koa';
import { ServiceError } from '../../errors/index.ts';
import { requestIdOf, SECURITY_HEADERS, STRICT_TRANSPORT } from '../../lib/headers.ts';
import type { Log } from '../../lib/log.ts';
import { currentTracing, type OpenSpan, type SpanStart, type Tracing } from '../../lib/tracing.ts';
import { createAddressReader, type ReadAddress } from '../../lib/trusted-proxies.ts';
import { isFault, type OperationSpec } from '../../operations/index.ts';
import { type ErrorFormat, errorOf } from './errors.ts';
import { joinedResponses } from './joined-responses.ts';
import { ClientGone, type HttpContext, type RequestState } from './request.ts';
import { sendJson } from './respond.ts';

/** One request with its response, for metrics and the access log. */
export interface Exchange {
  readonly method: string;
  readonly operation?: OperationSpec;
  /** Template of its path; absent if the path is unknown. */
  readonly path?: string;
  readonly status: number;
  readonly milliseconds: number;
}

export interface FrameOptions {
  readonly errors: ErrorFormat;
  /** Paths that have their own error format. */
  readonly errorsAt?: ReadonlyMap<string, ErrorFormat>;
  /** Returns the client's address. Forwarding headers are ignored unless this says which proxies to trust. */
  readonly readAddress?: ReadAddress;
  readonly log: Log;
  /** Logs each request (`SVC_ACCESS_LOG`). */
  readonly accessLog?: boolean;
  readonly observe?: (exchange: Exchange) => void;
  /** The value of `Alt-Svc` (RFC 7838) for responses over TLS: where else the service can be reached. */
  readonly alternative?: string | undefined;
}

const MAX_URL_BYTES = 8192;

/**
 * The status that metrics and the access log record for a request whose client disconnected before its response; the
 * number is nginx's.
 */
const CLIENT_GONE = 499;

/** The outermost middleware: request id, security headers, errors in the service's format, log and metrics. */
export function frame(options: FrameOptions): Middleware<RequestState> {
  const { readAddress = createAddressReader([]), alternative } = options;
  const answer: Middleware<RequestState> = async (ctx, next) => {
    const start = performance.now();
    joinedResponses.relieve(start);
    ctx.request.ip = readAddress(ctx.req.socket.remoteAddress, forwardedFor(ctx)) ?? '';
    ctx.state.requestId = requestIdOf(ctx.headers['x-request-id']);
    for (const [name, value] of SECURITY_HEADERS) ctx.res.setHeader(name, value);
    if (ctx.secure) ctx.res.setHeader(...STRICT_TRANSPORT);
    if (ctx.secure && alternative !== undefined) ctx.res.setHeader('Alt-Svc', alternative);
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
    try {
      if (ctx.url.length > MAX_URL_BYTES)
        throw new ServiceError('invalid_argument', `the URL is longer than ${MAX_URL_BYTES} bytes`);
      await next();
      // koa leaves status 404 without a body if no middleware has responded.
      if (ctx.status === 404 && ctx.body == null && !ctx.res.headersSent)
        throw new ServiceError('not_found', 'not found');
    } catch (thrown) {
      if (thrown instanceof ClientGone) ctx.status = CLIENT_GONE;
      else await sendError(ctx, thrown, options);
    }
    report(ctx, options, performance.now() - start);
  };
  return (ctx, next) => {
    const tracing = currentTracing();
    return tracing === undefined ? answer(ctx, next) : within(tracing, answer, ctx, next);
  };
}

/** Separate from the path without traces, so that that path creates no closure. */
function within(tracing: Tracing, answer: Middleware<RequestState>, ctx: HttpContext, next: Next): Promise<void> {
  return tracing.within(spanOf(ctx),
    (span) => traced(ctx, span, () => answer(ctx as Parameters<typeof answer>[0], next)));
}

/**
 * Attributes follow the semantic conventions for HTTP servers. Query and path are omitted, because they may contain
 * data that must not be recorded.
 */
function spanOf(ctx: HttpContext): SpanStart {
  const agent = ctx.headers['user-agent'];
  return {
    name: ctx.method,
    kind: 'server',
    parent: ctx.headers['traceparent'] as string | undefined,
    attributes: {
      'http.request.method': ctx.method,
      'url.scheme': ctx.protocol,
      'network.protocol.version': ctx.req.httpVersion,
      ...(agent !== undefined && { 'user_agent.original': agent }),
    },
  };
}

async function traced(ctx: HttpContext, span: OpenSpan, answer: () => Promise<unknown> | void): Promise<void> {
  await answer();
  const route = ctx.state.operation?.path ?? ctx.state.path;
  if (route !== undefined) span.rename(`${ctx.method} ${route}`);
  span.set({
    'http.response.status_code': ctx.status,
    'client.address': ctx.request.ip,
    'quire.request_id': ctx.state.requestId,
    ...(route !== undefined && { 'http.route': route }),
  });
  if (ctx.status >= 500) span.fail(`status ${ctx.status}`);
}

/** Node joins the values of several headers of this name. */
function forwardedFor({ headers }: HttpContext): string | undefined {
  return headers['x-forwarded-for'] as string | undefined;
}

async function sendError(ctx: HttpContext, thrown: unknown,
  { errors: usual, errorsAt, log }: FrameOptions): Promise<void>
{
  const errors = errorsAt?.get(ctx.path) ?? usual;
  const error = errorOf(thrown, errors, ctx.state.operation);
  if (errors.isExpected?.(error)) {
    log.debug({ requestId: ctx.state.requestId, operation: ctx.state.operation?.id, reason: error.message },
      'request refused');
  } else if (isFault(error)) {
    log.error({
      requestId: ctx.state.requestId,
      operation: ctx.state.operation?.id,
      code: error.code,
      err: error.cause ?? thrown,
    }, 'request failed');
  }
  // Of a response that has begun, nothing can be changed.
  if (ctx.headerSent) return;
  ctx.status = error.status;
  if (error.headers) ctx.set(error.headers);
  await sendJson(ctx, errors.body(error, ctx.state.requestId));
}

function report(ctx: HttpContext, options: FrameOptions, milliseconds: number): void {
  const { operation, requestId } = ctx.state;
  const path = operation?.path ?? ctx.state.path;
  options.observe?.({
    method: ctx.method,
    status: ctx.status,
    milliseconds,
    operation,
    path,
  });
  if (options.accessLog !== true) return;
  // Logs the path template rather than the URL, because query strings may contain data that must not be logged.
  options.log.info({
    requestId,
    method: ctx.method,
    path: path ?? ctx.path.slice(0, 200),
    status: ctx.status,
    ms: Math.round(milliseconds * 100) / 100,
    ip: ctx.ip,
  }, 'request');
}
