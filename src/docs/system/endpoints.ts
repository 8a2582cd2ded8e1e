import { operations } from '../../../generated/docs/operations.ts';
import type { ListEndpointsResponse } from '../../../generated/docs/sdk/types.gen.ts';

/** What the server reports about MCP, once it is served. */
export interface McpDescription {
  /** Number of open sessions by transport. */
  sessions(): { sse: number; streamable: number };
  /** Number of offered tools, built-in and custom. */
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly stdio: boolean;
  /** The revisions that are served, newest first. */
  readonly supportedRevisions: readonly string[];
  readonly revisionPinned: boolean;
  /** The revision that is returned to `initialize`; empty when there is none. */
  readonly handshakeRevision: string;
}

/**
 * Every endpoint of the specification, in its order, and the methods of gRPC and the tools of MCP if these are served.
 * `closed` are those for which the settings require a credential.
 */
export function describeEndpoints(grpc: ListEndpointsResponse['grpc'], closed: ReadonlySet<string>,
  mcp?: McpDescription): ListEndpointsResponse
{
  const http = Object.values(operations).map(({ id, method, path, summary, access }) => ({
    method,
    path,
    description: summary,
    requiresAuth: access !== 'public' || closed.has(id),
  }));
  return { http, grpc, mcp: [...(mcp?.tools ?? [])] };
}
