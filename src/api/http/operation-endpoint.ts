import type { Middleware, ParameterizedContext } from 'koa';
import { ServiceError } from '../../errors/index.ts';
import { presentedCredential } from '../../lib/credential.ts';
import type { Caller, Invoke, OperationSpec } from '../../operations/index.ts';
import { readJsonObject } from './body.ts';
import { decodeInput } from './decode.ts';
import { respond } from './respond.ts';
import type { Match, Routes } from './routes.ts';
import type { SpecificationReader } from './specification.ts';

export interface OperationEndpointOptions {
  readonly routes: Routes;
  readonly reader: SpecificationReader;
  readonly invoke: Invoke<Record<string, { input: object; output: unknown }>>;
  /** Bytes that a JSON body may have. */
  readonly maxBodyBytes: number;
  /** Checks each answer against the specification; for tests, since it costs time. */
  readonly validateResponses: boolean;
}

/** What the other middleware know of a request. */
export interface RequestState {
  requestId: string;
  /** The operation, once it is found. */
  operation?: OperationSpec;
  /** Template of the path, where something else answers it. */
  path?: string;
}

/** Why work was given up: nobody waits for its answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client has gone');
    this.name = 'ClientGone';
  }
}

export type HttpContext = ParameterizedContext<RequestState>;

/** Decodes a request into an operation's input, invokes it and encodes the result; other paths go on to the next middleware. */
export function operationEndpoint(options: OperationEndpointOptions): Middleware<RequestState> {
  return async (ctx, next) => {
    const match = findOperation(options.routes, ctx);
    if (match === undefined) return next();
    const { spec, parameters } = match;
    ctx.state.operation = spec;
    const reply = await options.invoke(spec.id, () => readInput(options, ctx, spec, parameters), callerOf(ctx, spec));
    if (options.validateResponses) checkAnswer(options.reader, spec, reply.value);
    ctx.set(reply.headers);
    respond(ctx, spec, reply.value);
    return undefined;
  };
}

function findOperation(routes: Routes, ctx: HttpContext): Match | undefined {
  const match = matchPath(routes, ctx.method, ctx.path);
  if (match === undefined || 'spec' in match) return match;
  throw new ServiceError('method_not_allowed', `method ${ctx.method} is not allowed`, { headers: { Allow: match.join(', ') } });
}

/** The published description lists the server with and without `/v1`, so a prefix too many is ignored (decisions, section 9). */
function matchPath(routes: Routes, method: string, path: string): ReturnType<Routes['match']> {
  return routes.match(method, path) ?? (path.startsWith('/v1/') ? routes.match(method, path.slice(3)) : undefined);
}

async function readInput(options: OperationEndpointOptions, ctx: HttpContext, spec: OperationSpec, path: Match['parameters']): Promise<Record<string, unknown>> {
  const body = spec.consumes.includes('application/json') ? await readJsonObject(ctx.req, options.maxBodyBytes, spec.sanitize) : {};
  if (spec.parameters.length === 0) return body;
  return decodeInput(spec.parameters, { path, query: options.reader.query(spec.id, checkedQuery(ctx.querystring)), headers: ctx.headers, body });
}

/** Broken escapes are refused; the reader would take them as they are written. */
function checkedQuery(text: string): string {
  try {
    if (text.includes('%')) decodeURIComponent(text);
    return text;
  } catch (cause) {
    throw new ServiceError('invalid_argument', 'the query string is not valid UTF-8, percent-encoded', { cause });
  }
}

function callerOf(ctx: HttpContext, spec: OperationSpec): Caller {
  const userAgent = ctx.headers['user-agent'];
  const credential = presentedCredential(ctx.headers['x-api-key'], ctx.headers.authorization);
  return {
    protocol: 'http',
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    ...(userAgent ? { userAgent } : {}),
    ...(credential ? { credential } : {}),
    // What may run for long or wait for its turn is worth stopping when the client goes; a short write is not.
    ...(spec.limited && spec.effect !== 'read' ? {} : { signal: goneSignal(ctx) }),
  };
}

function goneSignal(ctx: HttpContext): AbortSignal {
  const controller = new AbortController();
  ctx.res.once('close', () => controller.abort(new ClientGone()));
  return controller.signal;
}

function checkAnswer(reader: SpecificationReader, spec: OperationSpec, value: unknown): void {
  if (!spec.produces.includes('application/json')) return;
  const wrong = reader.violations(spec.id, spec.status, value);
  if (wrong !== undefined) throw new Error(`the answer of ${spec.id} is not as specified: ${wrong}`);
}
