import type { RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { INTERNAL_ERROR } from '../core/fault.ts';
import type { ListenerOptions } from './listener-options.ts';
import type * as Service from './mcp-service.ts';
import type { SessionKind } from './sessions.ts';

/** MCP over HTTP as a request listener, without a server. */
export interface McpListener {
  readonly listener: RequestListener;
  /** Open sessions by transport. */
  sessions(): Record<SessionKind, number>;
  /** Number of objects in memory for open sessions and streams, for tests: 0 when all have ended. */
  held(): number;
  /** Rejects new requests, ends each session once its requests are answered, and all of them when the signal aborts. */
  stop(late: AbortSignal): Promise<void>;
}

const UNAVAILABLE = { code: INTERNAL_ERROR, message: 'MCP could not be loaded; the log of the service says why' };
const NO_SESSIONS: Readonly<Record<SessionKind, number>> = { sse: 0, streamable: 0 };

/**
 * Loads the service with the first request: its packages would take a tenth of the time of a start, and most servers
 * have no client of MCP.
 */
export function createMcpListener(options: ListenerOptions,
  importService: () => Promise<typeof Service> = loadService): McpListener
{
  let service: Service.McpService | undefined;
  let loading: Promise<Service.McpService> | undefined;
  let stopping: AbortSignal | undefined;

  async function load(): Promise<Service.McpService> {
    const { McpService } = await importService();
    service = new McpService(options);
    // A request that came after the end is rejected like any other.
    if (stopping !== undefined) void service.stop(stopping);
    return service;
  }

  /** Undefined if it cannot be loaded, as while the package is being replaced; the next request tries again. */
  async function loaded(): Promise<Service.McpService | undefined> {
    const own = (loading ??= load());
    try {
      return await own;
    } catch (error) {
      if (loading === own) loading = undefined;
      options.log.error({ err: error }, 'MCP could not be loaded');
      return undefined;
    }
  }

  async function answer(...[request, response]: Parameters<RequestListener>): Promise<void> {
    const ready = service ?? await loaded();
    // The client may have left meanwhile; its session or stream would never end.
    if (response.destroyed) return;
    if (ready !== undefined) return ready.answer(request, response);
    response.writeHead(503, { 'Content-Type': 'application/json' }).end(
      JSON.stringify({ jsonrpc: '2.0', error: UNAVAILABLE, id: null }),
    );
  }

  return {
    listener: (request, response) => void answer(request, response),
    sessions: () => service?.sessions.count() ?? { ...NO_SESSIONS },
    held: () => service?.held ?? 0,
    async stop(late) {
      stopping ??= late;
      if (loading !== undefined) await (await loaded())?.stop(late);
    },
  };
}

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
