import { operations } from '../../../generated/docs/operations.ts';
import type { ListEndpointsResponse } from '../../../generated/docs/sdk/types.gen.ts';

/** Every endpoint of the specification, in its order. There are no gRPC methods and MCP tools yet. */
export function describeEndpoints(): ListEndpointsResponse {
  const http = Object.values(operations).map(({ method, path, summary, access }) => ({
    method, path, description: summary, requiresAuth: access !== 'public',
  }));
  return { http, grpc: [], mcp: [] };
}
