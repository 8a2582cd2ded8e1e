export { serverCredentials } from './credentials.ts';
export type { NodeService, SharingService, WatchedEvent, WatchInput } from './docs/adapter.ts';
export { addDocsServices, describeRpcs, DOCS_SERVICES, UNLIMITED_RPCS } from './docs/services.ts';
export { createGate, type GateOptions } from './gate.ts';
export { usualWaits } from './message-waits.ts';
export { readSchema, type Schema } from './message/plan.ts';
export { NodeLink } from './node-link.ts';
export { type GrpcServer, type GrpcServerOptions, startGrpcServer } from './server.ts';
