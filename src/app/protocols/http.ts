import { operations, type Operations } from '../../../generated/docs/operations.ts';
import { createHttpApp, flatErrors, startHttpServer } from '../../api/http/index.ts';
import type { Address } from '../../lib/address.ts';
import type { Listener, ProtocolContext } from './context.ts';
import { graphqlRoutes } from './graphql.ts';

/** REST, the pages that describe it, and GraphQL, which has paths on the same port; absent when it is switched off. */
export async function serveHttp(context: ProtocolContext): Promise<Listener | undefined> {
  const { settings, service, specification, invoke, log, validateResponses } = context;
  if (!settings.http.enabled) return undefined;
  const graphql = await graphqlRoutes(context);
  const app = await createHttpApp<Operations>({
    title: 'Quire document service',
    specification, operations, invoke, log, validateResponses,
    errors: flatErrors,
    maxBodyBytes: settings.limits.maxBodyBytes,
    corsOrigins: settings.cors.origins,
    accessLog: settings.log.access,
    observe: (exchange) => service.observeHttp(exchange),
    extensions: graphql === undefined ? [] : [graphql],
  });
  return startHttpServer(app.callback(), toListen(settings.http.addr), flatErrors, context.tls);
}

function toListen(address: Address): { host?: string; port: number } {
  if (address.kind === 'unix') throw new Error('unix sockets are refused by the settings');
  return { port: address.port, ...(address.host === undefined ? {} : { host: address.host }) };
}
