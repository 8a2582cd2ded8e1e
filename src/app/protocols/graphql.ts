import type { Middleware } from 'koa';
import type { ProtocolContext } from './context.ts';

/** The paths of GraphQL on the HTTP port; absent when it is switched off. */
export function graphqlRoutes(_context: ProtocolContext): Promise<Middleware | undefined> {
  return Promise.resolve(undefined);
}
