import { operations } from '../../../generated/docs/operations.ts';
import type { ListEndpointsResponse } from '../../../generated/docs/sdk/types.gen.ts';
import type { McpDescription } from './mcp-description.ts';

/** Every endpoint of the specification, in its order, and the methods of gRPC and the tools of MCP where these are served. */
export function describeEndpoints(grpc: ListEndpointsResponse['grpc'], mcp?: McpDescription): ListEndpointsResponse {
  const http = Object.values(operations).map(({ method, path, summary, access }) => ({
    method, path, description: summary, requiresAuth: access !== 'public',
  }));
  return { http, grpc, mcp: [...(mcp?.tools ?? [])] };
}
