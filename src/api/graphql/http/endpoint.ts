import type { ExecutionResult } from 'graphql';
import { createHandler, type HandlerOptions, type Request, type Response } from 'graphql-http';
import type { Middleware, ParameterizedContext } from 'koa';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { type ErrorCode, ServiceError } from '../../../errors/index.ts';
import { systemTimer, type Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { createGraphqlApplication } from '../application.ts';
import { type ContextOptions, createContext, type GraphqlContext } from '../context.ts';
import { createErrorPresenter } from '../errors.ts';
import { createDocumentReader } from '../limits/document-reader.ts';
import { callerOf, goneSignal, lateSignal } from './caller.ts';
import { readParams } from './read-params.ts';

export interface EndpointOptions extends ContextOptions {
  readonly log: Log;
  /** Most bytes of a body. */
  readonly maxBodyBytes: number;
  /** Milliseconds that a whole request may take; absent or 0 for no limit. */
  readonly timeoutMs?: number;
  /** Measures the time limit. */
  readonly timer?: Timer | undefined;
}

/** The library requires a type with an index signature, and ours is an interface. */
type Context = GraphqlContext & Record<PropertyKey, unknown>;
type Options = HandlerOptions<IncomingMessage, undefined, Context>;
type Present = (error: unknown) => object;

/** The status that metrics and the access log record for a request whose client disconnected before its response. */
const CLIENT_GONE = 499;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Serves GraphQL over HTTP at one path; other paths go to the next middleware. */
export function graphqlEndpoint(path: string, options: EndpointOptions): Middleware {
  const application = createGraphqlApplication();
  const reader = createDocumentReader(application.schema);
  const shared: Options = {
    schema: application.schema,
    parse: (source) => reader.parse(String(source)),
    validate: (_schema, document) => reader.validate(document),
    execute: application.createExecution(),
    onOperation: (_request, _args, result) => errorsAlone(result as ExecutionResult),
  };
  return async (ctx, next) => {
    if (ctx.path !== path) return next();
    (ctx.state as { path?: string }).path = path;
    const caller = callerOf(ctx);
    const signal = goneSignal(ctx);
    const late = lateSignal(ctx, options.timeoutMs ?? 0, options.timer ?? systemTimer);
    const present = createErrorPresenter(caller.requestId, unlessGone(options.log, signal));
    const handle = createHandler({
      ...shared,
      context: () => createContext(options, caller, { gone: signal, late }) as Context,
      parseRequestParams: (request) =>
        readParams(request, options.maxBodyBytes).catch((error: unknown) => refused(error, present)),
      formatError: present as Options['formatError'] & object,
    });
    const answer = await handle(requestOf(ctx)).catch((error: unknown) =>
      refused(new ServiceError('internal', 'internal error', { cause: error }), present)
    );
    if (signal.aborted) ctx.status = CLIENT_GONE;
    else respond(ctx, answer);
    return undefined;
  };
}

/** `readParams` reads the body. */
function requestOf(ctx: ParameterizedContext): Request<IncomingMessage, undefined> {
  return { url: ctx.url, method: ctx.method, headers: ctx.headers, raw: ctx.req, body: null, context: undefined };
}

/**
 * Errors without data, such as those of variables with invalid values, follow the rules for requests that cannot be
 * executed.
 */
function errorsAlone(result: ExecutionResult): ExecutionResult | undefined {
  return 'data' in result ? undefined : (result.errors as ExecutionResult);
}

/**
 * The response to a request that the library is not passed; errors that the library itself answers with 400 are thrown
 * on.
 */
function refused(error: unknown, present: Present): Response {
  if (!(error instanceof ServiceError) || error.status === 400) throw error;
  const headers = { 'content-type': JSON_TYPE, ...error.headers };
  return [JSON.stringify({ errors: [present(error)] }), { status: error.status, statusText: '', headers }];
}

/** Why the library rejects a request, by the status that it returns. There is no code of its own for 406. */
const REASONS: Readonly<Record<string, { readonly message: string; readonly code: ErrorCode }>> = {
  '405 GET, POST': { code: 'method_not_allowed', message: 'the method is not allowed; send GET or POST' },
  '405 POST': { code: 'method_not_allowed', message: 'a mutation has to be sent by POST' },
  406: {
    code: 'unsupported_media_type',
    message: 'the answer can be application/graphql-response+json or application/json, in UTF-8',
  },
  415: { code: 'unsupported_media_type', message: 'send content type application/json, in UTF-8' },
};

function respond(ctx: ParameterizedContext, [text, { status, headers = {} }]: Response): void {
  ctx.status = status;
  ctx.set({ 'Content-Type': JSON_TYPE, ...headers, 'Cache-Control': 'no-store' });
  ctx.body = headers['content-type'] === undefined ? refusalBody(status, headers.allow) : text;
}

/** The library's responses without a content type have no body, or a body without a code. */
function refusalBody(status: number, allow?: string): string {
  const { message, code } = REASONS[allow === undefined ? status : `${status} ${allow}`] ??
    { message: STATUS_CODES[status] ?? 'refused', code: 'invalid_argument' };
  return JSON.stringify({ errors: [{ message, extensions: { code, status } }] });
}

/** Does not log the failures of a request that was aborted, because they are expected. */
function unlessGone(log: Log, signal: AbortSignal): Pick<Log, 'error'> {
  return { error: (fields, message) => (signal.aborted ? undefined : log.error(fields, message)) };
}
