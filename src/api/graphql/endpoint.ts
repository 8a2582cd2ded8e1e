import type { ExecutionResult } from 'graphql';
import { createHandler, type HandlerOptions, parseRequestParams, type Request, type RequestParams,
  type Response } from 'graphql-http';
import type { Middleware } from 'koa';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { whenClosed } from '../../lib/responses.ts';
import { isDeeper, requireJsonObject } from '../../operations/index.ts';
import { callerOf, goneSignal, type HttpContext, isJsonType, readJson, type RequestState } from '../http/index.ts';
import { createGraphqlApplication } from './application.ts';
import { type ContextOptions, createContext, type GraphqlContext } from './context.ts';
import { createErrorPresenter } from './errors.ts';
import { createDocumentReader } from './limits/document-reader.ts';
import { LIMITS } from './limits/limits.ts';

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

const JSON_TYPE = 'application/json; charset=utf-8';

/** Serves GraphQL over HTTP at one path; other paths go to the next middleware. */
export function graphqlEndpoint(path: string, options: EndpointOptions): Middleware<RequestState> {
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
    ctx.state.path = path;
    const caller = callerOf(ctx, 'graphql');
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
    signal.throwIfAborted();
    respond(ctx, answer);
    return undefined;
  };
}

/** `readParams` reads the body. */
function requestOf(ctx: HttpContext): Request<IncomingMessage, undefined> {
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

function respond(ctx: HttpContext, [text, { status, headers = {} }]: Response): void {
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

/** Aborts with `busy` when the request has taken this many milliseconds; 0 for no limit. */
function lateSignal({ res }: HttpContext, milliseconds: number, timer: Timer): AbortSignal {
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

/** The library's messages for invalid requests, and ours. */
const PARAMS_REASONS: Readonly<Record<string, ServiceError>> = {
  'Missing query': new ServiceError('missing_fields', 'missing fields: query'),
  'Invalid query': new ServiceError('invalid_argument', 'query must be a string'),
  'Invalid variables': new ServiceError('invalid_argument', 'variables must be an object'),
  'Invalid operationName': new ServiceError('invalid_argument', 'operationName must be a string'),
  'Invalid extensions': new ServiceError('invalid_argument', 'extensions must be an object'),
  'Unparsable URL': new ServiceError('invalid_argument', 'variables and extensions in the URL must be JSON objects'),
};

/**
 * Returns the query of a request, its variables and the rest, or the response to a request whose method or content type
 * is not one of GraphQL. Throws a `ServiceError` that names the problem.
 */
async function readParams<Context>(request: Request<IncomingMessage, Context>,
  maxBytes: number): Promise<RequestParams | Response>
{
  // Only this type makes browsers send a preflight request before a page of another site may send it.
  const body = request.method === 'POST' && isJsonType(request.raw.headers['content-type'] ?? '')
    ? await readJsonBody(request.raw, maxBytes)
    : null;
  try {
    // The library's content-type check accepts only one spelling of the character set.
    const headers = body === null ? request.headers : { ...request.raw.headers, 'content-type': 'application/json' };
    return withinDepth(await parseRequestParams({ ...request, url: withOneMark(request.url), headers, body }));
  } catch (error) {
    throw PARAMS_REASONS[(error as Error).message] ?? error;
  }
}

/**
 * Limits the depth of variables: code that reads them recurses into each level, and recursive input types set no limit
 * themselves.
 */
function withinDepth(params: RequestParams | Response): RequestParams | Response {
  if ('variables' in params && isDeeper(params.variables, LIMITS.nesting))
    throw new ServiceError('invalid_argument', `variables must not be nested deeper than ${LIMITS.nesting} levels`);
  return params;
}

/** The library takes the text between the first two question marks; a query may contain more of them. */
function withOneMark(url: string): string {
  const [path = '', ...rest] = url.split('?');
  return rest.length === 0 ? path : `${path}?${rest.join('%3F')}`;
}

/** The body has two levels around a value of a variable. */
const BODY_LIMITS = { maxValues: LIMITS.values, maxDepth: LIMITS.nesting + 2 };

/** Reads the JSON object of a POST. */
async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  const value = await readJson(request, maxBytes, BODY_LIMITS);
  if (Array.isArray(value))
    throw new ServiceError('invalid_argument',
      'batches are not supported: send one operation in each request, as an object');
  return requireJsonObject(value);
}
