import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { presentedCredential } from '../../lib/headers.ts';
import type { Log } from '../../lib/log.ts';
import { createAddressReader, type ReadAddress } from '../../lib/trusted-proxies.ts';
import type { Invoke, OperationSpec, RateLimit, Sender } from '../../operations/index.ts';
import { compression } from './compression.ts';
import { crossOrigin, type JudgeWebRequest } from './cross-origin.ts';
import { describeService, type Description } from './description.ts';
import type { ErrorFormat } from './errors.ts';
import { type Exchange, frame } from './frame.ts';
import { type Forms, type HttpContext, operationEndpoint, type RequestState } from './operation-endpoint.ts';
import { createRoutes } from './routes.ts';
import type { SpecificationReader } from './specification.ts';

export interface HttpAppOptions<Operations> {
  readonly title: string;
  /** The protocol that requests arrive by; its access mode applies to them. Default `http`. */
  readonly protocol?: 'http' | 'http3';
  /** The value of `Alt-Svc` (RFC 7838) that responses over TLS carry: where else the service can be reached. */
  readonly alternative?: string | undefined;
  /** The published OpenAPI description of the service. */
  readonly specification: Omit<Description, 'title'>;
  readonly operations: { readonly [K in keyof Operations]: OperationSpec };
  readonly invoke: Invoke<Operations>;
  readonly errors: ErrorFormat;
  /** Error formats of extension paths that have their own. */
  readonly errorsAt?: ReadonlyMap<string, ErrorFormat>;
  /** Returns the client's address. Forwarding headers are ignored unless this says which proxies to trust. */
  readonly readAddress?: ReadAddress;
  /** Counts every request except those of health and metrics; without it there is no rate limit. */
  readonly limit?: RateLimit | undefined;
  readonly log: Log;
  readonly maxBodyBytes: number;
  readonly corsOrigins: readonly string[];
  /**
   * What web pages may do on a server that requires no credential; without it, their requests are treated like all
   * others.
   */
  readonly judge?: JudgeWebRequest;
  /** Paths for which the judge is not called. */
  readonly openPaths?: readonly string[];
  readonly accessLog?: boolean;
  readonly validateResponses?: boolean;
  /**
   * Whether a query parameter that an operation does not have is rejected or ignored with a warning;
   * if absent, it is ignored silently.
   */
  readonly strictQuery?: boolean;
  /** Whether callers may present an API key in `X-API-Key`; the default is true. */
  readonly apiKeys?: boolean;
  /** Whether responses are compressed for clients that accept it. */
  readonly compress?: boolean;
  readonly observe?: (exchange: Exchange) => void;
  /** How operations that are sent as forms receive their files. */
  readonly forms?: Forms;
  /** Further handlers on the same port, called for paths that belong to no operation. */
  readonly extensions?: readonly Middleware<RequestState>[];
}

/** The koa application of one service: its operations, its description, and the middleware that every request needs. */
export async function createHttpApp<Operations>(options: HttpAppOptions<Operations>): Promise<Koa<RequestState>> {
  const app = new Koa<RequestState>();
  app.use(frame({
    errors: options.errors,
    log: options.log,
    readAddress: options.readAddress ?? createAddressReader([]),
    accessLog: options.accessLog ?? false,
    ...(options.errorsAt && { errorsAt: options.errorsAt }),
    ...(options.observe && { observe: options.observe }),
    ...(options.alternative !== undefined && { alternative: options.alternative }),
  }));
  if (options.compress === true) app.use(compression());
  const routes = createRoutes(Object.values(options.operations));
  app.use(crossOrigin({
    routes,
    origins: options.corsOrigins,
    judge: options.judge ?? (() => undefined),
    openPaths: options.openPaths ?? [],
  }));
  if (options.limit !== undefined) app.use(limited(options.limit, Object.values(options.operations)));
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
  const pages = new Router();
  describeService(pages, { title: options.title, ...options.specification });
  app.use(endpoint);
  for (const extension of options.extensions ?? []) app.use(extension);
  app.use(pages.routes());
  // A client that disconnects is not an error of the server; every other error was logged with its request.
  app.on('error', (error: NodeJS.ErrnoException) => {
    const { code = '' } = error;
    if (!HANG_UPS.has(code) && !code.startsWith('HPE_'))
      options.log.error({ err: error }, 'response could not be sent');
  });
  return app;
}

/** Loaded only if responses are checked; other servers start without it. */
async function specificationReader(documentText: string): Promise<SpecificationReader> {
  const { createSpecificationReader } = await import('./specification.ts');
  return createSpecificationReader(documentText);
}

const HANG_UPS = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Counts each request of the port, whatever handles it, and sends the client its quota. */
function limited(limit: RateLimit, operations: readonly OperationSpec[]): Middleware<RequestState> {
  const exempt = new Set(operations.filter(({ probe }) => probe !== undefined).map(({ path }) => path));
  return async (ctx, next) => {
    if (!exempt.has(ctx.path)) ctx.set(await limit.admit(senderOf(ctx)));
    return next();
  };
}

function senderOf(ctx: HttpContext): Sender {
  const userAgent = ctx.headers['user-agent'];
  const credential = presentedCredential(ctx.headers['x-api-key'], ctx.headers.authorization);
  return { protocol: 'http', ip: ctx.ip, ...(userAgent && { userAgent }), ...(credential && { credential }) };
}
