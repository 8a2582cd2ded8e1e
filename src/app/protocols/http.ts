import { operations, type Operations } from '../../../generated/docs/operations.ts';
import { createHttpApp, flatErrors, listenOn, startHttpServer } from '../../api/http/index.ts';
import type { Listener, ProtocolContext } from './context.ts';
import { GRAPHQL_PATH, graphqlErrors, graphqlRoutes } from './graphql.ts';

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
    corsOrigins: settings.cors.origins,
    accessLog: settings.log.access,
    observe: (exchange) => service.observeHttp(exchange),
    extensions: graphql === undefined ? [] : [graphql],
  });
  return startHttpServer(app.callback(), listenOn(settings.http.addr), flatErrors, { tls: context.tls, log });
}
