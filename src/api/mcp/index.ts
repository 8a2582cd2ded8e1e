import type * as Stdio from './stdio/serve-stdio.ts';

export { Authenticator, StaticKeys, type StoredKeys } from './http/authenticator.ts';
export { type CoreOptions, createCore, type McpCore, type ServerInfo } from './core/core.ts';
export { jsonRpcErrors } from './core/fault.ts';
export type { JsonSchema } from './core/json-schema.ts';
export { BUILT_IN_NAMES, operationOf, type ToolSchemas } from './core/tools.ts';
export { parseToolset, type Toolset } from './core/toolset.ts';
export { parseCustomTools } from './custom/parse.ts';
export type { CustomTool } from './custom/spec.ts';
export { createMcpListener, type McpListener } from './http/listener.ts';
export { HANDSHAKE, pinRevision, type Revisions, STATELESS } from './revisions.ts';

/** Loaded on demand like the service over HTTP, because of its packages. */
export const loadStdio = (): Promise<typeof Stdio> => import('./stdio/serve-stdio.ts');
