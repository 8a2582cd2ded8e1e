/** The entry point of the GraphQL adapter. */
export { type EndpointOptions, graphqlEndpoint } from './http/endpoint.ts';
export { playgroundPages } from './playground/index.ts';
