import type * as Stdio from './stdio/serve-stdio.ts';

export type { JsonSchema } from './core/arguments.ts';
export { type CoreOptions, createCore, type McpCore, type ServerInfo } from './core/core.ts';
export { jsonRpcErrors } from './core/fault.ts';
export { BUILT_IN_NAMES, operationOf, parseToolset, type ToolSchemas, type Toolset } from './core/tools.ts';
export { type CustomTool, parseCustomTools } from './custom/custom-tools.ts';
export { Authenticator, StaticKeys, type StoredKeys } from './http/authenticator.ts';
export { createMcpListener, type McpListener } from './http/listener.ts';
export { HANDSHAKE, pinRevision, type Revisions, STATELESS } from './messages.ts';
export { createRunsCore, type RunsCoreOptions } from './runs/core.ts';

/** Loaded on demand like the service over HTTP, because of its packages. */
export const loadStdio = (): Promise<typeof Stdio> => import('./stdio/serve-stdio.ts');
