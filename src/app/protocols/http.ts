import type { Middleware } from 'koa';
import type { RequestListener } from 'node:http';
import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { consolePages, createHttpApp, type ErrorFormat, flatErrors, type HttpAppOptions, listenOn, type RequestState,
  startHttpServer, usualLimits } from '../../api/http/index.ts';
import type { Caller } from '../../operations/index.ts';
import { namingSetting } from '../foreground.ts';
import type { WorkerSupervisor } from '../workers/worker-supervisor.ts';
import type { Listener, ProtocolContext, WebContext } from './context.ts';
import { webGuardOf } from './limits.ts';

const GRAPHQL_PATH = '/graphql';
const PLAYGROUND = '/playground';

/** Requests that are rejected before they reach GraphQL receive an error in GraphQL's form. */
const graphqlErrors: ErrorFormat = {
  body: ({ message, code, status }, requestId) => ({
    errors: [{ message, extensions: { code, status, requestId: code === 'internal' ? requestId : undefined } }],
  }),
};

/**
 * The paths of GraphQL on the HTTP port; absent if it is switched off. Its packages have nearly a thousand modules, so
 * they are loaded at the first request; servers without GraphQL requests start without them.
 */
function graphqlRoutes(
  { settings, service, invoke, log, limit, requestLimitMs: timeoutMs }: WebContext,
): Promise<Middleware<RequestState> | undefined> {
  const { enabled, playground } = settings.graphql;
  const { maxBodyBytes, maxAnswerBytes: answerBytes } = settings.limits;
  if (!enabled) return Promise.resolve(undefined);
  const { access } = service;
  const isKnown = async ({ credential }: Caller): Promise<boolean> =>
    credential !== undefined && (await access.identify(credential)) !== undefined;
  const load = async (): Promise<Middleware<RequestState>> => {
    const { graphqlEndpoint, playgroundPages } = await import('../../api/graphql/index.ts');
    const endpoint = graphqlEndpoint(GRAPHQL_PATH, {
      invoke,
      log,
      maxBodyBytes,
      answerBytes,
      limit,
      timeoutMs,
      isKnown: access.enabled ? isKnown : undefined,
    });
    const pages = playgroundPages(PLAYGROUND, GRAPHQL_PATH);
    return (ctx, next) => endpoint(ctx, () => pages(ctx, next));
  };
  let loaded: Promise<Middleware<RequestState>> | undefined;
  const isOurs = (path: string): boolean =>
    path === GRAPHQL_PATH || (playground && (path === PLAYGROUND || path.startsWith(`${PLAYGROUND}/`)));
  return Promise.resolve(async (ctx, next) => {
    if (!isOurs(ctx.path)) return next();
    const middleware = await (loaded ??= load());
    return middleware(ctx, next) as Promise<unknown>;
  });
}

/** REST, the pages that describe it, and GraphQL on the same port; absent if it is switched off. */
export async function serveHttp(context: ProtocolContext): Promise<Listener | undefined> {
  const { settings, log, workers, clients } = context;
  if (!settings.http.enabled) return undefined;
  const tls = settings.http.addr.kind === 'unix' ? undefined : context.tls;
  const listener = await createHttpListener(context);
  const server = await namingSetting('SVC_HTTP_ADDR',
    () =>
      startHttpServer(listener, listenOn(settings.http.addr), flatErrors, {
        tls,
        log,
        clients,
        limits: usualLimits(settings.limits.bodyTimeout),
        sockets: workers?.sockets,
      }));
  return workers === undefined ? server : serveWorkers(context, server, workers);
}

/**
 * Serves the requests that workers pass on, and trusts the client addresses that they send; then starts the workers.
 */
async function serveWorkers(context: ProtocolContext, server: Listener, workers: WorkerSupervisor): Promise<Listener> {
  const listener = await createHttpListener({ ...context, readAddress: (_, forwarded) => forwarded });
  const inner = await startHttpServer(listener, { path: await workers.socket() }, flatErrors, {
    log: context.log,
    limits: usualLimits(context.settings.limits.bodyTimeout),
  });
  await workers.start(context);
  return {
    url: server.url,
    async stop(graceMs) {
      // The workers may have requests in flight that this process serves.
      await Promise.all([server.stop(graceMs), workers.stop(graceMs)]);
      await inner.stop(graceMs);
      await workers.close();
    },
  };
}

/** The request listener of the port. */
export async function createHttpListener(context: WebContext,
  protocol: 'http' | 'http3' = 'http'): Promise<RequestListener>
{
  const { settings, service, specification, invoke, log, validateResponses } = context;
  // Operations of GraphQL use the access mode of HTTP, whatever their port.
  const graphql = protocol === 'http' || settings.http3.mode === settings.http.mode
    ? await graphqlRoutes(context)
    : undefined;
  const app = await createHttpApp<Operations>({
    title: 'Quire document service',
    specification,
    operations,
    invoke,
    log,
    validateResponses,
    protocol,
    alternative: context.alternative,
    errors: flatErrors,
    errorsAt: new Map([[GRAPHQL_PATH, graphqlErrors]]),
    readAddress: context.readAddress,
    limit: context.limit,
    maxBodyBytes: settings.limits.maxBodyBytes,
    ...webPages(context),
    strictQuery: settings.input.strict,
    compress: settings.http.compression,
    accessLog: settings.log.access,
    forms: { spools: context.spools, inputs: specification.inputs },
    observe: (exchange) => service.system.observeHttp(exchange),
    extensions: [...(graphql === undefined ? [] : [graphql]), ...(settings.http.console ? [consolePages('docs')] : [])],
  });
  return app.callback();
}

/** With authentication, a page has no credential for calls, unless a user gives it one. */
function webPages({ settings, service }: WebContext): Pick<HttpAppOptions<Operations>, 'corsOrigins' | 'judge'> {
  const { addr } = settings.http;
  const { listed, others } = settings.cors.origins;
  const corsOrigins = others === 'nothing' ? listed : ['*'];
  if (service.access.enabled) return { corsOrigins };
  const guard = webGuardOf(settings, addr, others);
  return { corsOrigins, judge: ({ host, origin }) => guard({ host, origin, anyHost: addr.kind === 'unix' }) };
}
