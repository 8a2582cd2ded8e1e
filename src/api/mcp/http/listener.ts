import type { RequestListener } from 'node:http';
import type { ListenerOptions } from './listener-options.ts';
import type { McpService } from './mcp-service.ts';
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

const NO_SESSIONS: Readonly<Record<SessionKind, number>> = { sse: 0, streamable: 0 };

/** Loads the service with the first request: its packages would take a tenth of the time of a start, and most servers have no client of MCP. */
export function createMcpListener(options: ListenerOptions): McpListener {
  let service: McpService | undefined;
  let loading: Promise<McpService> | undefined;
  let stopping: AbortSignal | undefined;

  async function load(): Promise<McpService> {
    const module = await import('./mcp-service.ts');
    service = new module.McpService(options);
    // A request that came after the end is rejected like any other.
    if (stopping !== undefined) void service.stop(stopping);
    return service;
  }

  async function answer(...[request, response]: Parameters<RequestListener>): Promise<void> {
    const loaded = service ?? await (loading ??= load());
    // The client may have left meanwhile; its session or stream would never end.
    if (!response.destroyed) await loaded.answer(request, response);
  }

  return {
    listener: (request, response) => void answer(request, response),
    sessions: () => service?.sessions.count() ?? { ...NO_SESSIONS },
    held: () => service?.held ?? 0,
    async stop(late) {
      stopping ??= late;
      await (await loading)?.stop(late);
    },
  };
}
