import type { Middleware } from 'koa';
import { ServiceError } from '../../errors/index.ts';
import type { Spool, SpoolFolder } from '../../lib/spool.ts';
import { type Caller, type Invoke, type OperationSpec, type Reply, type StreamedBody,
  withWarnings } from '../../operations/index.ts';
import { checkJson, checkLines, LINES_TYPE, readJsonObject } from './body.ts';
import { decodeParameters, joinInput, parseQuery, type Query, unknownParameters } from './decode.ts';
import { type FormSchema, isForm, piecesOf, readForm, readStreamedFile, takesStream } from './form.ts';
import { callerOf, goneSignal, type HttpContext, notAllowed, type RequestState } from './request.ts';
import { isKnown, notModified, respond } from './respond.ts';
import type { Match, Routes } from './routes.ts';
import type { SpecificationReader } from './specification.ts';

export interface OperationEndpointOptions {
  readonly protocol: 'http' | 'http3';
  readonly routes: Routes;
  /** Checks each response against the specification; for tests, because it takes time. */
  readonly reader: SpecificationReader | undefined;
  readonly invoke: Invoke<Record<string, { input: object; output: unknown }>>;
  /** Most bytes of a JSON body. */
  readonly maxBodyBytes: number;
  /**
   * Whether a query parameter that the operation does not have is rejected or ignored with a warning; undefined to
   * ignore it silently.
   */
  readonly strictQuery: boolean | undefined;
  /** Whether `X-API-Key` is accepted as a credential; otherwise it is ignored. */
  readonly apiKeys: boolean;
  /** How operations that are sent as forms receive their files; without it, form bodies are not read. */
  readonly forms?: Forms | undefined;
}

export interface Forms {
  /** Where files are stored while their request is processed. */
  readonly spools: SpoolFolder;
  /** JSON schemas of the flat inputs, by operation id. */
  readonly inputs: Readonly<Record<string, object>>;
}

/**
 * Decodes a request into an operation's input, invokes it and encodes the result; other paths go to the next
 * middleware.
 */
export function operationEndpoint(options: OperationEndpointOptions): Middleware<RequestState> {
  return async (ctx, next) => {
    const match = findOperation(options.routes, ctx);
    if (match === undefined) return next();
    const { spec, parameters } = match;
    ctx.state.operation = spec;
    const warnings: string[] = [];
    const spool = isForm(spec) ? options.forms?.spools.open() : undefined;
    const given = await options.invoke(spec.id,
      (precheck) => readInput(options, ctx, spec, { path: parameters, precheck, warnings, spool }),
      callerFor(options, ctx, spec)).finally(() => spool?.remove());
    const reply = withWarnings(given, warnings);
    const status = statusOf(spec, reply);
    if (options.reader !== undefined) checkAnswer(options.reader, spec, status, reply.value);
    ctx.set(reply.headers);
    if (spec.effect === 'read' && isKnown(ctx.headers['if-none-match'], reply.headers['ETag'])) return notModified(ctx);
    return respond(ctx, spec, status, reply.value);
  };
}

function findOperation(routes: Routes, ctx: HttpContext): Match | undefined {
  const match = matchPath(routes, ctx.method, ctx.path);
  if (match === undefined || 'spec' in match) return match;
  throw notAllowed(ctx.method, match);
}

/**
 * Clients are configured with and without `/v1` in their base address, so a duplicate prefix is ignored (decisions,
 * section 9).
 */
function matchPath(routes: Routes, method: string, path: string): ReturnType<Routes['match']> {
  return routes.match(method, path) ?? (path.startsWith('/v1/') ? routes.match(method, path.slice(3)) : undefined);
}

const NO_QUERY: Query = new Map();

interface Reading {
  readonly path: Match['parameters'];
  readonly precheck: (parameters: object) => Promise<void>;
  /** Warnings about ignored parameters are added here. */
  readonly warnings: string[];
  /** For the files of a form. */
  readonly spool: Spool | undefined;
}

async function readInput(options: OperationEndpointOptions, ctx: HttpContext, spec: OperationSpec,
  { path, precheck, warnings, spool }: Reading): Promise<Record<string, unknown>>
{
  const query = ctx.querystring === '' ? NO_QUERY : parseQuery(ctx.querystring);
  warnings.push(...checkQuery(options.strictQuery, spec, query));
  const parameters = decodeParameters(spec.parameters, { path, query, headers: ctx.headers });
  if (spool !== undefined)
    return joinInput(spec.parameters, parameters,
      await readForm(ctx.req, { schema: options.forms!.inputs[spec.id] as FormSchema, spool, precheck }));
  await precheck(parameters);
  if (readsLines(spec)) checkLines(ctx.headers);
  if (spec.rawBody) {
    checkJson(ctx.headers);
    return parameters;
  }
  if (takesStream(spec)) {
    const { fields, file } = await readStreamedFile(ctx.req, spec);
    const given = decodeParameters(spec.parameters, { path, query: fields, headers: {} });
    const others = [...fields].filter(([name]) => !Object.hasOwn(given, name)).map(([name, [value]]) => [name, value]);
    return { ...Object.fromEntries(others), ...parameters, ...given, file };
  }
  const body = spec.consumes.includes('application/json')
    ? await readJsonObject(ctx.req, options.maxBodyBytes, spec)
    : {};
  return joinInput(spec.parameters, parameters, body);
}

/**
 * Returns warnings about ignored parameters. Health and metrics accept any parameter: a monitor may add one to bypass
 * caches.
 */
function checkQuery(strict: boolean | undefined, spec: OperationSpec, query: Query): string[] {
  if (strict === undefined || query.size === 0 || spec.probe !== undefined) return [];
  const unknown = unknownParameters(spec, query);
  if (strict && unknown.length > 0)
    throw new ServiceError('invalid_argument', `unknown query parameter ${unknown[0]!.name}${unknown[0]!.hint}`);
  return unknown.map(({ name, hint }) => `unknown query parameter ${name} is ignored${hint}`);
}

function statusOf(spec: OperationSpec, { status = spec.status }: Reply<unknown>): number {
  if (status !== spec.status && !spec.otherStatuses?.includes(status))
    throw new Error(`${spec.id} returned ${status}, which is not specified`);
  return status;
}

/** Whether the body is passed to the handler as it arrives. */
function readsLines({ consumes }: OperationSpec): boolean {
  return consumes.includes(LINES_TYPE);
}

function callerFor({ protocol, apiKeys, maxBodyBytes }: OperationEndpointOptions, ctx: HttpContext,
  spec: OperationSpec): Caller
{
  return {
    ...callerOf(ctx, protocol, apiKeys),
    body: streamOf(ctx, spec, maxBodyBytes),
    // Operations that may run for long or wait for their turn are aborted when the client disconnects; a short write is
    // not.
    signal: spec.limited && spec.effect !== 'read' ? undefined : goneSignal(ctx),
  };
}

function streamOf(ctx: HttpContext, spec: OperationSpec, maxBodyBytes: number): StreamedBody | undefined {
  if (spec.rawBody)
    return { content: piecesOf(ctx.req), maxRecordBytes: spec.maxBody ?? maxBodyBytes, headers: ctx.headers };
  return readsLines(spec) ? { content: piecesOf(ctx.req), maxRecordBytes: maxBodyBytes } : undefined;
}

function checkAnswer(reader: SpecificationReader, spec: OperationSpec, status: number, value: unknown): void {
  if (!spec.produces.includes('application/json')) return;
  const wrong = reader.violations(spec.id, status, value);
  if (wrong !== undefined) throw new Error(`the response of ${spec.id} is not as specified: ${wrong}`);
}
