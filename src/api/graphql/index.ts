/** The entry point of the GraphQL adapter. */
export type { Authenticator, Principal } from './authenticator.ts';
export { graphqlEndpoint, type EndpointOptions } from './http/endpoint.ts';
export { playgroundPages } from './playground/index.ts';
