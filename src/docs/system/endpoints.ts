import { operations } from '../../../generated/docs/operations.ts';
import type { ListEndpointsResponse } from '../../../generated/docs/sdk/types.gen.ts';
import type { McpDescription } from './mcp-description.ts';

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
