/** The entry point of the GraphQL adapter. */
export { graphqlEndpoint, type EndpointOptions } from './http/endpoint.ts';
export { playgroundPages } from './playground/index.ts';
