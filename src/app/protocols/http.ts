import { operations, type Operations } from '../../../generated/docs/operations.ts';
import { consolePages, createHttpApp, flatErrors, listenOn, startHttpServer, type HttpAppOptions } from '../../api/http/index.ts';
import type { Listener, ProtocolContext } from './context.ts';
import { GRAPHQL_PATH, graphqlErrors, graphqlRoutes } from './graphql.ts';
import { webGuardOf } from './web-guard.ts';

/** REST, the pages that describe it, and GraphQL, which has paths on the same port; absent when it is switched off. */
export async function serveHttp(context: ProtocolContext): Promise<Listener | undefined> {
  const { settings, service, specification, invoke, log, validateResponses } = context;
  if (!settings.http.enabled) return undefined;
  const graphql = await graphqlRoutes(context);
  const app = await createHttpApp<Operations>({
    title: 'Quire document service',
    specification, operations, invoke, log, validateResponses,
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
    observe: (exchange) => service.observeHttp(exchange),
    extensions: [...(graphql === undefined ? [] : [graphql]), ...(settings.http.console ? [consolePages('docs')] : [])],
  });
  return startHttpServer(app.callback(), listenOn(settings.http.addr), flatErrors, { tls: settings.http.addr.kind === 'unix' ? undefined : context.tls, log });
}

/** With authentication, no page has what it takes to call, unless somebody gives it a credential. */
function webPages({ settings, service }: ProtocolContext): Pick<HttpAppOptions<Operations>, 'corsOrigins' | 'judge'> {
  const { addr } = settings.http;
  const { listed, others } = settings.cors.origins;
  const corsOrigins = others === 'nothing' ? listed : ['*'];
  if (service.access.enabled) return { corsOrigins };
  const guard = webGuardOf(settings, addr, others);
  return { corsOrigins, judge: ({ host, origin }) => guard({ host, origin, anyHost: addr.kind === 'unix' }) };
}
