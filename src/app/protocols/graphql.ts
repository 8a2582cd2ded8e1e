import type { Middleware } from 'koa';
import type { Caller } from '../../operations/index.ts';
import type { ProtocolContext } from './context.ts';

const ENDPOINT = '/graphql';
const PLAYGROUND = '/playground';

/**
 * The paths of GraphQL on the HTTP port; absent when it is switched off. Its packages are nearly a thousand modules, so
 * they are loaded when the first request comes, and a server that nobody asks in GraphQL starts without them.
 */
export function graphqlRoutes({ settings, service, invoke, log }: ProtocolContext): Promise<Middleware | undefined> {
  const { enabled, playground } = settings.graphql;
  const { maxBodyBytes } = settings.limits;
  if (!enabled) return Promise.resolve(undefined);
  const { access } = service;
  const authenticator = { authenticate: async ({ credential }: Caller) => credential && access.identify(credential) };
  const load = async (): Promise<Middleware> => {
    const { graphqlEndpoint, playgroundPages } = await import('../../api/graphql/index.ts');
    const endpoint = graphqlEndpoint(ENDPOINT, { invoke, log, maxBodyBytes, ...(access.enabled && { authenticator }) });
    const pages = playgroundPages(PLAYGROUND, ENDPOINT);
    return (ctx, next) => endpoint(ctx, () => pages(ctx, next));
  };
  let loaded: Promise<Middleware> | undefined;
  const isOurs = (path: string): boolean => path === ENDPOINT || (playground && (path === PLAYGROUND || path.startsWith(`${PLAYGROUND}/`)));
  return Promise.resolve(async (ctx, next) => {
    if (!isOurs(ctx.path)) return next();
    const middleware = await (loaded ??= load());
    return middleware(ctx, next) as Promise<unknown>;
  });
}
