/** The entry point of the GraphQL adapter. */
export { type EndpointOptions, graphqlEndpoint } from './endpoint.ts';
export { playgroundPages } from './playground/index.ts';
