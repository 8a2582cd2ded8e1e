import type { Middleware } from 'koa';
import type { ErrorFormat, RequestState } from '../../api/http/index.ts';
import type { Caller } from '../../operations/index.ts';
import type { WebContext } from './context.ts';

export const GRAPHQL_PATH = '/graphql';
const PLAYGROUND = '/playground';

/** Requests that are rejected before they reach GraphQL receive an error in GraphQL's form. */
export const graphqlErrors: ErrorFormat = {
  body: ({ message, code, status }, requestId) => ({
    errors: [{ message, extensions: { code, status, ...(code === 'internal' && { requestId }) } }],
  }),
};

/**
 * The paths of GraphQL on the HTTP port; absent if it is switched off. Its packages have nearly a thousand modules, so
 * they are loaded at the first request; servers without GraphQL requests start without them.
 */
export function graphqlRoutes(
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
      ...(access.enabled && { isKnown }),
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
