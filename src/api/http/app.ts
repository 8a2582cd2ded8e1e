import Koa, { type Middleware } from 'koa';
import type { Invoke, OperationSpec, RateLimit } from '../../operations/index.ts';
import { crossOrigin, type JudgeWebRequest } from './cross-origin.ts';
import { frame, type FrameOptions } from './frame.ts';
import { type Forms, operationEndpoint } from './operation-endpoint.ts';
import { describeService, type Description } from './pages.ts';
import { type RequestState, senderOf } from './request.ts';
import { compression } from './respond.ts';
import { createRoutes } from './routes.ts';
import type { SpecificationReader } from './specification.ts';

/** What every server over HTTP has, whatever it serves. */
export interface FramedAppOptions extends FrameOptions {
  /** Whether responses are compressed for clients that accept it. */
  readonly compress?: boolean;
  /** Decides what web pages may do. */
  readonly origins: Middleware<RequestState>;
  /** Counts each request, whatever handles it, and sends the client its quota; without it there is no rate limit. */
  readonly limit?: RateLimit | undefined;
  /** The protocol of the requests that are counted. */
  readonly protocol: 'http' | 'mcp';
  /** Paths whose requests are not counted. */
  readonly uncounted?: ReadonlySet<string>;
}

/** A koa application with the middleware that every request needs. */
export function createFramedApp(options: FramedAppOptions): Koa<RequestState> {
  const { compress, origins, limit, protocol, uncounted, log } = options;
  const app = new Koa<RequestState>();
  app.use(frame(options));
  if (compress === true) app.use(compression());
  app.use(origins);
  if (limit !== undefined)
    app.use(async (ctx, next) => {
      if (uncounted?.has(ctx.path) !== true) ctx.set(await limit.admit(senderOf(ctx, protocol)));
      return next();
    });
  // A client that disconnects is not an error of the server; every other error was logged with its request.
  app.on('error', (error: NodeJS.ErrnoException) => {
    const { code = '' } = error;
    if (!HANG_UPS.has(code) && !code.startsWith('HPE_')) log.error({ err: error }, 'response could not be sent');
  });
  return app;
}

/** Errors of responses whose client has left, or which ended with the permission of their sender. */
const HANG_UPS = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_WRITE_AFTER_END']);

export interface HttpAppOptions<Operations> extends Omit<FramedAppOptions, 'origins' | 'protocol' | 'uncounted'> {
  readonly title: string;
  /** The protocol that requests arrive by; its access mode applies to them. Default `http`. */
  readonly protocol?: 'http' | 'http3';
  /** The published OpenAPI description of the service. */
  readonly specification: Omit<Description, 'title'>;
  readonly operations: { readonly [K in keyof Operations]: OperationSpec };
  readonly invoke: Invoke<Operations>;
  readonly maxBodyBytes: number;
  readonly corsOrigins: readonly string[];
  /**
   * What web pages may do on a server that requires no credential; without it, their requests are treated like all
   * others.
   */
  readonly judge?: JudgeWebRequest;
  /** Paths for which the judge is not called. */
  readonly openPaths?: readonly string[];
  readonly validateResponses?: boolean;
  /**
   * Whether a query parameter that an operation does not have is rejected or ignored with a warning;
   * if absent, it is ignored silently.
   */
  readonly strictQuery?: boolean;
  /** Whether callers may present an API key in `X-API-Key`; the default is true. */
  readonly apiKeys?: boolean;
  /** How operations that are sent as forms receive their files. */
  readonly forms?: Forms;
  /** Further handlers on the same port, called for paths that belong to no operation. */
  readonly extensions?: readonly Middleware<RequestState>[];
}

/** The koa application of one service: its operations and its description. Health and metrics are not counted. */
export async function createHttpApp<Operations>(options: HttpAppOptions<Operations>): Promise<Koa<RequestState>> {
  const operations: readonly OperationSpec[] = Object.values(options.operations);
  const routes = createRoutes(operations);
  const app = createFramedApp({
    ...options,
    protocol: 'http',
    origins: crossOrigin({
      routes,
      origins: options.corsOrigins,
      judge: options.judge ?? (() => undefined),
      openPaths: options.openPaths ?? [],
    }),
    uncounted: new Set(operations.filter(({ probe }) => probe !== undefined).map(({ path }) => path)),
  });
  const endpoint = operationEndpoint({
    protocol: options.protocol ?? 'http',
    routes,
    reader: options.validateResponses === true ? await specificationReader(options.specification.json) : undefined,
    invoke: options.invoke as never,
    maxBodyBytes: options.maxBodyBytes,
    strictQuery: options.strictQuery,
    apiKeys: options.apiKeys ?? true,
    forms: options.forms,
  });
  app.use(endpoint);
  for (const extension of options.extensions ?? []) app.use(extension);
  app.use(describeService({ title: options.title, ...options.specification }));
  return app;
}

/** Loaded only if responses are checked; other servers start without it. */
async function specificationReader(documentText: string): Promise<SpecificationReader> {
  const { createSpecificationReader } = await import('./specification.ts');
  return createSpecificationReader(documentText);
}
