export { serverCredentials } from './credentials.ts';
export { addDocsServices, describeRpcs, DOCS_SERVICES } from './docs/services.ts';
export { readSchema, type Schema } from './message/index.ts';
export { startGrpcServer, type GrpcServer, type GrpcServerOptions } from './server.ts';
export type { WatchedEvent, WatchInput } from './docs/adapter.ts';
