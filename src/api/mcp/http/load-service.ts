import { setImmediate } from 'node:timers/promises';
import type * as Service from './mcp-service.ts';

/**
 * The packages that `mcp-service.ts` imports, and before them large parts that they import: the first one is all of
 * zod.
 */
const PACKAGES: readonly (() => Promise<unknown>)[] = [() => import('@modelcontextprotocol/sdk/server/zod-compat.js'),
  () => import('@modelcontextprotocol/sdk/types.js'), () => import('@modelcontextprotocol/sdk/server/index.js'),
  () => import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
  () => import('@modelcontextprotocol/server/validators/ajv'), () => import('@modelcontextprotocol/server'),
  () => import('@modelcontextprotocol/node')];

/**
 * Imports the service in steps: Node evaluates all modules of an import in one turn of the event loop, in which nobody
 * else's request is served.
 */
export async function loadService(): Promise<typeof Service> {
  for (const load of PACKAGES) {
    await load();
    await setImmediate();
  }
  return import('./mcp-service.ts');
}
